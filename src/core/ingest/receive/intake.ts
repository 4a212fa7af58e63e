import type { IngestAnswer } from '../../schemas/ingest.ts'
import type { RecordOutcome } from '../write/decide.ts'
import { isRejection, type Incoming, type Circumstances, type Rejection } from '../records.ts'
import { Tally } from './tally.ts'
import { EventLoopShare } from '../event-loop-share.ts'
import type { PushWatch, Watcher } from '../watching.ts'
import type { PushCounts } from './push-counts.ts'
import type { RejectedPruner } from './rejected-pruner.ts'
import { batchBytes, batchSize, type WriteQueue } from '../write/queue.ts'

/**
 * Reading stops beyond this many rejected records, or this much text of them, and after `atFirst` records if none was
 * usable. Such a body is not what its sender intended, and ten thousand verdicts would not help.
 */
const rejectedLimit = { records: 10_000, atFirst: 1_000, bytes: 64 * 1024 * 1024 }

export type Stopped = NonNullable<IngestAnswer['stopped']>

export type IntakeOptions = {
  /** Called after each commit with the line up to which the body is stored. */
  onProgress?: (lines: number) => void
  /** Counts the work done for this body, so that other requests get the event loop in between. */
  turns?: EventLoopShare
  /** Gives warnings about probable mistakes; without it there are none. */
  warner?: Watcher
  /** Counts what each till pushed. */
  pushes?: PushCounts | undefined
  /** Notified of stored rejected records. */
  rejected?: RejectedPruner | undefined
  /** Dry run: nothing is stored. */
  dryRun?: boolean
  /** Historical records, which cause no events. */
  isHistory?: boolean
}

/** Identifies the sender of a push: the location of the key, and the key (null for the command line). */
export type Pusher = {
  locationId: string
  keyId: string | null
  /** Checks the key again before each batch is stored. Resolves to the reason if it may no longer push. */
  recheck?: () => Promise<Omit<Stopped, 'line'> | undefined>
  /** Called with the sequence of each entry written. */
  wrote?: (sequence: number) => void
}

/** A batch up to a line, and the batch before it if that is in progress. */
type Storing = { line: number; bytes: number; after: Promise<void> | undefined; onSent: () => void }

/** Takes the records of one body in order and stores them in batches: up to two commit while the next is gathered. */
export class Intake {
  readonly #writer: WriteQueue
  readonly #keyId: string | null
  readonly #recheck: NonNullable<Pusher['recheck']>
  readonly #wrote: Pusher['wrote']
  readonly #tally = new Tally()
  readonly #onCommit: (lines: number) => void
  readonly turns: EventLoopShare
  readonly #options: IntakeOptions
  readonly #dryRun: boolean
  readonly #isHistory: boolean
  #push: PushWatch | undefined
  #locationId: string
  #batch: (Incoming | Rejection)[] = []
  #bytes = 0
  #line = 0
  #taken = 0
  /** Number of records rejected before storing; only the tally includes those rejected while storing. */
  #rejected = 0
  #rejectedBytes = 0
  #committing: Promise<void> = Promise.resolve()
  /** Number of batches given to the writer and not committed: at most two. */
  #under = 0
  /** The commit of the batch before the last. */
  #earlier: Promise<void> = Promise.resolve()
  /** Settles when the next batch may be given to the writer, possibly before the last one is committed. */
  #sent: Promise<void> = Promise.resolve()

  constructor(writer: WriteQueue, { locationId, keyId, recheck, wrote }: Pusher, options: IntakeOptions = {}) {
    this.#writer = writer
    this.#locationId = locationId
    this.#keyId = keyId
    this.#wrote = wrote
    this.#recheck = recheck ?? (async () => undefined)
    this.#onCommit = options.onProgress ?? (() => {})
    this.#options = options
    this.#dryRun = options.dryRun ?? false
    this.#isHistory = options.isHistory ?? false
    this.turns = options.turns ?? new EventLoopShare({ yieldTurn: () => writer.turn() })
  }

  get locationId(): string {
    return this.#locationId
  }

  /** Returns what is needed to read the next record: its location, and the check for warnings. Call it again after `moveTo`. */
  async circumstances(): Promise<Omit<Circumstances, 'line'>> {
    const [dryRun, isHistory] = [this.#dryRun, this.#isHistory]
    this.#push ??= await this.#options.warner?.begin(this.#locationId, { dryRun, isHistory })
    return { locationId: this.#locationId, warner: this.#push, now: this.#writer.now(), isHistory }
  }

  /**
   * Takes a record of `bytes` length. Returns a promise while the batch before the last is not committed, so the source
   * is read no faster than batches commit. The promise resolves to the reason to stop reading, if any, and rejects with
   * errors of the database.
   */
  take(record: Incoming | Rejection, bytes: number): Promise<Stopped | undefined> | undefined {
    this.#batch.push(record)
    this.#bytes += bytes
    this.#writer.hold(bytes)
    this.#line = record.line
    this.#taken += 1
    if (isRejection(record)) {
      this.#rejected += 1
      this.#rejectedBytes += bytes
    }
    const isBatchFull = this.#batch.length >= batchSize || this.#bytes >= batchBytes || this.#isHopeless
    return isBatchFull || this.#writer.isFull ? this.#pause() : undefined
  }

  /** Whether too much was rejected already, regardless of the records in progress. */
  get #isHopeless(): boolean {
    const { records, atFirst, bytes } = rejectedLimit
    const most = this.#rejected === this.#taken ? atFirst : records
    return this.#rejected > most || this.#rejectedBytes > bytes
  }

  /** Returns which limit of rejected records is exceeded; undefined if none is. */
  get #tooMany(): string | undefined {
    const { records, atFirst, bytes } = rejectedLimit
    const { usable } = this.#tally
    const rejected = Math.max(this.#rejected, this.#tally.rejected)
    if (this.#rejectedBytes > bytes) return `more than ${bytes / 1024 / 1024} MiB of records were rejected`
    if (rejected > records) return `more than ${records} records were rejected`
    return rejected > atFirst && usable === 0 ? `none of the first ${rejected} records could be used` : undefined
  }

  async #pause(): Promise<Stopped | undefined> {
    const ended = await this.#flush()
    if (ended) return ended
    if (this.#writer.isFull) await this.#committing
    // Records in progress may be usable.
    if (this.#tooMany !== undefined) await this.#committing
    const much = this.#tooMany
    if (much === undefined) return undefined
    return { line: this.#line, code: 'too_many_rejected', detail: `${much}: reading stopped` }
  }

  /** Discards records that are not stored yet, because reading failed. */
  abandon(): void {
    this.#writer.hold(-this.#bytes)
    this.#bytes = 0
    this.#batch = []
  }

  /** Continues with another location, or with new settings, after all earlier records are committed. */
  async moveTo(locationId: string): Promise<void> {
    await this.#flush()
    await this.#committing
    this.#locationId = locationId
    this.#push = undefined
    this.#options.warner?.forget?.(locationId)
  }

  /** Counts a record that was stored outside this intake, such as the record that creates its location. */
  note(record: Incoming, outcome: RecordOutcome): void {
    this.#tally.add([record], [outcome])
  }

  /** Commits the rest and returns the answer. */
  async finish(stopped?: Stopped): Promise<IngestAnswer> {
    const ended = await this.#flush()
    await this.#committing
    this.#push?.end()
    return this.#tally.answer(stopped ?? ended)
  }

  /** Begins to store the batch. Resolves to the reason if nothing more may be stored; the batch is then discarded. */
  async #flush(): Promise<Stopped | undefined> {
    const [records, line, bytes] = [this.#batch, this.#line, this.#bytes]
    this.#batch = []
    this.#bytes = 0
    const [first] = records
    if (!first) return undefined
    const ended = await Promise.all([this.#earlier, this.#sent])
      .then(() => this.#recheck())
      .catch((error: unknown) => {
        this.#writer.hold(-bytes)
        throw error
      })
    if (ended) {
      this.#writer.hold(-bytes)
      return { line: first.line, ...ended }
    }
    const sent = Promise.withResolvers<void>()
    const former = this.#under > 0 ? this.#committing : undefined
    this.#under += 1
    const storing = this.#store(records, { line, bytes, after: former, onSent: sent.resolve })
    this.#earlier = this.#committing
    this.#committing = storing.finally(() => (this.#under -= 1))
    this.#sent = Promise.race([sent.promise, this.#committing])
    // The next `await` throws a failure. Until then it must not be reported as an unhandled rejection.
    for (const promise of [this.#committing, this.#sent]) promise.catch(() => {})
    return undefined
  }

  #noteWritten(stored: readonly RecordOutcome[]): void {
    for (const one of stored) {
      if (one.status === 'accepted' && one.sequence !== undefined) this.#wrote?.(one.sequence)
    }
  }

  async #store(records: (Incoming | Rejection)[], { line, bytes, after, onSent }: Storing): Promise<void> {
    const push = this.#push
    const rejected = records.filter((record) => isRejection(record))
    const incoming = records.filter((record): record is Incoming => !isRejection(record))
    const submission = { records: incoming, rejected, bytes, keyId: this.#keyId, after, onSent }
    try {
      const stored = this.#dryRun
        ? await this.#writer.rehearse(this.#locationId, submission)
        : await this.#writer.write(this.#locationId, submission)
      // The answer has the records in their order.
      await after
      await push?.compare(incoming)
      this.#tally.add(records, stored)
      if (!this.#dryRun) this.#noteWritten(stored)
      if (!this.#dryRun) this.#options.pushes?.count(this.#locationId, incoming, stored)
      const accepted = incoming.filter((_, i) => stored[i]?.status === 'accepted')
      const hasRejected = rejected.length > 0 || stored.some(({ status }) => status === 'rejected')
      if (!this.#dryRun) await this.#keepNotices(push, incoming, { accepted, hasRejected })
    } finally {
      this.#writer.hold(-bytes)
    }
    this.#onCommit(line)
  }

  /** Stores warnings after the commit, in a separate transaction: they are in the answer even if they cannot be stored. */
  async #keepNotices(
    push: PushWatch | undefined,
    records: readonly Incoming[],
    { accepted, hasRejected }: { accepted: readonly Incoming[]; hasRejected: boolean },
  ): Promise<void> {
    await push?.keep(this.#keyId, records, accepted)
    if (hasRejected) await this.#options.rejected?.prune(this.#locationId)
  }
}
