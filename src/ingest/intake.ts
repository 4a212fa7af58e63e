import { setImmediate as turn } from 'node:timers/promises'
import type { IngestAnswer } from '../schemas/ingest.ts'
import type { RecordOutcome } from './apply.ts'
import { isRejection, type Incoming, type Rejection } from './records.ts'
import { Tally } from './tally.ts'
import { batchSize, type Writer } from './writer.ts'

/** Text of one transaction's records, at most: a few large records do not make a large transaction. */
const batchBytes = 4 * 1024 * 1024

/** After so many records, about a millisecond, the others have their turn. */
const recordsAtOnce = 25

/** A body with more bad records than this is not what its sender thinks it is: reading stops. */
const rejectedLimit = 10_000

export type Stopped = NonNullable<IngestAnswer['stopped']>

/** Who pushes: the location of the key, and the key (null for the command line). */
export type Pusher = {
  locationId: string
  keyId: string | null
  /** Looks at the key again; resolves to why it may push no more. Asked before each batch is stored. */
  recheck?: () => Promise<Omit<Stopped, 'line'> | undefined>
}

/** Takes the records of one body in order and stores them in batches: one commits while the next is gathered. */
export class Intake {
  readonly #writer: Writer
  readonly #keyId: string | null
  readonly #recheck: NonNullable<Pusher['recheck']>
  readonly #tally = new Tally()
  readonly #onCommit: (lines: number) => void
  #locationId: string
  #batch: (Incoming | Rejection)[] = []
  #bytes = 0
  #line = 0
  #committing: Promise<void> = Promise.resolve()

  constructor(writer: Writer, { locationId, keyId, recheck }: Pusher, onCommit: (lines: number) => void = () => {}) {
    this.#writer = writer
    this.#locationId = locationId
    this.#keyId = keyId
    this.#recheck = recheck ?? (async () => undefined)
    this.#onCommit = onCommit
  }

  get locationId(): string {
    return this.#locationId
  }

  /**
   * Takes a record of `bytes` length. Waits while the batch before the last is not committed, so that the source is
   * read no faster than it commits. Resolves to why reading must stop, if it must. Throws what the database throws.
   */
  async take(record: Incoming | Rejection, bytes: number): Promise<Stopped | undefined> {
    this.#batch.push(record)
    this.#bytes += bytes
    this.#line = record.line
    // Else the batch under way, and every other request, would wait until this one is read.
    if (record.line % recordsAtOnce === 0) await turn()
    if (this.#batch.length < batchSize && this.#bytes < batchBytes) return undefined
    const ended = await this.#flush()
    if (ended) return ended
    if (this.#tally.rejected < rejectedLimit) return undefined
    const detail = `${rejectedLimit} records were rejected: reading stopped`
    return { line: record.line, code: 'too_many_rejected', detail }
  }

  /** What follows belongs to another location; what came before is committed first. */
  async moveTo(locationId: string): Promise<void> {
    await this.#flush()
    await this.#committing
    this.#locationId = locationId
  }

  /** A record that was stored by other means. */
  note(record: Incoming, outcome: RecordOutcome): void {
    this.#tally.add([record], [outcome])
  }

  /** Commits what is left and answers. */
  async finish(stopped?: Stopped): Promise<IngestAnswer> {
    const ended = await this.#flush()
    await this.#committing
    return this.#tally.answer(stopped ?? ended)
  }

  /** Begins to store the batch. Resolves to why nothing more may be stored; the batch is left out then. */
  async #flush(): Promise<Stopped | undefined> {
    const [records, line] = [this.#batch, this.#line]
    this.#batch = []
    this.#bytes = 0
    const [first] = records
    if (!first) return undefined
    await this.#committing
    const ended = await this.#recheck()
    if (ended) return { line: first.line, ...ended }
    this.#committing = this.#store(records, line)
    // A failure is met at the next await; until then it must not count as unhandled.
    this.#committing.catch(() => {})
    return undefined
  }

  async #store(records: (Incoming | Rejection)[], line: number): Promise<void> {
    const rejected = records.filter((record) => isRejection(record))
    const incoming = records.filter((record): record is Incoming => !isRejection(record))
    const submission = { records: incoming, rejected, keyId: this.#keyId }
    this.#tally.add(records, await this.#writer.write(this.#locationId, submission))
    this.#onCommit(line)
  }
}
