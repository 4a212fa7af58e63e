import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import type { EventType } from '../../../src/core/schemas/events.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { historyHolds, type History } from './history.ts'
import { emptyJournal, timelinesOf, readJournals, type Journal, type JournalTimeline } from './journals.ts'
import type { Attempt, Batch, Feed, Ledger, ReadEvent, Receipt } from './ledger.ts'

/** A webhook created before the first push, for some events of one location. */
export type Subscription = { id: string; path: string; locationId: string; events: readonly EventType[] }

/** An inclusive range of sequences of a location that `tillgate loss list` reports as lost. */
export type ReportedLoss = { locationId: string; from: number; to: number }

export type Circumstances = { subscriptions: readonly Subscription[]; losses: readonly ReportedLoss[] }

export type Judgement = {
  /** Violations of rules, each with the number of the rule; empty if all hold. */
  faults: string[]
  counts: Record<'pushes' | Attempt['outcome'] | 'entries' | 'receipts', number>
  /** Number of acknowledged entries of an abandoned timeline that are reported as lost. */
  lost: number
}

const none = emptyJournal()

/** An acknowledged entry is in the journal, or only in an abandoned timeline, in which `lost` is its sequence. */
type Found = { fault: string } | { lost: number; isReported: boolean; name: string }

/**
 * Checks rule 1: an acknowledged entry is in the journal under its sequence, as sent, or was reported as lost; no
 * sequence was acknowledged twice.
 */
function* acknowledgedIsStored(
  { batches, abandoned }: Ledger,
  journals: Map<string, Journal>,
  losses: readonly ReportedLoss[],
): Generator<Found> {
  const given = new Map<string, string>()
  for (const { locationId, items, attempts, till } of batches) {
    const journal = journals.get(locationId) ?? none
    const former = timelinesOf(locationId, abandoned, journal).slice(0, -1)
    const isReported = (seq: number) =>
      losses.some((loss) => loss.locationId === locationId && loss.from <= seq && seq <= loss.to)
    for (const attempt of attempts) {
      if (attempt.outcome !== 'acknowledged') continue
      for (const [i, { status, sequence }] of attempt.verdicts.entries()) {
        const { id, v, digest } = items[i] as Batch['items'][number]
        const name = `version ${v} of ${id}, which ${till} received as ${status}`
        if (!journal.byVersion.has(`${id} ${digest}`)) {
          const last = former.findLast((one) => one.to >= attempt.at && one.journal.byVersion.has(`${id} ${digest}`))
          const lost = last?.journal.byVersion.get(`${id} ${digest}`)?.seq
          if (lost === undefined) yield { fault: `1: ${name}, is not in the journal` }
          else yield { lost, isReported: isReported(lost), name }
        }
        if (sequence === null) continue
        const entry = journal.bySeq.get(sequence)
        if (entry && entry.digest !== digest) yield { fault: `1: ${sequence} is another entry than ${name}` }
        const place = `${locationId} ${sequence}`
        const before = given.get(place)
        if (before !== undefined && before !== digest)
          yield { fault: `1: ${sequence} was acknowledged twice, the second time for ${name}` }
        given.set(place, digest)
      }
    }
  }
}

/** Checks rule 2: sequences have no gap except before a `resumed` entry, and times never decrease. */
function* numbersFollow({ entries }: Journal): Generator<string> {
  let seq = 0
  let at = 0
  for (const entry of entries) {
    if (entry.seq !== seq + 1 && entry.kind !== 'resumed') yield `2: ${entry.seq} follows ${seq}`
    if (entry.acceptedAt.getTime() < at) yield `2: ${entry.seq} was accepted before ${seq}`
    seq = entry.seq
    at = entry.acceptedAt.getTime()
  }
}

type Event = { name: string; seq: number; type: EventType; id: string; digest: string }

const eventsOf = ({ entries }: Journal): Event[] =>
  entries.flatMap(({ seq, types, id, digest }) =>
    types.map((type) => ({ name: `${seq} ${type}`, seq, type, id, digest })),
  )

/** Returns why events are not the events that follow a sequence in a journal; undefined if they are. */
function findStrange(seen: readonly ReadEvent[], after: number, events: readonly Event[]): string | undefined {
  const follow = events.filter(({ seq }) => seq > after)
  for (const [i, { sequence, type, digest }] of seen.entries()) {
    const event = follow[i]
    if (event?.name !== `${sequence} ${type}`)
      return `4: a reader saw ${sequence} ${type} where ${event?.name ?? 'nothing'} stands`
    if (event.digest !== digest) return `4: a reader saw another document in ${sequence} ${type}`
  }
  return undefined
}

/**
 * Checks rule 4: the events of a reader of the feed are a prefix of the events of the journal, each once and as stored.
 * If a restore loses entries that a reader has read, the next response reports this, with the position from which
 * nothing is missing. So the events up to such a response are consecutive in one timeline of the journal, and the
 * events after it in the same or a later one. The last events are in the last timeline.
 */
function* feedIsPrefix({ events, turns }: Feed, timelines: readonly JournalTimeline[]): Generator<string> {
  const all = timelines.map(({ journal }) => eventsOf(journal))
  const seen = new Set<string>()
  let least = 0
  const stretches = [{ at: 0, after: 0 }, ...turns]
  for (const [i, { at, after }] of stretches.entries()) {
    const isLast = i === stretches.length - 1
    const run = events.slice(at, stretches[i + 1]?.at)
    const from = isLast ? timelines.length - 1 : least
    const place = all.findIndex((timeline, n) => n >= from && findStrange(run, after, timeline) === undefined)
    const timeline = all[place]
    if (!timeline) {
      yield findStrange(run, after, all.at(-1) ?? []) as string
      return
    }
    const missed = timeline.find(({ seq, name }) => seq <= after && !seen.has(name))
    if (missed) yield `4: a reader was directed to ${after}, and never saw ${missed.name}`
    for (const { sequence, type } of run) seen.add(`${sequence} ${type}`)
    least = place
  }
}

/** Checks a part of rule 4: an event id has one content, for all receivers and repetitions. */
function* idsAreUnique(seen: readonly ReadEvent[]): Generator<string> {
  const contents = new Map<string, string>()
  for (const { id, digest } of seen) {
    const before = contents.get(id)
    if (before !== undefined && before !== digest) yield `4: ${id} came with two different documents`
    contents.set(id, digest)
  }
}

/**
 * Checks rule 5: every event that a webhook is registered for was accepted at least once, and was only sent after all
 * older events of its resource had been accepted. `receipts` are the requests of the webhook, in the order of arrival.
 */
function* deliveredInOrder(
  { events, path }: Subscription,
  journal: Journal,
  receipts: readonly Receipt[],
): Generator<string> {
  const wanted = eventsOf(journal).filter(({ type }) => events.includes(type))
  const taken = new Map<string, number>()
  const begun = new Map<string, number>()
  for (const { sequence, type, status, at, answeredAt } of receipts) {
    const name = `${sequence} ${type}`
    if (!begun.has(name)) begun.set(name, at)
    if (status === 200 && !taken.has(name)) taken.set(name, answeredAt)
  }
  const before = new Map<string, { name: string; seq: number }[]>()
  for (const { name, seq, id } of wanted) {
    const at = begun.get(name)
    if (!taken.has(name)) yield `5: ${path} never took ${name}`
    const older = before.get(id) ?? []
    const late = older.find((one) => (taken.get(one.name) ?? Infinity) > (at ?? -Infinity) && one.seq < seq)
    if (at !== undefined && late) yield `5: ${path} was sent ${name} of ${id} before it had taken ${late.name}`
    before.set(id, [...older, { name, seq }].slice(-8))
  }
}

/** Checks rule 6: a push is stored completely or not at all, and its entries are consecutive. */
function* pushesAreWhole(batches: readonly Batch[], journals: Map<string, Journal>): Generator<string> {
  for (const { locationId, items, till, attempts } of batches) {
    const journal = journals.get(locationId) ?? none
    const places = items.map(({ id, digest }) => journal.byVersion.get(`${id} ${digest}`)?.seq)
    const stored = places.filter((seq) => seq !== undefined)
    const last = attempts.at(-1)?.outcome ?? 'not sent'
    if (stored.length > 0 && stored.length < items.length) {
      yield `6: of a push of ${till} (${last}) ${stored.length} of ${items.length} records are stored`
    } else if (stored.some((seq, i) => i > 0 && seq !== (stored[i - 1] as number) + 1)) {
      yield `6: a push of ${till} (${last}) is scattered over ${stored.join(', ')}`
    }
  }
}

/** Returns the records of the clients as calls with begin and end. */
function historyOf({ batches, looks, refusals, abandoned }: Ledger, journals: Map<string, Journal>): History {
  const versionOf = new Map(batches.flatMap(({ items }) => items.map(({ id, v, digest }) => [`${id} ${digest}`, v])))
  const pushes = batches.flatMap(({ locationId, items, attempts }) => {
    const first = attempts.find(({ outcome }) => outcome !== 'unreached')
    const done = attempts.find((one) => one.outcome === 'acknowledged')
    if (!first) return []
    // A repeated push may have been stored the first time, so any attempt may have the sequence.
    const isFirst = done === first
    return items.map(({ id, v }, i) => {
      const sequence = isFirst ? (done?.verdicts[i]?.sequence ?? null) : null
      return { locationId, id, v, begin: first.at, end: done?.endedAt ?? null, sequence }
    })
  })
  const writtenOf = ({ entries }: Journal) => {
    const own = new Map<string, { v: number; seq: number }[]>()
    for (const { kind, id, seq, digest } of entries) {
      const v = versionOf.get(`${id} ${digest}`)
      if (kind === 'order' && v !== undefined) own.set(id, [...(own.get(id) ?? []), { v, seq }])
    }
    return own
  }
  const timelines = [...journals].map(([locationId, stored]) => {
    const own = timelinesOf(locationId, abandoned, stored).map(({ from, to, journal }) => {
      return { from, to, numbers: new Set(journal.bySeq.keys()), written: writtenOf(journal) }
    })
    return [locationId, own] as const
  })
  return { pushes, looks, refusals, timelines: new Map(timelines) }
}

function countAttempts(batches: readonly Batch[]) {
  const all = batches.flatMap(({ attempts }) => attempts)
  const counts = { pushes: all.length, acknowledged: 0, unknown: 0, refused: 0, unreached: 0 }
  for (const { outcome } of all) counts[outcome] += 1
  return counts
}

/** Compares the clients' records with the stored data, by seven rules. All work must have finished. */
export async function judge(pool: Pool, ledger: Ledger, { subscriptions, losses }: Circumstances): Promise<Judgement> {
  const journals = await readJournals(pool)
  const { batches, feeds, receipts, oddities, abandoned } = ledger
  const faults = [...oddities]
  let lost = 0
  for (const found of acknowledgedIsStored(ledger, journals, losses)) {
    if ('fault' in found) faults.push(found.fault)
    else if (found.isReported) lost += 1
    else faults.push(`1: ${found.name}, is gone with ${found.lost}, and the loss is not reported`)
  }
  for (const [locationId, journal] of journals) {
    faults.push(...numbersFollow(journal))
    const verdict = await verifyLocation(pool, locationId)
    if (!verdict.verified) faults.push(`3: ${locationId} at ${verdict.sequence}: ${verdict.reason}`)
    const timelines = timelinesOf(locationId, abandoned, journal)
    for (const feed of feeds.get(locationId) ?? []) faults.push(...feedIsPrefix(feed, timelines))
  }
  faults.push(...idsAreUnique([...receipts, ...[...feeds.values()].flat().flatMap(({ events }) => events)]))
  for (const subscription of subscriptions) {
    const journal = journals.get(subscription.locationId) ?? none
    const own = receipts.filter(({ path }) => path === subscription.path)
    faults.push(...deliveredInOrder(subscription, journal, own))
  }
  faults.push(...pushesAreWhole(batches, journals), ...historyHolds(historyOf(ledger, journals)))
  const entries = [...journals.values()].reduce((sum, journal) => sum + journal.entries.length, 0)
  return { faults, counts: { ...countAttempts(batches), entries, receipts: receipts.length }, lost }
}
