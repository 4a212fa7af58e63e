import { randomUUID } from 'node:crypto'
import type { OperatorNames } from '../domain/operator-names.ts'
import { isUnavailable, rehearse, transact, type Pool } from '../store/database.ts'
import { GroupCommit } from '../store/group-commit.ts'
import { KnownLocations } from '../store/known-locations.ts'
import { insertRejected, type RejectedRecord } from '../store/rejected.ts'
import { canShareRounds } from '../store/rounds.ts'
import { JournalRewound } from '../store/resumption.ts'
import { SeenHeads } from '../store/seen-heads.ts'
import { applyRecords } from './apply.ts'
import { applyKnown, applyRound, type Pushed } from './apply-round.ts'
import type { RecordOutcome } from './batch.ts'
import { cleanRejected, withNames } from './personal-data.ts'
import type { Incoming, Rejection } from './records.ts'
import { storedEntries, traced } from '../tracing.ts'

/** Records per transaction (docs/ingest.md). */
export const batchSize = 300

/** Text of one transaction's records, at most: a few large records do not make a large transaction. */
export const batchBytes = 4 * 1024 * 1024

/** A push of so much at most goes into a round, and so many records into one. */
const roundShare = { records: 25, bytes: 256 * 1024 }
const roundSize = 100

/** Text of the records that all pushes of a process hold, above which each holds one record at a time. */
const heldLimit = 64 * 1024 * 1024

/** What one push adds to a transaction. `keyId` is null for the command line. */
export type Submission = {
  records: readonly Incoming[]
  rejected: readonly Rejection[]
  /** Length of their text as it was sent. */
  bytes: number
  keyId: string | null
}

/** What a push of one location adds to a round. */
type Placed = { locationId: string; submission: Submission }

/** Rounds are of all locations and follow each other. */
const everywhere = ''

/** Orders alone, and few: what tills push one by one. */
function isSmall({ records, rejected, bytes }: Submission): boolean {
  if (rejected.length > 0 || records.length > roundShare.records || bytes > roundShare.bytes) return false
  return records.every(({ type }) => type === 'order')
}

/** One transaction that was committed: what it held, and the outcome of each record. */
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

export type WriterOptions = {
  /** Told of each location that was written to, after commit. */
  onCommit?: OnCommit
  /** How far this process has seen each journal. */
  seen?: SeenHeads
  operatorNames?: OperatorNames
  /** The connection of `openRounds`; without it every round is a transaction that looks first. */
  rounds?: Pool | undefined
}

/**
 * Writes what tills push, as a group commit (`store/group-commit.ts`): pushes of one location that arrive while a
 * transaction of it runs share the next one. Small pushes of orders share theirs across locations, in rounds: what single
 * pushes cost is mostly their transaction (decision 0076).
 */
export class Writer {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #onCommit: OnCommit
  readonly #seen: SeenHeads
  readonly #operatorNames: OperatorNames
  readonly #ownLine: Pool | undefined
  readonly #known = new KnownLocations()
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

  /** Counts text of records in that a push holds from now on, or out when negative. */
  hold(bytes: number): void {
    this.#held += bytes
  }

  now(): Date {
    return this.#clock()
  }

  /** The pushes of this process hold so much that each must commit what it has before it reads on. */
  get isFull(): boolean {
    return this.#held > heldLimit
  }

  /**
   * Resolves after commit, with an outcome per record in their order. Rejections are kept in the same transaction.
   * Throws `JournalRewound` for a location whose journal ends before what this process has seen of it.
   */
  async write(locationId: string, submission: Submission): Promise<RecordOutcome[]> {
    if (submission.records.length === 0 && submission.rejected.length === 0) return []
    const isForRound =
      isSmall(submission) && !this.#submissions.isBusy(locationId) && (await this.#findWhetherToShare())
    const outcomes = isForRound ? await this.#rounds.add(everywhere, { locationId, submission }) : undefined
    return outcomes ?? this.#submissions.add(locationId, submission)
  }

  /**
   * What `write` would answer, with nothing stored: the same transaction, rolled back. What a dry run told before is
   * not there for the next batch of it, and outcomes have no sequence.
   */
  async rehearse(locationId: string, { records }: Submission): Promise<RecordOutcome[]> {
    if (records.length === 0) return []
    const writing = { now: this.#clock(), seen: this.#seen.of(locationId) }
    const outcomes = await rehearse(this.#pool, (tx) =>
      applyRecords(tx, locationId, withNames(records, this.#operatorNames), writing),
    )
    return outcomes.map(({ status }) => ({ status }))
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
    this.#known.forget(locationId)
    const outcomes = await transact(this.#pool, async (tx) => {
      const applied = records.length > 0 ? await applyRecords(tx, locationId, records, writing) : []
      await insertRejected(tx, locationId, await cleanRejected(tx, locationId, rows, mode))
      return applied
    }).catch((error: unknown) => {
      if (error instanceof JournalRewound) this.#seen.report(error)
      throw error
    })
    this.#tell(locationId, { records, outcomes, rejected, durationMs: performance.now() - beganMs })
    let at = 0
    return submissions.map((submission) => outcomes.slice(at, (at += submission.records.length)))
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
    try {
      return await traced('transaction', () => applyKnown(line, pushed, now, this.#known))
    } catch (error) {
      // A pooler that nobody told of refuses the settings of the line (08P01), and a full server the line itself: nothing was sent.
      const isRefused = ['08P01', '53300'].includes(String((error as { code?: unknown }).code))
      if (isUnavailable(error) && !isRefused) throw error
      return new Map()
    }
  }

  #tell(locationId: string, batch: Committed): void {
    const { outcomes } = batch
    storedEntries(locationId, () => outcomes.flatMap(({ sequence }) => sequence ?? []))
    this.#seen.raise(locationId, outcomes.findLast(({ sequence }) => sequence !== undefined)?.sequence ?? 0)
    this.#onCommit(locationId, batch)
  }
}
