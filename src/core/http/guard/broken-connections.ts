import type { Socket } from 'node:net'
import { CountedRequest } from './counted-request.ts'
import type { Exchange } from './pipelines.ts'

/** Connections whose last answer is on its way out, after which they end. */
const ending = new WeakSet<Socket>()

/**
 * Handles invalid bytes on a connection whose last request was or will be answered: another response would interrupt
 * that one, or be a second one to the same request. If the body of the request is still being received, its reader
 * gets `why` and answers. Returns false if no response is pending, so that the bytes need their own response.
 */
export function breakConnection(socket: Socket, last: Exchange | undefined, why: string): boolean {
  if (last === undefined) return false
  const { request, response } = last
  const isOfBody = !request.complete
  if (!isOfBody && response.writableFinished) return false
  // More of the same comes with each packet.
  if (ending.has(socket)) return true
  ending.add(socket)
  if (response.writableEnded) {
    // As the answer's own end would do it: what was said of it is sent, and a sender in full flow sees it (unread-bodies.ts).
    socket.destroySoon()
  } else if (response.headersSent) socket.destroy()
  else {
    response.setHeader('connection', 'close')
    if (isOfBody && request instanceof CountedRequest) request.breakOff(why)
  }
  return true
}
