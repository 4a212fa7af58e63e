import { toArrayText } from '../driver/values.ts'
import type { Waiting } from '../patience.ts'
import { numberAt, type ServerError } from './wire.ts'

/** Takes the first column of a row: bytes of `chunk`, which are valid only during the call. */
export type RowHandler = (chunk: Buffer, from: number, to: number) => void

/** One prepared statement with its parameters, and what becomes of its rows. */
export type Query = { text: string; parameters: readonly string[]; row: RowHandler }

/** Statements that find things of a location `$1` by their keys, of which there are no two alike. */
export type ByKey = {
  /** Asked before, in the same transaction; it takes the location alone. */
  before: string
  /** Selects one column for the key `$2`. */
  one: string
  /** Selects it for each of the keys `$2`, an array, behind the place of its key, which is 1 for the first, and a space. */
  many: string
}

/** One thing of a location, and what becomes of its rows. They may come twice, when others failed with it; the last ones count. */
export type Wanted = { by: ByKey; location: string; key: string; before: RowHandler; row: RowHandler }

/** What somebody asks at once: queries in their order, or one thing by its key. */
export type Asked = readonly Query[] | Wanted

/**
 * What somebody asks at once, and who waits for it. `isAlone`: it shares no transaction, for one that it shared has failed.
 * `isRepeated`: it was sent again for a stale statement.
 */
export type ReadRequest = {
  asked: Asked
  isAlone: boolean
  isRepeated: boolean
  resolve: () => void
  reject: (error: Error) => void
  waiting: Waiting<ReadRequest> | undefined
}

/** Requests that are answered when these queries are. */
export type Part = { requests: readonly ReadRequest[]; queries: readonly Query[] }

/** Parts that the server carries out in one transaction; the rows of the query `at` of the part `part` come next. */
export type Group = { parts: readonly Part[]; part: number; at: number; error: ServerError | null }

/** To begin a transaction and to end it costs the server more than to look a document up. */
const groupSize = 16

export const isWanted = (asked: Asked): asked is Wanted => 'by' in asked

/**
 * Takes the oldest of those that wait, with those behind it that ask the same of other documents: what takes longer would hold up
 * their answers.
 */
export function takeGroup(waiting: ReadRequest[]): Group {
  const [first] = waiting as [ReadRequest]
  const most = first.isAlone ? 1 : Math.min(groupSize, waiting.length)
  let count = 1
  while (count < most && asksAlike(first, waiting[count] as ReadRequest)) count += 1
  const requests = waiting.splice(0, count)
  const parts = isWanted(first.asked)
    ? [{ requests, queries: together(requests) }]
    : requests.map((request) => ({ requests: [request], queries: request.asked as readonly Query[] }))
  return { parts, part: 0, at: 0, error: null }
}

function asksAlike({ asked: first }: ReadRequest, { asked, isAlone }: ReadRequest): boolean {
  if (isAlone) return false
  if (isWanted(first) || isWanted(asked)) return isWanted(first) && isWanted(asked) && first.by === asked.by
  return first.length === asked.length && first.every(({ text }, at) => text === asked[at]?.text)
}

/** Two queries for each location: what is asked before, and its things. */
function together(requests: readonly ReadRequest[]): Query[] {
  const locations = new Map<string, Wanted[]>()
  for (const { asked } of requests) {
    const wanted = asked as Wanted
    const others = locations.get(wanted.location)
    if (others) others.push(wanted)
    else locations.set(wanted.location, [wanted])
  }
  return [...locations.values()].flatMap(queriesOf)
}

function queriesOf(wanted: readonly Wanted[]): [Query, Query] {
  const [{ by, location, key }] = wanted as [Wanted]
  const before: RowHandler = (chunk, from, to) => {
    for (const one of wanted) one.before(chunk, from, to)
  }
  const alike = wanted.length === 1 ? [wanted] : [...Map.groupBy(wanted, (one) => one.key).values()]
  const tell = (place: number, chunk: Buffer, from: number, to: number) => {
    for (const { row } of alike[place] ?? []) row(chunk, from, to)
  }
  return [
    { text: by.before, parameters: [location], row: before },
    alike.length === 1
      ? { text: by.one, parameters: [location, key], row: (chunk, from, to) => tell(0, chunk, from, to) }
      : {
          text: by.many,
          parameters: [location, toArrayText(alike.map(([one]) => one?.key ?? ''))],
          row: (chunk, from, to) => {
            const { number, end } = numberAt(chunk, from, to)
            tell(number - 1, chunk, end + 1, to)
          },
        },
  ]
}
