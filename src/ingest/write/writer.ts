import { randomUUID } from 'node:crypto'
import { toText } from '../../domain/documents/document-text.ts'
import type { OperatorNames } from '../../domain/redaction/operator-names.ts'
import { isUnavailable, rehearse, transact, type Pool } from '../../store/db/database.ts'
import { GroupCommit } from '../../store/db/group-commit.ts'
import { KnownLocations } from '../../store/pushes/known-locations.ts'
import { insertRejected, type RejectedRecord } from '../../store/pushes/rejected.ts'
import type { RoundLine } from '../../store/db/round-line.ts'
import { canShareRounds } from '../../store/pushes/rounds.ts'
import { JournalRewound } from '../../store/journal/resumption.ts'
import { SeenHeads } from '../../store/journal/seen-heads.ts'
import { applyRecords, type Applied } from './apply.ts'
import { applyKnown, applyRound, type Pushed } from './apply-round.ts'
import type { RecordOutcome, Refused } from './batch.ts'
import { KnownBatches } from './known-batches.ts'
import { cleanRejected, withNames } from './personal-data.ts'
import { keptOfRejected, type Incoming, type Rejection } from '../records.ts'
import { isOrders, isSmall, type Submission } from './submission.ts'
import { storedEntries, traced } from '../../tracing.ts'

/** Records per transaction (docs/ingest.md). */
export const batchSize = 300

/** Text of one transaction's records, at most: a few large records do not make a large transaction. */
export const batchBytes = 4 * 1024 * 1024

/** So many records at most go into a round. */
const roundSize = 100

/** A long push waits so long at most, in milliseconds, each time that it gives way to a round. */
const wayMs = 5

/** Bytes of records in memory, over all pushes of a process, above which each push holds one record at a time. */
const heldLimit = 64 * 1024 * 1024

/** What a push of one location adds to a round. */
type Placed = { locationId: string; submission: Submission }

/** Rounds are of all locations and follow each other. */
const everywhere = ''

/** Describes one transaction that was committed: what it held, and the outcome of each record. */
export type Committed = {
  records: readonly Incoming[]
  outcomes: readonly RecordOutcome[]
  rejected: readonly Rejection[]
  /** From asking for the transaction to its commit. */
  durationMs: number
}

type OnCommit = (locationId: string, batch: Committed) => void

function toRow(rejection: Rejection, keyId: string | null, receivedAt: Date): RejectedRecord {
  const { line, code, detail } = rejection
  const record = rejection.record.toWellFormed()
  return { id: randomUUID(), receivedAt, keyId, line, code, detail, errors: JSON.stringify(rejection.errors), record }
}

/** A record that was refused when it was to be stored, as it would have been stored. */
function refusedRow(record: Incoming, { fault }: Refused, keyId: string | null, now: Date): RejectedRecord {
  const { line, type, document, times } = record
  const { code, detail } = fault
  const at = { createdAt: now.toISOString(), updatedAt: now.toISOString(), ...times }
  const text = `{"type":"${type}","data":${toText(document(at))}}`.slice(0, keptOfRejected)
  return toRow({ line, code, detail, errors: [fault], record: text }, keyId, now)
}

export type WriterOptions = {
  /** Told of each location that was written to, after commit. */
  onCommit?: OnCommit
  /** How far this process has seen each journal. */
  seen?: SeenHeads
  operatorNames?: OperatorNames
  /** The connection of `openRounds`; without it every round is a transaction that looks first. */
  rounds?: RoundLine | undefined
  /** Another one, for long pushes; without it each batch of them is such a transaction. */
  batches?: RoundLine | undefined
}

/**
 * Writes what tills push, as a group commit (`store/db/group-commit.ts`): pushes of one location that arrive while a
 * transaction of it runs share the next one. Small pushes of orders share theirs across locations, in rounds: what single
 * pushes cost is mostly their transaction (decision 0076).
 */
export class Writer {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #onCommit: OnCommit
  readonly #seen: SeenHeads
  readonly #operatorNames: OperatorNames
  readonly #ownLine: RoundLine | undefined
  readonly #known = new KnownLocations()
  readonly #batches: KnownBatches | undefined
  readonly #submissions: GroupCommit<Submission, RecordOutcome[]>
  readonly #rounds: GroupCommit<Placed, RecordOutcome[] | undefined>
  #canShare: Promise<boolean> | undefined
  #held = 0

  constructor(pool: Pool, clock: () => Date, options: WriterOptions = {}) {
    const { onCommit = () => {}, seen = new SeenHeads(), operatorNames = 'keep' } = options
    this.#pool = pool
    this.#clock = clock
    this.#onCommit = onCommit
    this.#seen = seen
    this.#operatorNames = operatorNames
    this.#ownLine = options.rounds
    this.#batches = options.batches && new KnownBatches(options.batches, this.#known, () => this.giveWay())
    this.#submissions = new GroupCommit({
      commit: (locationId, submissions) =>
        traced('ingest batch', () => this.#commit(locationId, submissions), {
          attributes: () => ({ 'tillgate.location': locationId, 'tillgate.pushes': submissions.length }),
        }),
      sizeOf: ({ records, bytes }) => Math.max(records.length, (bytes / batchBytes) * batchSize),
      sizeLimit: batchSize,
    })
    this.#rounds = new GroupCommit({
      commit: (_, placed) =>
        traced('ingest batch', () => this.#commitRound(placed), {
          attributes: () => ({
            'tillgate.location': [...new Set(placed.map(({ locationId }) => locationId))].join(),
            'tillgate.pushes': placed.length,
          }),
        }),
      sizeOf: ({ submission }) => submission.records.length,
      sizeLimit: roundSize,
      gathers: true,
    })
  }

  /** Adds bytes of records that a push has in memory; a negative number subtracts. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  now(): Date {
    return this.#clock()
  }

  /** Whether the pushes of this process use so much memory that each must commit before it reads on. */
  get isFull(): boolean {
    return this.#held > heldLimit
  }

  /** What a long push waits for between two pieces of its work: the small pushes that are being written go first (decision 0101). */
  giveWay(): Promise<void> {
    return this.#rounds.letPass(everywhere, wayMs)
  }

  /**
   * Resolves after commit, with an outcome per record in their order. Rejections are kept in the same transaction.
   * Throws `JournalRewound` for a location whose journal ends before what this process has seen of it.
   */
  async write(locationId: string, submission: Submission): Promise<RecordOutcome[]> {
    if (submission.records.length === 0 && submission.rejected.length === 0) return []
    const outcomes = isSmall(submission)
      ? await this.#writeInRound(locationId, submission)
      : await this.#writeKnown(locationId, submission)
    if (outcomes) return outcomes
    await submission.after
    return this.#submissions.add(locationId, submission)
  }

  async #writeInRound(locationId: string, submission: Submission): Promise<RecordOutcome[] | undefined> {
    if (this.#submissions.isBusy(locationId) || this.#batches?.isBusy(locationId)) return undefined
    if (!(await this.#findWhetherToShare())) return undefined
    return this.#rounds.add(everywhere, { locationId, submission })
  }

  /** Undefined for what has to be looked at first. */
  async #writeKnown(locationId: string, submission: Submission): Promise<RecordOutcome[] | undefined> {
    const { onSent = () => {} } = submission
    const batches = this.#batches
    if (!batches || this.#submissions.isBusy(locationId) || !isOrders(submission)) return undefined
    if (!(await this.#findWhetherToShare())) return undefined
    const seen = this.#seen.of(locationId)
    if (!batches.takes(locationId, seen)) return undefined
    const beganMs = performance.now()
    const records = withNames(submission.records, this.#operatorNames)
    const write = async () => {
      const pushed = { records, seen }
      const outcomes = await traced('transaction', () => batches.write(locationId, pushed, this.#clock(), onSent))
      const durationMs = performance.now() - beganMs
      if (outcomes) this.#tell(locationId, { records, outcomes, rejected: [], durationMs })
      return outcomes
    }
    return this.#ordinarilyIfRefused(() =>
      traced('ingest batch', write, {
        attributes: () => ({ 'tillgate.location': locationId, 'tillgate.pushes': 1 }),
      }),
    )
  }

  /**
   * What `write` would answer, with nothing stored: the same transaction, rolled back. What a dry run told before is
   * not there for the next batch of it, and outcomes have no sequence.
   */
  async rehearse(locationId: string, { records }: Submission): Promise<RecordOutcome[]> {
    if (records.length === 0) return []
    const writing = { now: this.#clock(), seen: this.#seen.of(locationId) }
    const { outcomes } = await rehearse(this.#pool, (tx) =>
      applyRecords(tx, locationId, withNames(records, this.#operatorNames), writing),
    )
    return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome : { status: outcome.status }))
  }

  async #commit(locationId: string, submissions: readonly Submission[]): Promise<RecordOutcome[][]> {
    const now = this.#clock()
    const mode = this.#operatorNames
    const pushed = submissions.flatMap((submission) => submission.records)
    const records = withNames(pushed, mode)
    const beganMs = performance.now()
    const rejected = submissions.flatMap((submission) => submission.rejected)
    const rows = submissions.flatMap(({ rejected, keyId }) => rejected.map((one) => toRow(one, keyId, now)))
    const writing = { now, seen: this.#seen.of(locationId) }
    const applied = await transact(this.#pool, async (tx) => {
      const applied = records.length > 0 ? await applyRecords(tx, locationId, records, writing) : undefined
      const keyIds = submissions.flatMap(({ records, keyId }) => records.map(() => keyId))
      const refused = (applied?.outcomes ?? []).flatMap((outcome, i) =>
        outcome.status === 'rejected' ? [refusedRow(records[i] as Incoming, outcome, keyIds[i] ?? null, now)] : [],
      )
      await insertRejected(tx, locationId, await cleanRejected(tx, locationId, [...rows, ...refused], mode))
      return applied
    }).catch((error: unknown) => {
      if (error instanceof JournalRewound) this.#seen.report(error)
      this.#known.forget(locationId)
      throw error
    })
    if (applied) this.#remember(locationId, applied)
    const outcomes = applied?.outcomes ?? []
    this.#tell(locationId, { records, outcomes, rejected, durationMs: performance.now() - beganMs })
    let at = 0
    return submissions.map((submission) => outcomes.slice(at, (at += submission.records.length)))
  }

  /** Where persons were redacted every batch has to be looked at. */
  #remember(locationId: string, { before, after, isPlain }: Applied): void {
    if (isPlain) this.#known.rememberEnd(locationId, before, after)
    else this.#known.forget(locationId)
  }

  /** False while it cannot be determined: the database is unreachable, which the write itself will report. */
  #findWhetherToShare(): Promise<boolean> {
    this.#canShare ??= canShareRounds(this.#pool).catch(() => {
      this.#canShare = undefined
      return false
    })
    return this.#canShare
  }

  /** Undefined for a push whose location was left out of the round. */
  async #commitRound(placed: readonly Placed[]): Promise<(RecordOutcome[] | undefined)[]> {
    const now = this.#clock()
    const beganMs = performance.now()
    const records = (of: readonly Placed[]) => of.flatMap(({ submission }) => submission.records)
    const pushed = new Map(
      [...Map.groupBy(placed, ({ locationId }) => locationId)].map(([locationId, of]) => {
        return [locationId, { records: withNames(records(of), this.#operatorNames), seen: this.#seen.of(locationId) }]
      }),
    )
    const outcomes = await this.#applyKnown(pushed, now)
    const others = new Map([...pushed].filter(([locationId]) => !outcomes.has(locationId)))
    if (others.size > 0) {
      const applied = await transact(this.#pool, (tx) => applyRound(tx, others, now, this.#known))
      for (const [locationId, of] of applied) outcomes.set(locationId, of)
    }
    const durationMs = performance.now() - beganMs
    for (const [locationId, of] of outcomes) {
      const { records } = pushed.get(locationId) as Pushed
      this.#tell(locationId, { records, outcomes: of, rejected: [], durationMs })
    }
    const at = new Map<string, number>()
    return placed.map(({ locationId, submission }) => {
      const from = at.get(locationId) ?? 0
      at.set(locationId, from + submission.records.length)
      return outcomes.get(locationId)?.slice(from, from + submission.records.length)
    })
  }

  /** Writes the orders whose stored state is known, without reading it. Those that the database refuses take the usual way, which reports the reason. */
  async #applyKnown(pushed: ReadonlyMap<string, Pushed>, now: Date): Promise<Map<string, RecordOutcome[]>> {
    const line = this.#ownLine
    if (!line) return new Map()
    const applied = await this.#ordinarilyIfRefused(() =>
      traced('transaction', () => applyKnown(line, pushed, now, this.#known)),
    )
    return applied ?? new Map()
  }

  /** Undefined for what the database refuses when nobody looks first: it goes the other way, which tells why. */
  async #ordinarilyIfRefused<T>(write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write()
    } catch (error) {
      // An undetected pooler refuses the settings of the connection (08P01), and a full server the connection itself: nothing was sent.
      const isRefused = ['08P01', '53300'].includes(String((error as { code?: unknown }).code))
      if (isUnavailable(error) && !isRefused) throw error
      return undefined
    }
  }

  #tell(locationId: string, batch: Committed): void {
    const { outcomes } = batch
    storedEntries(locationId, () => outcomes.flatMap(({ sequence }) => sequence ?? []))
    this.#seen.raise(locationId, outcomes.findLast(({ sequence }) => sequence !== undefined)?.sequence ?? 0)
    this.#onCommit(locationId, batch)
  }
}
