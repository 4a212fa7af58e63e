import type { Pool } from '../../src/store/db/database.ts'

/** The statements of one transaction, in the order in which they were sent, without what begins and ends it. */
export type Transcript = string[]

/** From now on writes down what each transaction of a pool says; `transcripts` grows with each that has ended. */
export function watchTransactions(pool: Pool): { transcripts: Transcript[]; stop(): void } {
  const transcripts: Transcript[] = []
  const open = new Map<number, Transcript>()
  // The driver asks its options at each statement.
  const options = pool.options as { debug: unknown }
  options.debug = (connection: number, text: string) => {
    const statement = text.trim()
    const [word = ''] = statement.toLowerCase().split(/\s/, 1)
    const transcript = open.get(connection)
    if (word === 'begin') open.set(connection, [])
    else if (word !== 'commit' && word !== 'rollback') transcript?.push(statement)
    else {
      open.delete(connection)
      if (transcript) transcripts.push(transcript)
    }
  }
  return { transcripts, stop: () => void (options.debug = false) }
}

const writes = /\b(insert\s+into|update|delete\s+from)\s/i

/** What only changes the transaction itself. */
const ofItself = /^(set local|select\s+(set_config|pg_advisory_xact_lock)\b)/i

/** That of a round, which Citus never sees, skips what others have locked (decision 0076). */
const ofRound = /\bskip locked\b/i

/** A transaction that writes, and begins with something else (SQL rule 17). */
export function beginsLate(transcript: Transcript): boolean {
  const work = transcript.filter((statement) => !ofItself.test(statement))
  const [first = ''] = work
  if (ofRound.test(first)) return false
  return work.some((statement) => writes.test(withoutLocks(statement))) && !writes.test(withoutLocks(first))
}

/** A lock of a read names an update, too. */
const withoutLocks = (statement: string) => statement.replaceAll(/\bfor (no key )?update\b/gi, '')
