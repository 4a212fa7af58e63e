import type { FastifyRequest } from 'fastify'

/**
 * Returns whether the caller uses HTTPS, to Tillgate itself or to a trusted proxy that says so. The scheme has no case
 * (RFC 3986, 3.1), and any other value from a proxy counts as http: `javascript` must not become the scheme of a link.
 */
export function usesHttps(request: FastifyRequest): boolean {
  // Closing a connection with an unread body removes the socket, and with it the protocol.
  return Boolean(request.raw.socket) && request.protocol.toLowerCase() === 'https'
}

/** A host name or a bracketed IPv6 address, with an optional port. Nothing else may get into a link. */
const hostForm = /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i

/** The base URL of the latest request, which the next one usually shares: parsing it costs 2 % of a page. */
let latest = { protocol: '', host: '', origin: '' }

function originOf(protocol: 'http' | 'https', host: string): string {
  if (latest.protocol === protocol && latest.host === host) return latest.origin
  const known = hostForm.test(host) ? host : 'localhost'
  const origin = URL.parse(`${protocol}://${known}`)?.origin ?? `${protocol}://localhost`
  latest = { protocol, host, origin }
  return origin
}

/** Returns the base of absolute links (`https://pos.example`): the configured one, or the host that the caller used. */
export function baseUrl(context: { publicUrl: string | null }, request: FastifyRequest): string {
  if (context.publicUrl !== null) return context.publicUrl
  return originOf(usesHttps(request) ? 'https' : 'http', request.host)
}
