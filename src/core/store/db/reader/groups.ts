import type { Waiting } from '../patience.ts'
import type { ServerError } from './wire.ts'

/** Receives the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/**
 * A prepared statement; its parameters, of which the first is the location; the handler of its rows; and `limit`, the
 * maximum number of rows.
 */
export type Query = { text: string; parameters: readonly string[]; limit: number; row: RowHandler }

/**
 * A caller that waits for queries, answered one after the other. `answered` counts the queries answered; `isRepeated`:
 * it was sent again because of a stale statement.
 */
export type ReadRequest = {
  queries: readonly Query[]
  answered: number
  isRepeated: boolean
  resolve: () => void
  reject: (error: Error) => void
  waiting: Waiting<ReadRequest> | undefined
}

/** A statement, and the requests whose next query it is. */
export type Step = { query: Query; requests: ReadRequest[] }

/** Statements that the server executes in one transaction; the rows of the step `at` come next. */
export type Group = { steps: readonly Step[]; at: number; error: ServerError | null }

/** Maximum requests in a transaction: beginning and ending it costs the server more than looking up a document. */
const mostRequests = 16

/** Maximum rows in a transaction: the first of several pages stays in memory until all of them are read. */
const mostRows = 512

/**
 * Takes the oldest waiting request and those directly after it that have the same queries for other documents. Other
 * queries wait: they would delay these answers. Identical queries become one statement.
 */
export function takeGroup(waiting: ReadRequest[]): Group {
  const [first] = waiting as [ReadRequest]
  let count = 1
  let rows = rowsOf(first)
  for (const request of waiting.slice(1, mostRequests)) {
    rows += rowsOf(request)
    if (rows > mostRows || !asksAlike(first, request)) break
    count += 1
  }
  const requests = waiting.splice(0, count)
  const steps: Step[] = []
  for (let at = first.answered; at < first.queries.length; at += 1) steps.push(...stepsOf(requests, at))
  return { steps, at: 0, error: null }
}

const rowsOf = ({ queries }: ReadRequest) => queries.reduce((rows, { limit }) => rows + limit, 0)

function asksAlike(first: ReadRequest, { queries, answered }: ReadRequest): boolean {
  if (answered !== first.answered || queries.length !== first.queries.length) return false
  return first.queries.every(({ text }, at) => text === queries[at]?.text)
}

/** Returns the queries at one position in all requests; equal queries become one step. */
function stepsOf(requests: readonly ReadRequest[], at: number): Step[] {
  const steps: Step[] = []
  for (const request of requests) {
    const query = request.queries[at] as Query
    const same = steps.find((step) => haveSameParameters(step.query, query))
    if (same) same.requests.push(request)
    else steps.push({ query, requests: [request] })
  }
  return steps
}

const haveSameParameters = ({ parameters: some }: Query, { parameters: others }: Query) =>
  some.length === others.length && some.every((value, n) => value === others[n])
