import type { Waiting } from '../patience.ts'
import type { ServerError, BinaryParameters } from './wire.ts'

/** Takes the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/**
 * One prepared statement with its parameters, and what becomes of its rows. `done` is told what the server says of it. `led`
 * lets it leave to a query before it what that one reads for both.
 */
export type Query = {
  text: string
  parameters: readonly string[] | BinaryParameters
  row: RowHandler
  done?: (tag: string) => void
  led?: Led
}

/**
 * What is asked instead behind a query of the same text and location in one transaction, and that query; undefined when there was
 * none, and the whole was asked.
 */
export type Led = { text: string; locationId: string; by: Query | undefined }

/** Queries that somebody asks together. */
export type Batch = {
  queries: readonly Query[]
  /** Whose rows come now; those before it are answered. */
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

/**
 * Takes the oldest of those that wait, with those behind it that ask the same of other documents: what takes longer would hold up
 * their answers.
 */
export function takeGroup(waiting: Batch[]): Batch[] {
  const textOf = (batch: Batch | undefined) => batch?.queries[0]?.text
  const most = Math.min(groupSize, waiting.length)
  let count = 1
  while (count < most && textOf(waiting[count]) === textOf(waiting[0])) count += 1
  return waiting.splice(0, count)
}

/** The text of a query behind those that may lead it; it may lead others when none does. */
export function textBehind(leaders: Query[], query: Query): string {
  const { text, led } = query
  if (!led) return text
  led.by = leaders.find((leader) => leader.text === text && leader.led?.locationId === led.locationId)
  if (led.by) return led.text
  leaders.push(query)
  return text
}
