import type { FastifyRequest } from 'fastify'
import type { Head } from '../../domain/journal/chain.ts'
import { AppError, validationFailed, type Fault } from '../../errors.ts'
import type { Process } from '../context.ts'

/**
 * The position of a reader of the feed: after a sequence number, and in the journal of an epoch if the reader gave
 * one.
 */
export type FeedCursor = { epoch: string | undefined; after: number }

/** Writes a position as it stands in the `id` of the event stream and in `Last-Event-ID`. */
export function writeCursor(epoch: string, seq: number): string {
  return `${epoch}_${seq}`
}

/** Reads `<epoch>_<sequence>`, or a sequence alone. Returns a fault for anything else. */
function readLastEventId(
  text: string | string[] | undefined,
  name: string,
  where: 'header' | 'query',
): FeedCursor | Fault | undefined {
  if (text === undefined || text === '') return undefined
  const match = typeof text === 'string' ? /^(?:([0-9a-f]{8})_)?(\d{1,15})$/.exec(text) : null
  if (match) return { epoch: match[1], after: Number(match[2]) }
  const pointer = `/${where === 'header' ? name.toLowerCase() : name}`
  const detail = `${name} must be the id of an event of this feed, <epoch>_<sequence>, or a sequence`
  return { in: where, pointer, code: 'invalid_cursor', detail }
}

/** What a request says of the place after which it reads. */
type CursorQuery = { epoch?: string; after?: number; lastEventId?: string; 'Last-Event-ID'?: string }

/**
 * Returns the place after which a page or a stream begins: that of the header `Last-Event-ID`, else of `lastEventId`, else of its
 * other spelling, else of `after`; undefined when none is given. `epoch` goes with any that names no epoch itself. Throws 400 for each that is
 * not of this form, used or not.
 */
export function readFeedCursor(query: CursorQuery, header: string | string[] | undefined): FeedCursor | undefined {
  const { epoch, after } = query
  const read = [
    readLastEventId(header, 'Last-Event-ID', 'header'),
    ...(['lastEventId', 'Last-Event-ID'] as const).map((name) => readLastEventId(query[name], name, 'query')),
  ].filter((one) => one !== undefined)
  const faults = read.filter((one) => 'code' in one)
  if (faults.length > 0) throw validationFailed(faults)
  const [first = after === undefined ? undefined : { epoch, after }] = read as FeedCursor[]
  return first && { epoch: first.epoch ?? epoch, after: first.after }
}

/** Reads the head of the key's location. A head that is lower than one shown before is logged and counted, once. */
export async function readHead({ pool, seenHeads }: Process, request: FastifyRequest): Promise<Head> {
  const { head, rewound } = await seenHeads.read(pool, request.key.locationId)
  if (rewound) request.log.error({ requestId: request.id }, rewound.message)
  return head
}

/**
 * Refuses a cursor that this journal never gave out: the reader would wait in silence while what it does not know
 * passes by below. Throws `epoch_changed` and `sequence_ahead`, both with `epoch` and `head`.
 */
export function assertCursor({ epoch, seq }: Head, cursor: FeedCursor): void {
  const members = { epoch, head: seq }
  if (cursor.epoch !== undefined && cursor.epoch !== epoch) {
    const detail = `the cursor is of the journal ${cursor.epoch}; this one is ${epoch} and ends at ${seq}: read it from after=0`
    throw new AppError('epoch_changed', detail, { members })
  }
  if (cursor.after <= seq) return
  throw new AppError('sequence_ahead', `the journal ends at ${seq}; ${cursor.after} was not given out by it`, {
    members,
  })
}
