import { constants, gzip } from 'node:zlib'
import { isThroughConsole } from '../guard/door.ts'
import type { App } from '../server-types.ts'

/** Minimum bytes of an answer to compress: a smaller one fits into one packet. */
const fromBytes = 1_024

/** Compression level: makes text five times smaller, in a tenth of the time that the default level takes. */
const level = constants.Z_BEST_SPEED

/**
 * Compresses answers to the console, which may follow a restaurant for hours over a mobile connection. Programs get
 * uncompressed bytes. An answer in several parts is too large for a screen and stays uncompressed.
 */
export function compressForConsole(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isThroughConsole(request)) return done(null, payload)
    const isWanted = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (!isWanted || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return done(null, payload)
    const isSmall = payload.length < fromBytes || request.method === 'HEAD'
    if (isSmall || reply.hasHeader('content-encoding')) return done(null, payload)
    gzip(payload, { level }, (error, bytes) => {
      if (error) return done(error)
      reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
      reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].flat().filter(Boolean).join(', '))
      done(null, bytes)
    })
  })
}
