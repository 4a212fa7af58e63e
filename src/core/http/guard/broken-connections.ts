import type { Socket } from 'node:net'
import { CountedRequest } from './counted-request.ts'
import type { Exchange } from './pipelines.ts'

/** Connections that close after the current answer. */
const ending = new WeakSet<Socket>()

/**
 * Handles invalid bytes on a connection whose last request was or will be answered: a response to these bytes would
 * interrupt that answer, or be taken for the next one. If the body of the request is still being received, its reader
 * gets `why` and answers. Returns false if no response is pending, so that the bytes need their own response.
 */
export function breakConnection(socket: Socket, last: Exchange | undefined, why: string): boolean {
  if (last === undefined) return false
  const { request, response } = last
  const isOfBody = !request.complete
  if (!isOfBody && response.writableFinished) return false
  // Each further packet causes the same error.
  if (ending.has(socket)) return true
  ending.add(socket)
  if (response.writableEnded) {
    // Closes as after a complete answer: a client that is still sending sees the answer (unread-bodies.ts).
    socket.destroySoon()
  } else if (response.headersSent) socket.destroy()
  else {
    response.setHeader('connection', 'close')
    if (isOfBody && request instanceof CountedRequest) request.breakOff(why)
  }
  return true
}
