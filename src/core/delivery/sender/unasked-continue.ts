import type { Socket } from 'node:net'

/** Maximum number of responses with status 100 before the final response; with more, the attempt fails. */
const mostContinues = 32

/** Maximum length of the head of such a response, in bytes. */
const longestHead = 16 * 1024

const beginning = 'HTTP/1.1 100'

/**
 * Returns where the head of a response with status 100 ends, 0 if more bytes are needed to decide; undefined for any
 * other response.
 */
function endOfContinue(bytes: Buffer): number | undefined {
  const text = bytes.toString('latin1', 0, beginning.length).replace('HTTP/1.0', 'HTTP/1.1')
  if (!beginning.startsWith(text)) return undefined
  const end = bytes.indexOf('\r\n\r\n')
  if (end >= 0) return end + 4
  return bytes.length > longestHead ? undefined : 0
}

/**
 * Removes unsolicited responses with status 100 (Continue): clients must accept them (RFC 9110, 15.2), but undici
 * closes the connection. After each write, incoming bytes are checked until another response begins.
 */
export function skipContinues(socket: Socket): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)]
  let isAwaited = false
  let skipped = 0
  let held: Buffer = Buffer.alloc(0)
  socket.write = ((...given: Parameters<typeof write>) => {
    if (!isAwaited) skipped = 0
    isAwaited = true
    return write(...given)
  }) as typeof socket.write
  socket.read = (size?: number) => {
    for (;;) {
      const chunk = read(size) as Buffer | null
      if (chunk === null || !isAwaited) return chunk
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      let end = endOfContinue(held)
      while (end !== undefined && end > 0 && skipped < mostContinues) {
        skipped += 1
        held = held.subarray(end)
        end = endOfContinue(held)
      }
      if (end === 0) continue
      const passed = held
      held = Buffer.alloc(0)
      isAwaited = false
      return passed
    }
  }
}
