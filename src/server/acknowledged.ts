import { isSystemError } from '../embedded/error.ts'
import { raiseHeads, readHeads } from '../embedded/heads.ts'
import { findHead } from '../store/journal/journal.ts'
import { JournalRewound } from '../store/journal/resumption.ts'
import type { SeenHeads } from '../store/journal/seen-heads.ts'
import type { Pool } from '../store/db/database.ts'
import type { Log } from './log.ts'

const keepEveryMs = 1_000

export type Keeping = {
  /** Keeps what was raised since, and ends. */
  close(): Promise<void>
}

const isFull = (error: unknown) => isSystemError(error, 'ENOSPC', 'EDQUOT')

/**
 * Takes over how far each journal was acknowledged before this process, and keeps beside the cluster of `home` how far it is
 * now: at most once a second, and apart from the pushes. So what was acknowledged in the last second before a kill may be missing
 * there; what is there was acknowledged. A journal that ends before it is told at once, and pushes to it are refused until
 * `tillgate resume`.
 */
export async function keepAcknowledged(pool: Pool, home: string, seen: SeenHeads, log: Log): Promise<Keeping> {
  const known = await readHeads(home).catch((err: unknown) => {
    log.warn({ err }, 'how far the journals were acknowledged cannot be read')
    return new Map<string, number>()
  })
  for (const [locationId, seq] of known) {
    seen.raise(locationId, seq)
    const head = await findHead(pool, locationId)
    if (head === undefined || head.seq >= seq) continue
    const rewound = new JournalRewound(locationId, seq, head.seq)
    if (seen.report(rewound)) log.error({ locationId, seen: seq, head: head.seq }, rewound.message)
  }
  seen.takeRaised()
  let unkept = new Map<string, number>()
  let isFailing = false
  const keep = async () => {
    for (const [locationId, seq] of seen.takeRaised()) unkept.set(locationId, seq)
    if (unkept.size === 0) return
    const keeping = unkept
    unkept = new Map()
    try {
      await raiseHeads(home, keeping)
      isFailing = false
    } catch (err) {
      unkept = new Map([...keeping, ...unkept])
      // A full disk is told by the disk's own watch.
      if (!isFailing && !isFull(err)) log.warn({ err }, 'how far the journals are acknowledged is not kept now')
      isFailing = true
    }
  }
  let last = Promise.resolve()
  const timer = setInterval(() => (last = last.then(keep)), keepEveryMs).unref()
  return {
    close: async () => {
      clearInterval(timer)
      await last.then(keep)
    },
  }
}
