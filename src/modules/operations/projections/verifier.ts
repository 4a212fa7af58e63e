import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ChainWalk } from '../domain/chain-walk.ts'
import { genesis, type ChainedEntry } from '../../../core/domain/journal/chain.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { listAsides, lyingIn } from '../../../core/store/journal/asides.ts'
import { getHead, readChain } from '../../../core/store/journal/journal.ts'
import { describeDamage, findDamage } from '../store/damage.ts'
import { findRedacted } from '../../../core/store/repair/redactions.ts'
import { recordUpkeep } from '../../../core/store/db/upkeep.ts'
import {
  beginVerification,
  listVerifications,
  updateVerification,
  type VerificationProgress,
  type VerificationRow,
} from '../store/verifications.ts'

/** Entries and bytes read at once: some milliseconds of work, and a bound on memory for documents of any size. */
const batch = { entries: 500, bytes: 4 * 2 ** 20 }

/** Interval at which the progress of a verification is stored. */
const saveEveryMs = 1_000

/** A verification that wrote no progress for this time ended with its process. */
const lostAfterMs = 60_000

const lostReason = 'the verifying process ended: start again'
const failedReason = 'the database did not answer: start again'
const stoppedReason = 'the server was stopped: start again'

type ChainPosition = { seq: number; hash: string }

/** Returns the verification as it is reported: without progress for too long, it counts as failed. */
export function asSeen(row: VerificationRow, now: Date): VerificationRow {
  if (row.state !== 'running' || row.seenAt.getTime() >= now.getTime() - lostAfterMs) return row
  return { ...row, state: 'failed', reason: lostReason, endedAt: row.seenAt }
}

export type VerifierOptions = {
  pool: Pool
  clock: () => Date
  /** Called for a failure. */
  onError?: (error: unknown) => void
}

/**
 * Runs requested verifications: one per location at a time, over all processes. The walks of this process take turns.
 * After each turn they rest for as long as it took, so together they use one connection and half a core.
 */
export class Verifier {
  readonly #options: VerifierOptions
  readonly #ending = new AbortController()
  readonly #walks = new Set<Promise<void>>()
  /** Settles after the last requested turn and the pause that follows it. */
  #tail: Promise<unknown> = Promise.resolve()

  constructor(options: VerifierOptions) {
    this.#options = options
  }

  /** Begins a verification. If a verification of the location is already running, resolves to that verification. */
  async begin(locationId: string, full: boolean): Promise<{ row: VerificationRow; isNew: boolean }> {
    const { pool, clock } = this.#options
    const now = clock()
    const head = await getHead(pool, locationId)
    const start = full ? { seq: 0, hash: genesis } : await this.#lastHeld(locationId, head)
    const row: VerificationRow = {
      locationId,
      id: randomUUID(),
      epoch: head.epoch,
      from: start.seq + 1,
      to: head.seq,
      toHash: head.hash,
      done: start.seq,
      doneHash: start.hash,
      state: 'running',
      brokenAt: null,
      reason: null,
      startedAt: now,
      seenAt: now,
      endedAt: null,
    }
    const lostBefore = new Date(now.getTime() - lostAfterMs)
    const running = await beginVerification(pool, row, { lostBefore, lostReason })
    const isNew = running.id === row.id
    if (isNew) this.#keep(row)
    return { row: running, isNew }
  }

  /** Ends the running walks; resolves when they have recorded that. */
  async close(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#walks)
  }

  /** Returns the end of the last walk of this journal; the start if it found a fault, or the journal was restored to an earlier state. */
  async #lastHeld(locationId: string, head: { epoch: string; seq: number }): Promise<ChainPosition> {
    const [last] = await listVerifications(this.#options.pool, locationId, 1)
    const goesOn = last && last.state !== 'broken' && last.epoch === head.epoch && last.done <= head.seq
    return goesOn ? { seq: last.done, hash: last.doneHash } : { seq: 0, hash: genesis }
  }

  #keep(row: VerificationRow): void {
    const walk = this.#run(row).catch((error: unknown) => this.#options.onError?.(error))
    this.#walks.add(walk)
    void walk.finally(() => this.#walks.delete(walk))
  }

  async #run(row: VerificationRow): Promise<void> {
    const { pool, clock, onError } = this.#options
    let at: ChainPosition = { seq: row.done, hash: row.doneHash }
    const save = (change: Partial<VerificationProgress> = {}) => {
      const progress = { done: at.seq, doneHash: at.hash, state: 'running', brokenAt: null, reason: null } as const
      return updateVerification(pool, row, { ...progress, seenAt: clock(), endedAt: null, ...change })
    }
    try {
      let savedAt = performance.now()
      while (at.seq < row.to) {
        const from = at
        const step = await this.#turn(() => this.#step(row, from))
        at = step.at
        if (step.fault !== undefined) return await this.#endBroken(row, step.fault, save)
        if (performance.now() - savedAt < saveEveryMs) continue
        savedAt = performance.now()
        if (!(await save())) return
      }
      if (at.hash === row.toHash) await save({ state: 'ok', endedAt: clock() })
      else await this.#endBroken(row, { at: at.seq, reason: 'its hash differs from the head of the journal' }, save)
    } catch (error) {
      const damage = await findDamage(pool, error).catch(() => undefined)
      if (damage) return this.#endBroken(row, { at: at.seq + 1, reason: describeDamage(damage) }, save)
      if (!this.#ending.signal.aborted) onError?.(error)
      const reason = this.#ending.signal.aborted ? stoppedReason : failedReason
      await save({ state: 'failed', reason, endedAt: clock() })
    }
  }

  async #endBroken(
    { locationId }: VerificationRow,
    { at, reason }: Fault,
    save: (change: Partial<VerificationProgress>) => Promise<boolean>,
  ): Promise<void> {
    const { pool, clock } = this.#options
    const now = clock()
    await save({ state: 'broken', brokenAt: at, reason, endedAt: now })
    await recordUpkeep(pool, locationId, 'verify', { at: now, ok: false })
  }

  /** Waits for a turn of this process and works; then pauses for as long as the work took, before the next turn. */
  #turn<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#ending
    const turn = this.#tail.then(async () => {
      signal.throwIfAborted()
      const began = performance.now()
      const done = await work()
      return { done, tookMs: performance.now() - began }
    })
    this.#tail = turn.then(({ tookMs }) => delay(tookMs, undefined, { signal, ref: false })).catch(() => undefined)
    return turn.then(({ done }) => done)
  }

  /** Walks one batch of entries. Redactions and archived versions are looked up only if an entry is invalid. */
  async #step({ locationId, to }: VerificationRow, from: ChainPosition): Promise<{ at: ChainPosition; fault?: Fault }> {
    const { pool } = this.#options
    const read = async () => (await readChain(pool, locationId, from.seq, batch)).filter(({ seq }) => seq <= to)
    const walked = walk(await read(), from, new Map())
    if (walked.fault === undefined && walked.at.seq > from.seq) return walked
    if (walked.fault === undefined) return { at: from, fault: { at: from.seq + 1, reason: 'the entry is missing' } }
    // A document may have been redacted after it was read: redactions and archives are read, then the entries again.
    const [redacted, asides] = [await findRedacted(pool, locationId), await listAsides(pool, locationId)]
    return walk(await read(), from, redacted, lyingIn(asides))
  }
}

type Fault = { at: number; reason: string }

function walk(
  entries: readonly ChainedEntry[],
  from: ChainPosition,
  redacted: ReadonlyMap<number, string>,
  isAside?: (seq: number) => boolean,
): { at: ChainPosition; fault?: Fault } {
  const walk = new ChainWalk(redacted, from, isAside)
  for (const entry of entries) {
    const { expected } = walk
    const reason = walk.fault(entry)
    if (reason !== undefined) return { at: walk, fault: { at: expected, reason } }
  }
  return { at: walk }
}
