import { toText } from '../../domain/documents/document-text.ts'
import { randomUUID } from 'node:crypto'
import type { OperatorNames } from '../../domain/redaction/operator-names.ts'
import { isUnavailable, rehearse, transact, type Pool, type Transaction } from '../../store/db/database.ts'
import { GroupCommit } from '../../store/db/group-commit.ts'
import { SeenHeads } from '../../store/journal/seen-heads.ts'
import { JournalRewound } from '../../store/journal/resumption.ts'
import { KnownLocations } from '../../store/pushes/known-locations.ts'
import { insertRejected, type RejectedRecord } from '../../store/pushes/rejected.ts'
import { isOneServer } from '../../store/pushes/statement.ts'
import { storedEntries, traced } from '../../tracing.ts'
import { keptOfRejected } from '../record-limits.ts'
import type { Incoming, Rejection } from '../records.ts'
import { nextBodyTurn } from '../event-loop-share.ts'
import type { RecordOutcome, Refused } from './decide.ts'
import { Fast, type Outcomes, type Pushed } from './fast.ts'
import { applyRecords } from './locked.ts'
import { cleanRejected, withNames } from './personal-data.ts'

/** Maximum number of records per transaction (docs/contract/ingest.md). */
export const batchSize = 300

/** Maximum bytes of one transaction's records, so that a few large records do not make a large transaction. */
export const batchBytes = 4 * 1024 * 1024

/** Limits of a push that shares a statement with other locations, and the number of records in one statement. */
const shared = { records: 25, bytes: 256 * 1024, atOnce: 100 }

/** Maximum time that a long push waits for small ones, each time that it lets them pass, in milliseconds. */
const giveWayMs = 5

/** How long the fast path is not tried after the server refused a connection for it, in milliseconds. */
const restMs = 1_000

/** Bytes of records in memory, over all pushes of a process, above which each push holds one record at a time. */
const heldLimit = 64 * 1024 * 1024

/** What one push adds to a transaction. `keyId` is null for the command line. */
export type Submission = {
  records: readonly Incoming[]
  rejected: readonly Rejection[]
  /** Length of the records as sent, in bytes. */
  bytes: number
  keyId: string | null
  /** Settles when the previous batch of the push does; this batch is stored only after that one. */
  after?: Promise<unknown> | undefined
  /** Called when the next batch may be given. */
  onSent?: () => void
  /** Runs in the transaction of the records, under the lock: an error that it throws rolls them back. */
  alongside?: (tx: Transaction, outcomes: readonly RecordOutcome[]) => Promise<void>
}

/** The part of one push in a shared statement. */
type Placed = { locationId: string; submission: Submission }

/** The queue of shared statements, which span locations and run one after another. */
const everywhere = ''

/** What was committed together at one location: the records, and the outcome of each. */
export type Committed = {
  records: readonly Incoming[]
  outcomes: readonly RecordOutcome[]
  rejected: readonly Rejection[]
  /** Milliseconds from requesting the transaction to its commit. */
  durationMs: number
}

type OnCommit = (locationId: string, batch: Committed) => void

function toRow(rejection: Rejection, keyId: string | null, receivedAt: Date): RejectedRecord {
  const { keptAs: id = randomUUID(), line, code, detail } = rejection
  const record = rejection.record.toWellFormed()
  return { id, receivedAt, keyId, line, code, detail, errors: JSON.stringify(rejection.errors), record }
}

/** Makes the row of a rejected record from a valid record that conflicts with stored data. */
function refusedRow(record: Incoming, { fault }: Refused, keyId: string | null, now: Date): RejectedRecord {
  const { line, type, document, times } = record
  const { code, detail } = fault
  const at = { createdAt: now.toISOString(), updatedAt: now.toISOString(), ...times }
  const text = `{"type":"${type}","data":${toText(document(at))}}`.slice(0, keptOfRejected)
  return toRow({ line, code, detail, errors: [fault], record: text }, keyId, now)
}

/** Whether a push has only orders, all of them valid. */
const isOrders = ({ records, rejected }: Submission) =>
  rejected.length === 0 && records.every(({ type }) => type === 'order')

/** Whether a push is small: it has few records and no previous batch, as when a till pushes orders one by one. */
const isSmall = ({ records, bytes, after }: Submission) =>
  after === undefined && records.length <= shared.records && bytes <= shared.bytes

export type WriteQueueOptions = {
  /** Called for each location that was written to, after commit. */
  onCommit?: OnCommit
  /** The highest sequence of each journal seen by this process. */
  seen?: SeenHeads
  operatorNames?: OperatorNames
  /** Connections of `openWriteConnection`, for small pushes and for long ones; without them everything is written under the lock. */
  connections?: WriteConnections | undefined
}

export type WriteConnections = { small: Pool; long: Pool }

/** Batches of a long push being decided or written. */
type Under = { count: number; isDeciding: boolean }

/**
 * Writes what tills push, in one of two ways (docs/inside/02-write-path.md). Orders go the fast path: small pushes of all locations
 * that arrive during a statement share the next one, and a long push may have two batches in progress. Everything else, and what
 * the fast path refuses, is written under the lock of its location, where pushes of one location share transactions.
 */
export class WriteQueue {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #onCommit: OnCommit
  readonly #seen: SeenHeads
  readonly #operatorNames: OperatorNames
  readonly #connections: WriteConnections | undefined
  readonly #known = new KnownLocations()
  readonly #fast = new Fast(this.#known)
  readonly #locked: GroupCommit<Submission, RecordOutcome[]>
  readonly #shared: GroupCommit<Placed, RecordOutcome[] | undefined>
  readonly #under = new Map<string, Under>()
  #isOneServer: Promise<boolean> | undefined
  #restsUntil = -Infinity
  #held = 0

  constructor(pool: Pool, clock: () => Date, options: WriteQueueOptions = {}) {
    const { onCommit = () => {}, seen = new SeenHeads(), operatorNames = 'keep', connections } = options
    this.#pool = pool
    this.#clock = clock
    this.#onCommit = onCommit
    this.#seen = seen
    this.#operatorNames = operatorNames
    this.#connections = connections
    this.#locked = new GroupCommit({
      commit: (locationId, submissions) =>
        tracedBatch([locationId], submissions.length, () => this.#commitLocked(locationId, submissions)),
      sizeOf: ({ records, bytes }) => Math.max(records.length, (bytes / batchBytes) * batchSize),
      sizeLimit: batchSize,
    })
    this.#shared = new GroupCommit({
      commit: (_, placed) => {
        const locationIds = [...new Set(placed.map(({ locationId }) => locationId))]
        return tracedBatch(locationIds, placed.length, () => this.#commitShared(placed))
      },
      sizeOf: ({ submission }) => submission.records.length,
      sizeLimit: shared.atOnce,
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

  /** Awaited by a long push between two pieces of work: small pushes being written go first, then other requests. */
  turn(): Promise<void> {
    return this.#shared.letPass(everywhere, giveWayMs).then(nextBodyTurn)
  }

  /**
   * Resolves after commit, with an outcome per record in their order. Rejections are stored in the same transaction.
   * Throws `JournalRewound` for a location whose journal ends before a sequence that this process has seen.
   */
  async write(locationId: string, submission: Submission): Promise<RecordOutcome[]> {
    const { records, rejected, alongside } = submission
    if (records.length === 0 && rejected.length === 0 && !alongside) return []
    const outcomes = await this.#writeFast(locationId, submission)
    if (outcomes) return outcomes
    await submission.after
    return this.#locked.add(locationId, submission)
  }

  /**
   * Resolves to the answer of `write`, and stores nothing: it runs under the lock and is rolled back. Later batches of
   * a dry run do not see earlier ones, and outcomes have no sequence.
   */
  async rehearse(locationId: string, { records }: Submission): Promise<RecordOutcome[]> {
    if (records.length === 0) return []
    const writing = { now: this.#clock(), seen: this.#seen.of(locationId) }
    const { outcomes } = await rehearse(this.#pool, (tx) =>
      applyRecords(tx, locationId, withNames(records, this.#operatorNames), writing),
    )
    return outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome : { status: outcome.status }))
  }

  /** Tries the fast path; resolves to undefined if the push must be written under the lock. */
  async #writeFast(locationId: string, submission: Submission): Promise<RecordOutcome[] | undefined> {
    const connections = this.#connections
    if (!connections || submission.alongside || !isOrders(submission) || performance.now() < this.#restsUntil)
      return undefined
    if (!(await this.#findWhetherOneServer())) return undefined
    // Fast and locked writes to one location at the same time would only refuse each other.
    if (this.#locked.isBusy(locationId) || !this.#known.isPlain(locationId)) return undefined
    if (!isSmall(submission)) return this.#writeLong(connections.long, locationId, submission)
    return this.#under.has(locationId) ? undefined : this.#shared.add(everywhere, { locationId, submission })
  }

  async #writeLong(connection: Pool, locationId: string, submission: Submission): Promise<RecordOutcome[] | undefined> {
    const under = this.#under.get(locationId) ?? { count: 0, isDeciding: false }
    if (under.isDeciding || under.count === 2) return undefined
    const beganMs = performance.now()
    const records = withNames(submission.records, this.#operatorNames)
    const pushed = new Map([[locationId, { records, seen: this.#seen.of(locationId) }]])
    const attempt = (mayRead: boolean) => {
      under.isDeciding = true
      let isMine = true
      const decided = () => {
        if (isMine) under.isDeciding = isMine = false
      }
      const onSent = () => {
        decided()
        submission.onSent?.()
      }
      const options = { mayRead, turn: () => this.turn(), onSent }
      return this.#attempt(() => this.#fast.write(connection, pushed, this.#clock(), options)).finally(decided)
    }
    under.count += 1
    this.#under.set(locationId, under)
    try {
      return await tracedBatch([locationId], 1, async () => {
        let outcomes = await attempt(submission.after === undefined)
        if (outcomes?.size === 0 && this.#known.isPlain(locationId)) {
          // The state read next must include the previous batch.
          await submission.after
          if (!under.isDeciding) outcomes = await attempt(true)
        }
        const of = outcomes?.get(locationId)
        const durationMs = performance.now() - beganMs
        if (of) this.#noteCommit(locationId, { records, outcomes: of, rejected: [], durationMs })
        return of
      })
    } finally {
      under.count -= 1
      if (under.count === 0) this.#under.delete(locationId)
    }
  }

  /** Resolves to an outcome for each push; undefined for a push that must be written under the lock. */
  async #commitShared(placed: readonly Placed[]): Promise<(RecordOutcome[] | undefined)[]> {
    const now = this.#clock()
    const beganMs = performance.now()
    const { small } = this.#connections as WriteConnections
    const pushed = new Map<string, Pushed>()
    for (const [locationId, of] of Map.groupBy(placed, (one) => one.locationId)) {
      const records = of.flatMap(({ submission }) => submission.records)
      pushed.set(locationId, { records: withNames(records, this.#operatorNames), seen: this.#seen.of(locationId) })
    }
    const options = { mayRead: true, turn: async () => {} }
    const write = (of: Map<string, Pushed>) => this.#attempt(() => this.#fast.write(small, of, now, options))
    const outcomes = await write(pushed)
    const again = [...pushed].filter(([id]) => outcomes && !outcomes.has(id) && this.#known.isPlain(id))
    if (again.length > 0) for (const [id, of] of (await write(new Map(again))) ?? []) outcomes?.set(id, of)
    const durationMs = performance.now() - beganMs
    for (const [locationId, of] of outcomes ?? []) {
      const { records } = pushed.get(locationId) as Pushed
      this.#noteCommit(locationId, { records, outcomes: of, rejected: [], durationMs })
    }
    const at = new Map<string, number>()
    return placed.map(({ locationId, submission }) => {
      const from = at.get(locationId) ?? 0
      at.set(locationId, from + submission.records.length)
      return outcomes?.get(locationId)?.slice(from, from + submission.records.length)
    })
  }

  /** Runs a write; resolves to undefined if the database refuses it, so that each push is written under the lock. */
  async #attempt(write: () => Promise<Outcomes>): Promise<Outcomes | undefined> {
    try {
      return await traced('transaction', write)
    } catch (error) {
      // An undetected pooler refuses the settings of the connection (08P01), and a full server the connection itself: nothing was sent.
      const isRefused = ['08P01', '53300'].includes(String((error as { code?: unknown }).code))
      if (isUnavailable(error) && !isRefused) throw error
      if (isRefused) this.#restsUntil = performance.now() + restMs
      return undefined
    }
  }

  async #commitLocked(locationId: string, submissions: readonly Submission[]): Promise<RecordOutcome[][]> {
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
      const shared = shareOut(submissions, applied?.outcomes ?? [])
      for (const [i, { alongside }] of submissions.entries()) await alongside?.(tx, shared[i] ?? [])
      return applied
    }).catch((error: unknown) => {
      if (error instanceof JournalRewound) this.#seen.report(error)
      this.#known.forget(locationId)
      throw error
    })
    if (applied) {
      this.#known.setPlain(locationId, applied.isPlain)
      this.#known.rememberEnd(locationId, applied.before, applied.after)
    }
    const outcomes = applied?.outcomes ?? []
    this.#noteCommit(locationId, { records, outcomes, rejected, durationMs: performance.now() - beganMs })
    return shareOut(submissions, outcomes)
  }

  /** Returns whether a statement is one transaction; false if the database is unreachable: the write reports that. */
  #findWhetherOneServer(): Promise<boolean> {
    this.#isOneServer ??= isOneServer(this.#pool).catch(() => {
      this.#isOneServer = undefined
      return false
    })
    return this.#isOneServer
  }

  #noteCommit(locationId: string, batch: Committed): void {
    const { outcomes } = batch
    storedEntries(locationId, () => outcomes.flatMap(({ sequence }) => sequence ?? []))
    this.#seen.raise(locationId, outcomes.findLast(({ sequence }) => sequence !== undefined)?.sequence ?? 0)
    this.#onCommit(locationId, batch)
  }
}

/** Gives each submission the outcomes of its records. */
function shareOut(submissions: readonly Submission[], outcomes: readonly RecordOutcome[]): RecordOutcome[][] {
  let at = 0
  return submissions.map(({ records }) => outcomes.slice(at, (at += records.length)))
}

function tracedBatch<T>(locationIds: readonly string[], pushes: number, work: () => Promise<T>): Promise<T> {
  return traced('ingest batch', work, {
    attributes: () => ({ 'tillgate.location': locationIds.join(), 'tillgate.pushes': pushes }),
  })
}
