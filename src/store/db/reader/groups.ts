import type { Waiting } from '../patience.ts'
import type { ServerError } from './wire.ts'

/** Takes the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/**
 * One prepared statement with its parameters, and what becomes of its rows. What `isShared` has its location as its only
 * parameter, and is asked once for all batches of a transaction that would ask it next.
 */
export type Query = { text: string; parameters: readonly string[]; row: RowHandler; isShared?: boolean }

/** Queries that somebody asks together. */
export type Batch = {
  queries: readonly Query[]
  /** The query whose rows come next; those before it are answered. */
  at: number
  /** That a statement of it was unknown to the server, whose preparation was passed over, or known as it was before its tables changed. */
  isRepeated: boolean
  resolve: () => void
  reject: (error: Error) => void
  waiting: Waiting<Batch> | undefined
}

/** Batches that the server carries out in one transaction, and the place of the one whose answer comes now. */
export type Group = { batches: readonly Batch[]; at: number; error: ServerError | null }

/**
 * Batches of the same moment that share a transaction: to begin one, to end it and to send its answer costs the server more than
 * to look a document up. No more of them, for the server sends short answers when it has the last.
 */
const groupSize = 8

function asksAlike({ queries }: Batch, { queries: others }: Batch): boolean {
  for (let at = 0; at < queries.length; at += 1) if (queries[at]?.text !== others[at]?.text) return false
  return queries.length === others.length
}

/**
 * Takes the oldest of those that wait, with those behind it that ask the same of other documents: what takes longer would hold up
 * their answers.
 */
export function takeGroup(waiting: Batch[]): Batch[] {
  const most = Math.min(groupSize, waiting.length)
  let count = 1
  while (count < most && asksAlike(waiting[0] as Batch, waiting[count] as Batch)) count += 1
  return waiting.splice(0, count)
}

const nextOf = ({ queries, at }: Batch): Query | undefined => queries[at]

const isSame = (shared: Query, other: Query | undefined): boolean =>
  other?.isShared === true && other.text === shared.text && other.parameters[0] === shared.parameters[0]

/** Whether a batch before this one in its group asks what it would ask next. */
export function isAskedBefore(batches: readonly Batch[], batch: Batch): boolean {
  const query = nextOf(batch)
  if (!query?.isShared) return false
  for (const other of batches) {
    if (other === batch) return false
    if (isSame(query, nextOf(other))) return true
  }
  return false
}

/** The batches of a group that are told what is answered to a shared query: that in whose place the group is, and others behind it. */
export function sharing({ batches, at }: Group, query: Query): readonly Batch[] {
  return batches.filter((batch, place) => place >= at && isSame(query, nextOf(batch)))
}
