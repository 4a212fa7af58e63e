import type { Pool } from '../../src/core/store/db/database.ts'
import { lookAt } from './sessions.ts'

/** The statements of one transaction, in the order of sending, without its begin and end. */
export type Transcript = string[]

/** Records the statements of each transaction of a pool from now on; `transcripts` grows when a transaction ends. */
export function watchTransactions(pool: Pool): { transcripts: Transcript[]; stop(): void } {
  const transcripts: Transcript[] = []
  const stop = lookAt(pool, () => {
    const transcript: Transcript = []
    return (text) => {
      if (/^(commit|rollback)\b/i.test(text)) transcripts.push(transcript)
      else if (!/^begin\b/i.test(text)) transcript.push(text)
    }
  })
  return { transcripts, stop }
}

const writes = /\b(insert\s+into|update|delete\s+from)\s/i

/** Statements that only affect the transaction itself. */
const ofItself = /^(set local|select\s+(set_config|pg_advisory_xact_lock)\b)/i

/** Returns whether a transaction writes, but begins with something else (SQL rule 17). */
export function beginsLate(transcript: Transcript): boolean {
  const work = transcript.filter((statement) => !ofItself.test(statement))
  const [first = ''] = work
  return work.some((statement) => writes.test(withoutLocks(statement))) && !writes.test(withoutLocks(first))
}

/** Removes locks, because a lock of a read contains `update` too. */
const withoutLocks = (statement: string) => statement.replaceAll(/\bfor (no key )?update\b/gi, '')
