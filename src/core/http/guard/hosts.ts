import type { IncomingMessage } from 'node:http'
import { AppError } from '../../contract/errors/errors.ts'

const isHost = (name: string | undefined) => name?.length === 4 && name.toLowerCase() === 'host'

/** Returns the host of an authority, normalized as for http (`EXAMPLE:80` is `example`); undefined for any other text. */
const toHost = (authority: string) => URL.parse(`http://${authority}`)?.host

/** Returns the host of a target in absolute form (RFC 9112, 3.2.2); undefined for any other form. */
function targetHost(target = '/'): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}

function findHostFault({ rawHeaders, httpVersion, headers }: IncomingMessage, target: string): string | undefined {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i])) count += 1
  if (count > 1 || (count === 0 && httpVersion !== '1.0'))
    return `a request must have one Host header; this one has ${count === 0 ? 'none' : count}`
  const named = targetHost(target)
  if (named === undefined || count === 0 || toHost(named) === toHost(headers.host ?? '')) return undefined
  return 'the target of the request and its Host header name different hosts: send the same in both'
}

/** Returns why a body has no certain end: Node ignores codings before `chunked`, and takes them in HTTP/1.0 too. */
function findEndFault({ headers, httpVersion }: IncomingMessage): string | undefined {
  const coding = headers['transfer-encoding']
  if (coding === undefined || (coding.toLowerCase() === 'chunked' && httpVersion !== '1.0')) return undefined
  return 'the only supported Transfer-Encoding is chunked, in HTTP/1.1'
}

/**
 * Returns an error if a proxy in front may understand the request differently; undefined if not. HTTP/1.1 requires one
 * host (RFC 9112, 3.2), and a body with an unambiguous end (RFC 9112, 6.1). `target` is as it was sent. The connection
 * is closed, since the following bytes may belong to another request.
 */
export function findAmbiguity(request: IncomingMessage, target: string): AppError | undefined {
  const detail = findHostFault(request, target) ?? findEndFault(request)
  return detail === undefined
    ? undefined
    : new AppError('request_malformed', detail, { headers: { connection: 'close' } })
}
