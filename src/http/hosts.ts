import type { IncomingMessage } from 'node:http'
import { AppError } from '../errors.ts'

const isHost = (name: string | undefined) => name?.length === 4 && name.toLowerCase() === 'host'

/**
 * Why a request names no host: HTTP/1.1 wants one `Host` header (RFC 9112, 3.2). With two of them a proxy in front may have
 * chosen by the other one. Its connection is closed, for what follows may be meant for others. Undefined for a good one.
 */
export function findHostFault({ rawHeaders, httpVersion }: IncomingMessage): AppError | undefined {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i])) count += 1
  if (count === 1 || (count === 0 && httpVersion === '1.0')) return undefined
  const detail = `a request has one Host header; this one has ${count === 0 ? 'none' : count}`
  return new AppError('request_malformed', detail, { headers: { connection: 'close' } })
}
