import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toMessages } from '../domain/messages.ts'
import { validationFailed } from '../errors.ts'
import type { EventType } from '../schemas/events.ts'
import { findHead, readEntries } from '../store/journal.ts'
import type { Context } from './context.ts'
import { waitForNews } from './wait-for-commit.ts'

/** A comment now and then keeps proxies from closing a quiet stream. */
const heartbeatMs = 15_000

const chunk = 100

function lastEventId(request: FastifyRequest): number | undefined {
  const text = request.headers['last-event-id']
  if (text === undefined || text === '') return undefined
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text)
  throw validationFailed([
    { in: 'header', pointer: '/last-event-id', code: 'invalid_integer', detail: 'Last-Event-ID must be a sequence' },
  ])
}

/**
 * Server-sent events until the client leaves or the server closes: `id` is the sequence, `event` the type, `data` the
 * body. Begins after `Last-Event-ID`, else after `after`, else with what comes next.
 */
export async function streamEvents(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  types: ReadonlySet<EventType>,
  asked: number | undefined,
): Promise<FastifyReply> {
  const { pool, hints, closing } = context
  const { locationId } = request.key
  let after = lastEventId(request) ?? asked ?? (await findHead(pool, locationId))?.seq ?? 0
  reply.hijack()
  const { raw } = reply
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }
  raw.writeHead(200, { 'x-request-id': request.id, 'x-accel-buffering': 'no', ...headers })
  raw.write('retry: 1000\n\n')
  let quietSince = Date.now()
  const isOver = () => raw.destroyed || closing.aborted
  const left = new AbortController()
  raw.once('close', () => left.abort())
  try {
    while (!isOver()) {
      const news = waitForNews(hints, locationId, quietSince + heartbeatMs)
      const entries = await readEntries(pool, locationId, after, chunk)
      for (const entry of entries) {
        const messages = toMessages(entry, types)
        // The number goes with the last event of a change: a stream cut in between sends the change again.
        const frames = messages.map(({ type, body }, i) => {
          const id = i === messages.length - 1 ? `id: ${entry.seq}\n` : ''
          return `${id}event: ${type}\ndata: ${body.toString()}\n\n`
        })
        if (frames.length > 0) quietSince = Date.now()
        if (frames.length > 0 && !raw.write(frames.join(''))) await once(raw, 'drain', { signal: left.signal })
        after = entry.seq
      }
      if (Date.now() - quietSince >= heartbeatMs) {
        raw.write(': still here\n\n')
        quietSince = Date.now()
      }
      if (entries.length < chunk && !isOver()) await news.arrived
      news.cancel()
    }
  } catch (error) {
    if (!left.signal.aborted)
      request.log.warn({ err: error }, 'the event stream ended early; the client resumes by Last-Event-ID')
  }
  raw.end()
  return reply
}
