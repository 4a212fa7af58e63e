import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'
import type { ConsoleParts, Shown } from '../context.ts'
import { isEncrypted } from './cookies.ts'

/** Paths below this one are for the pages of the console. */
const door = '/console/api'

const doorV1 = `${door}/v1/`

/** Requests that came in under `/console/api/`. A weak set forgets each request when it is over. */
const throughDoor = new WeakSet<IncomingMessage>()

/**
 * Rewrites `/console/api/v1/…` to `/v1/…`, and remembers that the request came through the console: only its session is
 * checked. No other path is rewritten, so `/v1` never reads a cookie (docs/inside/10-console.md).
 */
export function leadThroughConsole(url: string, request: IncomingMessage): string {
  if (!url.startsWith(doorV1)) return url
  throughDoor.add(request)
  return url.slice(door.length)
}

/** Returns whether the request came in under `/console/api/`, where it needs a session and a key is ignored. */
export const isThroughConsole = ({ raw }: FastifyRequest) => throughDoor.has(raw)

/** Returns whether the host is a name of this machine itself, with or without a port. */
const isLoopbackName = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host)

/** Returns whether the peer is on this machine; false for an unknown address. */
const isLoopbackAddress = (address = '') => /^(127\.|::1$|::ffff:127\.)/.test(address)

/** Returns the host with its port; null if the text is not a URL. */
const hostOf = (url: string | null | undefined) => (url ? (URL.parse(url)?.host ?? null) : null)

type ConsoleAddress = Pick<Shown, 'publicUrl'> & Pick<ConsoleParts, 'console'>

/** Returns whether the origin is that of the public URL, or of the host in the request. */
function isOurs({ publicUrl }: ConsoleAddress, request: FastifyRequest, origin: string): boolean {
  const host = hostOf(origin)
  return host !== null && (host === request.host || host === hostOf(publicUrl))
}

/**
 * Throws `AppError` unless a page of this server sent the request, or it is a read that no page sent. The sender is
 * known by `Sec-Fetch-Site`, which no page can forge, or, if it is missing, by `Origin`. A foreign page whose name
 * resolves to this server (DNS rebinding) is recognized by that name.
 */
export function requireOwnPage(context: ConsoleAddress, request: FastifyRequest): void {
  const { host, headers, method, ips, raw } = request
  const isProxied = (ips?.length ?? 0) > 1
  if (!isProxied && isLoopbackAddress(raw.socket.localAddress) && !isLoopbackName(host)) {
    const advice = 'use 127.0.0.1 or the host of TILLGATE_PUBLIC_URL'
    if (host !== hostOf(context.publicUrl))
      throw new AppError('host_unknown', `${host.slice(0, 200)} is not a name of this server: ${advice}`)
  }
  const isRead = method === 'GET' || method === 'HEAD'
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isOwn =
    site === undefined
      ? origin === undefined
        ? isRead
        : isOurs(context, request, origin)
      : site === 'same-origin' || (isRead && site === 'none')
  if (!isOwn) throw new AppError('cross_site')
}

/**
 * Returns the origin of a page of this server, to which a passkey is bound. Throws `cross_site` if the origin is
 * missing or that of another server.
 */
export function ownOrigin(context: ConsoleAddress, request: FastifyRequest): string {
  const { origin } = request.headers
  if (origin === undefined || !isOurs(context, request, origin)) throw new AppError('cross_site')
  return origin
}

/**
 * Throws `console_insecure` for a session over an unencrypted connection, which others could take over. Local names,
 * HTTPS, and servers configured to allow this are accepted.
 */
export function requireEncryption(context: ConsoleAddress, request: FastifyRequest): void {
  if (context.console.isInsecureAllowed || isLoopbackName(request.host) || isEncrypted(context, request)) return
  throw new AppError('console_insecure')
}
