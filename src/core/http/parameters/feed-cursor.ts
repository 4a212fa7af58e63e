import type { FastifyRequest } from 'fastify'
import { findStray, type Lineage, type Position } from '../../domain/journal/lineage.ts'
import type { Head } from '../../domain/journal/chain.ts'
import { AppError, validationFailed, type Fault } from '../../contract/errors/errors.ts'
import { getHead } from '../../store/journal/journal.ts'
import { findHeadWithLineage } from '../../store/journal/resumption.ts'
import type { Process } from '../context.ts'

/** Formats a position as in the `id` of the event stream and in `Last-Event-ID`. */
export function writeCursor(epoch: string, seq: number): string {
  return `${epoch}_${seq}`
}

/** Reads `<epoch>_<sequence>`, or a sequence alone. Returns a fault for anything else. */
function readLastEventId(
  text: string | string[] | undefined,
  name: string,
  where: 'header' | 'query',
): Position | Fault | undefined {
  if (text === undefined || text === '') return undefined
  const match = typeof text === 'string' ? /^(?:([0-9a-f]{8})_)?(\d{1,15})$/.exec(text) : null
  if (match) return { epoch: match[1], after: Number(match[2]) }
  const pointer = `/${where === 'header' ? name.toLowerCase() : name}`
  const detail = `${name} must be the id of an event of this feed, <epoch>_<sequence>, or a sequence`
  return { in: where, pointer, code: 'invalid_cursor', detail }
}

/** The parameters of a request that name the position to read after. */
type CursorQuery = { epoch?: string; after?: number; lastEventId?: string; 'Last-Event-ID'?: string }

/**
 * Returns the position after which a page or a stream begins; undefined if none is given. The header `Last-Event-ID`
 * takes precedence over the parameters `lastEventId`, `Last-Event-ID` and `after`, in this order. `epoch` applies to a
 * position without an epoch of its own. Throws 400 if any of them has the wrong form, even one that is not used.
 */
export function readFeedCursor(query: CursorQuery, header: string | string[] | undefined): Position | undefined {
  const { epoch, after } = query
  const read = [
    readLastEventId(header, 'Last-Event-ID', 'header'),
    ...(['lastEventId', 'Last-Event-ID'] as const).map((name) => readLastEventId(query[name], name, 'query')),
  ].filter((one) => one !== undefined)
  const faults = read.filter((one) => 'code' in one)
  if (faults.length > 0) throw validationFailed(faults)
  const [first = after === undefined ? undefined : { epoch, after }] = read as Position[]
  return first && { epoch: first.epoch ?? epoch, after: first.after }
}

/** Reads the head and the lineage of a location, which must exist. */
export async function getHeadWithLineage(
  { pool }: Pick<Process, 'pool'>,
  locationId: string,
): Promise<Head & { lineage: Lineage }> {
  const head = await findHeadWithLineage(pool, locationId)
  if (!head) throw new Error(`location ${locationId} has no journal`)
  return head
}

/** Reads a head to show it. A head lower than one seen before is logged and counted, once. */
async function showHead<H extends Head>(
  { seenHeads }: Pick<Process, 'seenHeads'>,
  request: FastifyRequest,
  read: () => Promise<H>,
): Promise<H> {
  const { head, rewound } = await seenHeads.read(request.key.locationId, read)
  if (rewound) request.log.error({ requestId: request.id }, rewound.message)
  return head
}

/** Reads the head of the key's location to show it. */
export function readHead(context: Process, request: FastifyRequest): Promise<Head> {
  return showHead(context, request, () => getHead(context.pool, request.key.locationId))
}

/** Reads the head of the key's location to show it, with the lineage. */
export function readHeadWithLineage(context: Process, request: FastifyRequest): Promise<Head & { lineage: Lineage }> {
  return showHead(context, request, () => getHeadWithLineage(context, request.key.locationId))
}

/**
 * Refuses a position that this journal never had: its reader would wait forever, or miss the changes that replaced
 * those it read. Throws `epoch_changed` if the reader named an epoch that this journal left or never had, otherwise
 * `sequence_ahead`; both with the current `epoch`, the `head`, and the `after` from which the reader misses nothing.
 */
export function assertPosition(lineage: Lineage, head: number, position: Position): void {
  const stray = findStray(lineage, head, position)
  if (!stray) return
  const { epoch } = lineage.at(-1) as Lineage[number]
  const { after } = stray
  const goOn = `continue from after=${after} with epoch=${epoch}`
  const members = { epoch, head, after }
  if (stray.because === 'unknown') {
    const detail = `this journal never had the epoch ${position.epoch} of the cursor: the journal is in epoch ${epoch} and ends at ${head}; ${goOn}`
    throw new AppError('epoch_changed', detail, { members })
  }
  if (stray.because === 'left' && position.epoch !== undefined) {
    const detail = `the cursor is at ${position.after} of epoch ${position.epoch}, but that epoch ended at ${after}: later entries of that epoch are not in the journal; ${goOn}`
    throw new AppError('epoch_changed', detail, { members })
  }
  const detail =
    stray.because === 'left'
      ? `this journal skipped the sequence ${position.after} when it was restored to an earlier state; ${goOn}`
      : `the journal ends at ${head} and does not have ${position.after}; ${goOn}`
  throw new AppError('sequence_ahead', detail, { members })
}
