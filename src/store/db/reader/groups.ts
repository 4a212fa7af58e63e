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
  /** That a statement of it was unknown to the server, whose preparation was passed over. */
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

const asksAlike = ({ queries }: Batch, other: Batch | undefined): boolean =>
  queries.length === other?.queries.length && queries.every(({ text }, at) => text === other.queries[at]?.text)

/**
 * Takes the oldest of those that wait, with those behind it that ask the same of other documents: what takes longer would hold up
 * their answers.
 */
export function takeGroup(waiting: Batch[]): Batch[] {
  const [oldest] = waiting
  const most = Math.min(groupSize, waiting.length)
  let count = 1
  while (oldest && count < most && asksAlike(oldest, waiting[count])) count += 1
  return waiting.splice(0, count)
}

/** Whether both wait for the answer to the same shared query. */
function shares(batch: Batch, other: Batch): boolean {
  const [query, same] = [batch.queries[batch.at], other.queries[other.at]]
  return (
    query?.isShared === true &&
    same?.isShared === true &&
    query.text === same.text &&
    query.parameters[0] === same.parameters[0]
  )
}

/** The queries that a batch of a group has to ask itself. */
export function toAsk(batches: readonly Batch[], batch: Batch): readonly Query[] {
  const first = batches.find((other) => other === batch || shares(other, batch))
  return batch.queries.slice(first === batch ? batch.at : batch.at + 1)
}

/** Those whose query is answered now: the batch in whose place the group is, and all that share its query. */
export function answered({ batches, at }: Group): readonly Batch[] {
  const batch = batches[at]
  return batch ? batches.filter((other) => other === batch || shares(batch, other)) : []
}
