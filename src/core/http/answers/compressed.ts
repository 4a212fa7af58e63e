import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { isThroughConsole } from '../guard/door.ts'
import type { App } from '../server-types.ts'

const compress = promisify(gzip)

/** Smaller answers fit one packet as they are. */
const fromBytes = 1_024

/** Five times smaller at a tenth of the time that the usual level takes. */
const level = constants.Z_BEST_SPEED

/**
 * Compresses what the console is answered: it follows a restaurant for hours over the line of a telephone. Programs get their bytes as
 * they are. An answer in several parts is too large for a screen, and passes.
 */
export function compressForConsole(app: App): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isWanted = isThroughConsole(request) && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (!isWanted || !(typeof payload === 'string' || Buffer.isBuffer(payload))) return payload
    if (payload.length < fromBytes || request.method === 'HEAD' || reply.hasHeader('content-encoding')) return payload
    const bytes = await compress(payload, { level })
    reply.header('content-encoding', 'gzip').header('content-length', bytes.length)
    reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].flat().filter(Boolean).join(', '))
    return bytes
  })
}
