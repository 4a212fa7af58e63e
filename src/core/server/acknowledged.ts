import { mkdir } from 'node:fs/promises'
import { isSystemError } from '../embedded/error.ts'
import { keepTimelines, raiseHeads, readHeads, readTimelines } from '../embedded/heads.ts'
import { timelines, type Pool } from '../store/db/database.ts'
import { findHead } from '../store/journal/journal.ts'
import { JournalRewound } from '../store/journal/resumption.ts'
import type { SeenHeads } from '../store/journal/seen-heads.ts'
import type { Log } from './log.ts'
import { noteLosses } from './losses.ts'

const keepEveryMs = 1_000

export type Keeping = {
  /** Saves the heads raised after the last save, and ends. */
  close(): Promise<void>
}

const isFull = (error: unknown) => isSystemError(error, 'ENOSPC', 'EDQUOT')

/**
 * Where data is stored that must survive a restore of the database: the directory `heads` for the acknowledged head of
 * each journal, `timelines` for the highest timeline of each cluster.
 */
export type Kept = { heads: string; timelines: string }

/** Whether the account has no access to the directory; the process then works without stored timelines and heads. */
const isClosed = (error: unknown) => isSystemError(error, 'EACCES', 'EPERM', 'ENOTDIR')

/** Loads the known timelines, for later connections. Without a readable file nothing is known. */
export async function loadTimelines(directory: string): Promise<void> {
  const known = await readTimelines(directory).catch((error: unknown) => {
    if (isClosed(error)) return new Map<string, string>()
    throw error
  })
  for (const [system, timeline] of known) timelines.raise(system, timeline)
}

/** Reads the acknowledged heads of journals, by location, for a command. A configured directory must be readable. */
export async function readAcknowledged(kept: Kept | null): Promise<Map<string, number>> {
  if (kept === null) return new Map()
  return readHeads(kept.heads).catch((error: unknown) => {
    if (kept.heads !== kept.timelines && isClosed(error)) return new Map<string, number>()
    throw error
  })
}

/**
 * Loads the heads that were acknowledged before this process started, and records missing entries as losses. A journal
 * that ends before its acknowledged head is logged.
 */
async function takeOver(pool: Pool, heads: string, seen: SeenHeads, log: Log): Promise<void> {
  const known = await readHeads(heads).catch((err: unknown) => {
    log.warn({ err }, 'the last acknowledged entries of the journals cannot be read')
    return new Map<string, number>()
  })
  await noteLosses(pool, known, log, new Date())
  for (const [locationId, seq] of known) {
    seen.raise(locationId, seq)
    const head = await findHead(pool, locationId)
    if (head === undefined || head.seq >= seq) continue
    const rewound = new JournalRewound(locationId, seq, head.seq)
    if (seen.report(rewound)) log.error({ locationId, seen: seq, head: head.seq }, rewound.message)
  }
  seen.takeRaised()
  seen.takePassed()
}

/**
 * Loads the acknowledged heads from before this process, records losses, and saves the current heads outside the
 * database, at most once a second and separately from the pushes. After a kill the heads of the last second may be
 * missing; every saved head was acknowledged. If `kept` is null, nothing is saved: heads are only in memory.
 */
export async function keepAcknowledged(pool: Pool, kept: Kept | null, seen: SeenHeads, log: Log): Promise<Keeping> {
  if (kept) await takeOver(pool, kept.heads, seen, log)
  let unkept = new Map<string, number>()
  let isFailing = false
  const keep = async ({ heads, timelines: directory }: Kept) => {
    for (const [locationId, seq] of seen.takeRaised()) unkept.set(locationId, seq)
    const keeping = unkept
    unkept = new Map()
    try {
      await mkdir(heads, { recursive: true, mode: 0o700 })
      if (keeping.size > 0) await raiseHeads(heads, keeping)
      // Another process may have connected to a newer server.
      await loadTimelines(directory)
      await keepTimelines(directory, timelines.all)
      isFailing = false
    } catch (err) {
      unkept = new Map([...keeping, ...unkept])
      // `watchDisk` reports a full disk.
      if (!isFailing && !isFull(err))
        log.warn({ err }, 'the last acknowledged entries of the journals cannot be recorded')
      isFailing = true
    }
  }
  const work = async () => {
    if (kept) await keep(kept)
    const passed = seen.takePassed()
    await noteLosses(pool, passed, log, new Date()).catch((err: unknown) => {
      for (const [locationId, seq] of passed) seen.passed(locationId, seq)
      log.debug({ err }, 'lost entries could not be searched for: retrying')
    })
  }
  let last = Promise.resolve()
  const timer = setInterval(() => (last = last.then(work)), keepEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await last.then(work)
    },
  }
}
