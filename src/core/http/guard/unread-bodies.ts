import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Arrivals } from './arrivals.ts'
import { CountedRequest } from './counted-request.ts'
import type { App } from '../server-types.ts'

/** How much of an unwanted body is read before the connection is closed: if none were read, its sender would not see the answer. */
type Patience = { bytes: number; ms: number }

/** Bytes and milliseconds for which a client may continue to send a refused body. */
const patience = {
  /** For a caller without a valid key. */
  stranger: { bytes: 64 * 1024, ms: 1_000 },
  /** For a caller with a key whose push was stopped before it had arrived completely: the answer says what was stored. */
  known: { bytes: 64 * 1024 * 1024, ms: 5_000 },
} satisfies Record<string, Patience>

/** A refused body up to this length is read to its end, so that the connection can be kept. */
const smallBody = 64 * 1024

/** Milliseconds between two checks of how many bytes have arrived. */
const lookEveryMs = 20

/**
 * Discards the rest of a body, one part per turn, so that the connection can be kept or its sender sees the answer. A
 * body in tiny pieces is not read further.
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

/** Ends the server's side of a connection, keeps reading within the limits, and closes it. */
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

/** Closes the connection of a small body whose rest does not arrive. */
function closeIfIncomplete({ raw }: FastifyRequest, ms: number): void {
  const timer = setTimeout(() => void (raw.complete || raw.socket.destroy()), ms)
  timer.unref()
  raw.once('close', () => clearTimeout(timer))
}

/** Returns whether the headers announce a body (RFC 9112, 6.3). */
const hasBody = ({ 'content-length': length, 'transfer-encoding': encoding }: IncomingHttpHeaders) =>
  encoding !== undefined || (length !== undefined && length !== '0')

/** Handles the connection after an answer whose request body was not read to its end, mostly a 401 or 403. */
function endUnreadBody(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request
  const limits = request.key === null ? patience.stranger : patience.known
  void drain(request, limits.ms)
  if (raw.complete) return
  const isBroken = raw instanceof CountedRequest && raw.broken !== undefined
  if (!isBroken && Number(raw.headers['content-length']) <= smallBody) return closeIfIncomplete(request, limits.ms)
  reply.header('connection', 'close')
  const { socket } = raw
  // The server calls this when the answer is sent. If the connection closed at once, a client that is still sending would never see it.
  socket.destroySoon = () => closePatiently(socket, limits)
}

/** Limits how much of a refused body is read, and then closes its connection (docs/inside/12-limits.md). */
export function closeUnreadBodies(app: App): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request
    if (hasBody(raw.headers) && !raw.readableEnded && !raw.destroyed) endUnreadBody(request, reply)
    done()
  })
}
