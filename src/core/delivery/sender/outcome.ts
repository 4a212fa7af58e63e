import { STATUS_CODES } from 'node:http'
import type { deliveryErrors } from '../../outcomes.ts'

/**
 * The stage at which a delivery failed. `dns`: the name has no address; `connect`: TCP; `tls`: handshake or certificate;
 * `timeout`: the deadline, in any phase; `reset`: the receiver broke the connection before its answer was complete; `http`:
 * an answer that is not 2xx, or not HTTP (then `status` is 0); `blocked`: the guard refused the URL or every address.
 */
export type ErrorClass = keyof typeof deliveryErrors

/**
 * The milliseconds per phase; null if the phase was not reached or not needed (a kept-alive connection has no `dns`,
 * `connect` and `tls`, a literal address no `dns`). `headersMs` runs from the request's first byte to the end of the
 * answer's headers. The sum of all phases is below the duration if the delivery waited for a free connection.
 */
export type Phases = {
  dnsMs: number | null
  connectMs: number | null
  tlsMs: number | null
  headersMs: number | null
  bodyMs: number | null
}

/** The result of one attempt. A receiver's failure is an outcome, never an exception. */
export type Outcome = {
  ok: boolean
  /** HTTP status; 0 if no status arrived. */
  status: number
  /** Null when `ok`. */
  errorClass: ErrorClass | null
  /** One sentence for the integrator. */
  message: string
  /** The wait that the receiver requested, at most ten hours; null if the value is missing or unreadable, or if `ok`. */
  retryAfterMs: number | null
  /** The address that was called or tried; null if none was known yet. */
  address: string | null
  /** The address that the guard refused; only for the operator, in the log. */
  refusedAddress: string | null
  durationMs: number
  phases: Phases
  /** Headers of the request, without the signature. */
  requestHeaders: Record<string, string>
  /** Lower-case names, repeated ones joined with a comma, cookies and similar values removed. */
  responseHeaders: Record<string, string>
  /** The beginning of the body as text without NUL, at most `maxResponseBytes` of UTF-8. */
  responseBody: string
  /** True if the complete body was required and exceeds `maxResponseBytes`. */
  isTooLong?: boolean
}

const struckOut = '[struck out]'

const secretResponseHeaders = new Set([
  'set-cookie',
  'set-cookie2',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
  'x-api-key',
])

export function strikeOutRequest(headers: Readonly<Record<string, string>>): Record<string, string> {
  return 'webhook-signature' in headers ? { ...headers, 'webhook-signature': struckOut } : { ...headers }
}

export function strikeOutResponse(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const shown: [string, string][] = []
  for (const name of Object.keys(headers)) {
    const value = headers[name] ?? ''
    const text = typeof value === 'string' ? value : value.join(', ')
    shown.push([name, secretResponseHeaders.has(name) ? struckOut : text])
  }
  return Object.fromEntries(shown)
}

/** Returns `500 Internal Server Error`, or `299` alone if the number has no name. The receiver's own wording is not used. */
export function statusText(status: number): string {
  const words = STATUS_CODES[status]
  return words === undefined ? String(status) : `${status} ${words}`
}

export function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
