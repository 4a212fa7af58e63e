import type { FastifyRequest } from 'fastify'
import { baseUrl, usesHttps } from '../base-url.ts'
import type { SessionSecrets, Shown } from '../context.ts'

/** Browsers accept a cookie with this prefix only over HTTPS and with the attribute `Secure`. */
const secureName = '__Secure-tillgate'

/** Returns a cookie name with the port: all ports of a host share cookies, so servers would sign each other out. */
const plainName = (host: string) => `tillgate_${/:(\d{1,5})$/.exec(host)?.[1] ?? '80'}`

/**
 * Returns the session token that the browser sends. Undefined if there is none, or if there are two: one of them was
 * then set by someone else who can write cookies for this host.
 */
export function sessionToken(request: FastifyRequest): string | undefined {
  const names = new Set([secureName, plainName(request.host)])
  const found = (request.headers.cookie ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at > 0 && names.has(pair.slice(0, at).trim()) ? [pair.slice(at + 1).trim()] : []
  })
  return found.length === 1 ? found[0] : undefined
}

export function sessionSecrets(request: FastifyRequest): SessionSecrets {
  const pageSecret = request.headers['tillgate-page']
  return { token: sessionToken(request), pageSecret: typeof pageSecret === 'string' ? pageSecret : undefined }
}

type PublicAddress = Pick<Shown, 'publicUrl'>

/** Returns the origin by which the browser reaches the server: its `Origin` header, or the base URL of the server. */
function addressOf(context: PublicAddress, request: FastifyRequest): URL {
  const { origin } = request.headers
  return (origin === undefined ? null : URL.parse(origin)) ?? new URL(baseUrl(context, request))
}

/** Returns whether the browser uses HTTPS, to Tillgate itself or to the proxy in front of it. */
export const isEncrypted = (context: PublicAddress, request: FastifyRequest) =>
  addressOf(context, request).protocol === 'https:' || usesHttps(request)

/** Formats `Set-Cookie` for a session of this many seconds; an empty token and 0 seconds remove the cookie. */
export function sessionCookie(context: PublicAddress, request: FastifyRequest, token: string, seconds: number): string {
  const address = addressOf(context, request)
  const known = context.publicUrl === null ? null : new URL(context.publicUrl)
  const prefix = known?.host === address.host ? known.pathname.replace(/\/$/, '') : ''
  const isSecure = isEncrypted(context, request)
  const name = isSecure ? secureName : plainName(request.host)
  const flags = `HttpOnly; SameSite=Strict; Path=${prefix}/console/api/; Max-Age=${seconds}`
  return `${name}=${token}; ${flags}${isSecure ? '; Secure' : ''}`
}
