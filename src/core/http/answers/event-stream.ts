import { confirmCaller } from '../guard/auth.ts'
import { once } from 'node:events'
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Position } from '../../domain/journal/lineage.ts'
import { type Entry, toMessages } from '../../domain/journal/messages.ts'
import { AppError } from '../../contract/errors/errors.ts'
import type { EventType } from '../../schemas/events.ts'
import { readPage } from '../../store/journal/journal.ts'
import type { Reading, Guarding, ConsoleParts, Process, Shown } from '../context.ts'
import { assertPosition, readHeadWithLineage, writeCursor } from '../parameters/feed-cursor.ts'
import { waitForNews } from './wait-for-commit.ts'

export const streamType = 'text/event-stream; charset=utf-8'

/** Milliseconds between comments in a stream, which keep proxies from closing it while it is idle. */
const heartbeatMs = 15_000

/** Number of entries read from the journal at once. */
const chunk = 100

/** Bytes that a stream buffers while its client does not read; a single change may be larger. A key may have 20 streams. */
const chunkBytes = 1024 * 1024

type Page = Awaited<ReturnType<typeof readPage>>

/** An empty page, used when nothing new has come. */
const nothing: Page = { entries: [], isFull: false }

/** Returns an entry with the id of the resource in place of its document. */
const withoutDocument = (entry: Entry): Entry => ({ ...entry, document: Buffer.from(JSON.stringify({ id: entry.id })) })

/** Makes the events of a change. Only the last event carries the sequence: if the stream breaks before it, the change is sent again. */
function framesOf(entry: Page['entries'][number], types: ReadonlySet<EventType>): string[] {
  const messages = toMessages(entry, types)
  return messages.map(({ type, body }, i) => {
    const id = i === messages.length - 1 ? `id: ${writeCursor(entry.epoch, entry.seq)}\n` : ''
    return `${id}event: ${type}\ndata: ${body.toString()}\n\n`
  })
}

/**
 * Sends server-sent events until the client disconnects or the server closes: `id` is epoch and sequence, `event` the
 * type, `data` the body. The stream begins after the cursor, or with the next change.
 */
export async function streamEvents(
  context: Reading & Guarding & ConsoleParts & Process & Shown,
  request: FastifyRequest,
  reply: FastifyReply,
  { types, cursor, isLight }: { types: ReadonlySet<EventType>; cursor: Position | undefined; isLight: boolean },
): Promise<FastifyReply> {
  const { pool, hints, looks, closing, limits, metrics, access } = context
  const { locationId } = request.key
  const head = await readHeadWithLineage(context, request)
  if (cursor) assertPosition(head.lineage, head.seq, cursor)
  let after = cursor?.after ?? head.seq
  const most = { entries: chunk, bytes: Math.min(chunkBytes, limits.pageBytes) }
  reply.hijack()
  const { raw } = reply
  metrics.watchStream(raw)
  const headers = { 'content-type': streamType, 'cache-control': 'private, no-store' }
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), 'x-accel-buffering': 'no', ...headers })
  raw.write('retry: 1000\n\n')
  let quietSince = Date.now()
  const isOver = () => raw.destroyed || closing.aborted
  const left = new AbortController()
  raw.once('close', () => left.abort())
  const write = async (text: string) => {
    // Nothing more is written until the client reads: the connection of a client that does not read times out.
    if (!raw.write(text)) await once(raw, 'drain', { signal: left.signal })
  }
  try {
    let isToRead = true
    while (!isOver()) {
      const news = waitForNews(hints, locationId, quietSince + heartbeatMs)
      isToRead ||= await looks.isBeyond(locationId, after)
      const { entries, isFull }: Page = isToRead ? await readPage(pool, locationId, after, most) : nothing
      for (const entry of entries) {
        const frames = framesOf(isLight ? withoutDocument(entry) : entry, types)
        if (frames.length > 0) quietSince = Date.now()
        if (frames.length > 0) await write(frames.join(''))
        if (frames.length > 0) {
          access.handOut(request, { documents: frames.length, from: entry.seq, to: entry.seq })
          // Already counted; when the stream ends, only the range is read.
          request.handedOut = { documents: 0, from: request.handedOut?.from ?? entry.seq, to: entry.seq }
        }
        after = entry.seq
      }
      if (Date.now() - quietSince >= heartbeatMs) {
        await write(': still here\n\n')
        quietSince = Date.now()
      }
      isToRead = isFull || isOver() || (await news.arrived)
      news.cancel()
      // A stream may outlive its key.
      await confirmCaller(context, request.key)
    }
  } catch (error) {
    // A client that reconnects gets a 401 with the reason.
    if (error instanceof AppError && !raw.destroyed) raw.write(`: ended, ${error.code}\n\n`)
    else if (!left.signal.aborted)
      request.log.warn(
        { requestId: request.id, err: error },
        'the event stream ended early; the client resumes with Last-Event-ID',
      )
  }
  raw.end()
  return reply
}
