import { LRUCache } from 'lru-cache'
import { setImmediate } from 'node:timers/promises'
import { acceptanceTime, type NewEntry } from '../../domain/journal/chain.ts'
import type { RoundLine } from '../../store/db/round-line.ts'
import { toEntries } from '../../store/journal/journal.ts'
import type { KnownLocations } from '../../store/pushes/known-locations.ts'
import type { OrderRow } from '../../store/documents/orders.ts'
import { resourceOf } from '../../store/resources/all.ts'
import { writeRound } from '../../store/pushes/rounds.ts'
import type { Pushed } from './apply-round.ts'
import { Batch, type RecordOutcome } from './batch.ts'
import { recordsPerTurn } from '../turns.ts'

/** After a batch that could not be written so, a location goes the other way for so many batches, at most. */
const longestPause = 64

/** Batches that a location goes the other way from now on, and how many those were the last time. */
type Pause = { left: number; length: number }

/**
 * Batches of long pushes to locations to which nobody but this process writes: decided from what is known and written by one
 * statement that proves it, as single pushes are (decision 0086), so that the next batch is read, decided and sent while the
 * database writes this one (decision 0081). Of orders nothing is remembered: all are taken to be new.
 */
export class KnownBatches {
  readonly #line: RoundLine
  readonly #known: KnownLocations
  readonly #giveWay: () => Promise<void>
  /** Batches that are decided, or under way, by location. */
  readonly #under = new Map<string, number>()
  readonly #deciding = new Set<string>()
  readonly #pauses = new LRUCache<string, Pause>({ max: 1_000 })

  /** `giveWay` is waited for between two pieces of work. */
  constructor(line: RoundLine, known: KnownLocations, giveWay: () => Promise<void>) {
    this.#line = line
    this.#known = known
    this.#giveWay = giveWay
  }

  /** Batches of the location are under way: what is known of it is what they will come to. */
  isBusy(locationId: string): boolean {
    return this.#under.has(locationId)
  }

  /** Whether it is worth trying, with the next batch of the location. */
  takes(locationId: string, seen: number): boolean {
    const isKnown = !this.#deciding.has(locationId) && this.#known.findHead(locationId, seen) !== undefined
    return isKnown && !this.#isPaused(locationId)
  }

  /**
   * Resolves after the commit with an outcome per record, or to undefined when nothing is written: something else is known
   * there by now, or an order is there already. `onSent` is called when the next batch may follow.
   */
  async write(locationId: string, pushed: Pushed, now: Date, onSent: () => void): Promise<RecordOutcome[] | undefined> {
    this.#under.set(locationId, (this.#under.get(locationId) ?? 0) + 1)
    try {
      return await this.#write(locationId, pushed, now, onSent)
    } finally {
      const left = (this.#under.get(locationId) ?? 1) - 1
      if (left > 0) this.#under.set(locationId, left)
      else this.#under.delete(locationId)
    }
  }

  async #write(
    locationId: string,
    { records, seen }: Pushed,
    now: Date,
    onSent: () => void,
  ): Promise<RecordOutcome[] | undefined> {
    const head = this.#known.findHead(locationId, seen)
    if (!head) return undefined
    const acceptedAt = acceptanceTime(head, now)
    const stored = { resource: resourceOf('order'), rows: new Map(), changed: new Set<string>() }
    const batch = new Batch(new Map([['order', stored]]), head.seq, acceptedAt)
    const outcomes: RecordOutcome[] = []
    const entries: NewEntry[] = []
    const latest = new Map<string, OrderRow>()
    this.#deciding.add(locationId)
    try {
      for (let at = 0; at < records.length; at += recordsPerTurn) {
        if (at > 0) await setImmediate().then(this.#giveWay)
        for (const record of records.slice(at, at + recordsPerTurn)) outcomes.push(batch.apply(record))
        const { changes, rows } = batch.take()
        entries.push(...toEntries({ locationId, head: { ...head, ...entries.at(-1) } }, changes, acceptedAt))
        for (const row of rows.flatMap((of) => of.rows as OrderRow[])) latest.set(row.id, row)
      }
      await this.#giveWay()
    } finally {
      this.#deciding.delete(locationId)
    }
    // Others had their turn: what was known may be known no longer.
    if (this.#known.findHead(locationId, seen) !== head) return undefined
    const { seq, hash } = entries.at(-1) ?? head
    const [orders, unseen] = [[...latest.values()], [...latest.keys()]]
    this.#known.rememberEnd(locationId, head, { epoch: head.epoch, seq, hash, acceptedAt })
    const writing = writeRound(this.#line, [{ locationId, before: head, entries, orders, unseen, days: batch.days }])
    onSent()
    try {
      if ((await writing).has(locationId)) {
        this.#pauses.delete(locationId)
        return outcomes
      }
    } catch (error) {
      this.#known.doubt(locationId)
      throw error
    }
    this.#known.doubt(locationId)
    this.#pause(locationId)
    return undefined
  }

  #isPaused(locationId: string): boolean {
    const pause = this.#pauses.get(locationId)
    if (!pause || pause.left === 0) return false
    pause.left -= 1
    return true
  }

  #pause(locationId: string): void {
    const length = Math.min(2 * (this.#pauses.get(locationId)?.length ?? 1), longestPause)
    this.#pauses.set(locationId, { left: length, length })
  }
}
