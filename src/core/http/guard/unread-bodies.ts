import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Arrivals } from './arrivals.ts'
import { CountedRequest } from './counted-request.ts'
import type { App } from '../server-types.ts'

/** How much of an unwanted body is read before the connection is closed. Without reading some, its sender would not see the answer. */
type Patience = { bytes: number; ms: number }

/** Bytes and milliseconds for which a client may continue to send a refused body. */
const patience = {
  /** For a caller without a valid key. */
  stranger: { bytes: 64 * 1024, ms: 1_000 },
  /** Of a caller with a key: its push was stopped in full flow, and the answer says what was stored. */
  known: { bytes: 64 * 1024 * 1024, ms: 5_000 },
} satisfies Record<string, Patience>

/** A refused body of at most this length is read to its end, so that the connection can be kept. */
const smallBody = 64 * 1024

/** Milliseconds between two checks of how many bytes have arrived. */
const lookEveryMs = 20

/**
 * Throws away what still comes of a body, a turn at a time, so that the connection can go on, or its sender sees the
 * answer. A body that comes in crumbs is not read on.
 */
async function drain({ raw }: FastifyRequest, ms: number): Promise<void> {
  const arrivals = new Arrivals(raw)
  const { socket } = raw
  const stop = () => arrivals.stop()
  socket.once('close', stop)
  try {
    while (await arrivals.next(ms));
  } catch {
    // The client has disconnected, so there is no response.
  } finally {
    socket.off('close', stop)
    stop()
  }
}

/** Ends our side of a connection, reads on for a while as patience allows, and closes it. */
function closePatiently(socket: Socket, { bytes, ms }: Patience): void {
  const before = socket.bytesRead
  const began = performance.now()
  socket.end()
  const looking = setInterval(() => {
    if (socket.bytesRead - before <= bytes && performance.now() - began <= ms && !socket.destroyed) return
    clearInterval(looking)
    socket.destroy()
  }, lookEveryMs)
  looking.unref()
}

/** Gives up a small body whose rest does not come. */
function closeIfIncomplete({ raw }: FastifyRequest, ms: number): void {
  const timer = setTimeout(() => void (raw.complete || raw.socket.destroy()), ms)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

/** Returns whether the headers announce a body (RFC 9112, 6.3). */
const hasBody = ({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders) =>
  encoding !== undefined || (length !== undefined && length !== '0')

/** The answer to a request whose body was not read to its end, 401 and 403 before all. */
function endUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request
  const limits = request.key === null ? patience.stranger : patience.known
  void drain(request, limits.ms)
  if (raw.complete) return
  const isBroken = raw instanceof CountedRequest && raw.broken !== undefined
  if (!isBroken && Number(raw.headers['content-length']) <= smallBody) return closeIfIncomplete(request, limits.ms)
  reply.header('connection', 'close')
  const { socket } = raw
  // The server calls this when the answer is out. Closed at once, a sender in full flow would never see the answer.
  socket.destroySoon = () => closePatiently(socket, limits)
}

/** Limits how long a refused body is read, and closes its connection after that (docs/inside/12-limits.md). */
export function closeUnreadBodies(app: App): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request
    if (hasBody(raw.headers) && !raw.readableEnded && !raw.destroyed) endUnreadBody(request, reply)
    done()
  })
}
