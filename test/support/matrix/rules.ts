import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import type { EventType } from '../../../src/core/schemas/events.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import type { Attempt, Batch, Ledger, ReadEvent, Receipt } from './ledger.ts'
import { historyHolds, type History } from './history.ts'
import { digestOf } from './ledger.ts'

/** A webhook made before the first push, for some events of one location. */
export type Subscription = { id: string; path: string; locationId: string; events: readonly EventType[] }

/** `mayLose`: a replica that lagged was promoted, so that what the old server acknowledged last may be gone. */
export type Circumstances = { subscriptions: readonly Subscription[]; mayLose: boolean }

export type Judgement = {
  /** What broke a rule, each with the rule's number; empty when all hold. */
  faults: string[]
  counts: Record<'pushes' | Attempt['outcome'] | 'entries' | 'receipts', number>
  /** Acknowledged entries that a failover lost; 0 where nothing may be lost, for there each of them is a fault. */
  lost: number
}

type Entry = {
  locationId: string
  seq: number
  acceptedAt: Date
  kind: string
  id: string
  types: EventType[]
  digest: string
}

type Journal = { entries: Entry[]; bySeq: Map<number, Entry>; byVersion: Map<string, Entry> }

const emptyJournal = (): Journal => ({ entries: [], bySeq: new Map(), byVersion: new Map() })

async function readJournals(pool: Pool): Promise<Map<string, Journal>> {
  const rows = await pool<(Omit<Entry, 'digest'> & { document: string })[]>`
    select location_id as "locationId", seq, accepted_at as "acceptedAt", kind, id, types, document
    from journal order by location_id, seq`
  const journals = new Map<string, Journal>()
  for (const { document, ...row } of rows) {
    const entry = { ...row, digest: digestOf(JSON.parse(document)) }
    const journal = journals.get(row.locationId) ?? emptyJournal()
    journals.set(row.locationId, journal)
    journal.entries.push(entry)
    journal.bySeq.set(entry.seq, entry)
    journal.byVersion.set(`${entry.id} ${entry.digest}`, entry)
  }
  return journals
}

const none = emptyJournal()

/** 1: what was acknowledged is in the journal under its number, as it was sent, and no number was acknowledged twice. */
function* acknowledgedIsStored(batches: readonly Batch[], journals: Map<string, Journal>): Generator<string> {
  const given = new Map<string, string>()
  for (const { locationId, items, attempts, till } of batches) {
    const journal = journals.get(locationId) ?? none
    for (const attempt of attempts) {
      if (attempt.outcome !== 'acknowledged') continue
      for (const [i, { status, sequence }] of attempt.verdicts.entries()) {
        const { id, v, digest } = items[i] as Batch['items'][number]
        const name = `version ${v} of ${id}, which ${till} was told is ${status}`
        if (!journal.byVersion.has(`${id} ${digest}`)) yield `1: ${name}, is not in the journal`
        if (sequence === null) continue
        const entry = journal.bySeq.get(sequence)
        if (entry && entry.digest !== digest) yield `1: ${sequence} is another entry than ${name}`
        const place = `${locationId} ${sequence}`
        const before = given.get(place)
        if (before !== undefined && before !== digest)
          yield `1: ${sequence} was acknowledged twice, the second time for ${name}`
        given.set(place, digest)
      }
    }
  }
}

/** 2: numbers have no gap but behind a `resumed`, and times never go back. */
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

const eventsOf = ({ entries }: Journal) =>
  entries.flatMap(({ seq, types, id, digest }) =>
    types.map((type) => ({ name: `${seq} ${type}`, seq, type, id, digest })),
  )

/** 4: what a reader of the feed saw is a prefix of the events of the journal, each once and as they are stored. */
function* feedIsPrefix(feed: readonly ReadEvent[], journal: Journal, mayLose: boolean): Generator<string> {
  const events = eventsOf(journal)
  const stored = new Set(events.map(({ name }) => name))
  // Of a server that was lost a reader may have seen what the next one never got.
  const seen = mayLose ? feed.filter(({ sequence, type }) => stored.has(`${sequence} ${type}`)) : feed
  for (const [i, { sequence, type, digest }] of seen.entries()) {
    const event = events[i]
    if (event?.name !== `${sequence} ${type}`) {
      yield `4: a reader saw ${sequence} ${type} where ${event?.name ?? 'nothing'} stands`
      return
    }
    if (event.digest !== digest) yield `4: a reader saw another document in ${sequence} ${type}`
  }
}

/** One event id, one content, whoever got it and however often. */
function* idsAreUnique(seen: readonly ReadEvent[]): Generator<string> {
  const contents = new Map<string, string>()
  for (const { id, digest } of seen) {
    const before = contents.get(id)
    if (before !== undefined && before !== digest) yield `4: ${id} came with two different documents`
    contents.set(id, digest)
  }
}

/**
 * 5: every event that a webhook registered for was taken at least once, and was not sent before each older event of its
 * resource was taken. `receipts` are those of the webhook, in the order in which they came.
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

/** 6: of a push all is stored or nothing, and what is stored stands together. */
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

/** What the outsiders wrote down, as calls with begin and end. */
function historyOf({ batches, looks }: Ledger, journals: Map<string, Journal>): History {
  const versionOf = new Map(batches.flatMap(({ items }) => items.map(({ id, v, digest }) => [`${id} ${digest}`, v])))
  const pushes = batches.flatMap(({ locationId, items, attempts }) => {
    const first = attempts.find(({ outcome }) => outcome !== 'unreached')
    const done = attempts.find((one) => one.outcome === 'acknowledged')
    if (!first) return []
    // A push that was sent again may have been stored the first time: its number is that of any attempt.
    const isFirst = done === first
    return items.map(({ id, v }, i) => {
      const sequence = isFirst ? (done?.verdicts[i]?.sequence ?? null) : null
      return { locationId, id, v, begin: first.at, end: done?.endedAt ?? null, sequence }
    })
  })
  const written = new Map(
    [...journals].map(([locationId, { entries }]) => {
      const own = new Map<string, { v: number; seq: number }[]>()
      for (const { kind, id, seq, digest } of entries) {
        const v = versionOf.get(`${id} ${digest}`)
        if (kind === 'order' && v !== undefined) own.set(id, [...(own.get(id) ?? []), { v, seq }])
      }
      return [locationId, own] as const
    }),
  )
  return { pushes, looks, journals: written }
}

function countAttempts(batches: readonly Batch[]) {
  const all = batches.flatMap(({ attempts }) => attempts)
  const counts = { pushes: all.length, acknowledged: 0, unknown: 0, refused: 0, unreached: 0 }
  for (const { outcome } of all) counts[outcome] += 1
  return counts
}

/** Holds what the outsiders wrote down against what is stored, by six rules. Everything must have come to rest. */
export async function judge(pool: Pool, ledger: Ledger, { subscriptions, mayLose }: Circumstances): Promise<Judgement> {
  const journals = await readJournals(pool)
  const { batches, feeds, receipts, oddities } = ledger
  const missing = [...acknowledgedIsStored(batches, journals)]
  const isLoss = (fault: string) => mayLose && fault.endsWith('is not in the journal')
  const faults = [...oddities, ...missing.filter((fault) => !isLoss(fault))]
  for (const [locationId, journal] of journals) {
    faults.push(...numbersFollow(journal))
    const verdict = await verifyLocation(pool, locationId)
    if (!verdict.verified) faults.push(`3: ${locationId} at ${verdict.sequence}: ${verdict.reason}`)
    for (const feed of feeds.get(locationId) ?? []) faults.push(...feedIsPrefix(feed, journal, mayLose))
  }
  faults.push(...idsAreUnique([...receipts, ...[...feeds.values()].flat(2)]))
  for (const subscription of subscriptions) {
    const journal = journals.get(subscription.locationId) ?? none
    const own = receipts.filter(({ path }) => path === subscription.path)
    faults.push(...deliveredInOrder(subscription, journal, own))
  }
  faults.push(...pushesAreWhole(batches, journals))
  // Where a tail may be lost, what was shown of it is not there any more.
  if (!mayLose) faults.push(...historyHolds(historyOf(ledger, journals)))
  const entries = [...journals.values()].reduce((sum, journal) => sum + journal.entries.length, 0)
  return {
    faults,
    counts: { ...countAttempts(batches), entries, receipts: receipts.length },
    lost: missing.filter(isLoss).length,
  }
}
