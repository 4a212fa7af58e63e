import { TillgateError, toError } from './errors.ts'

/** The values of a query. Undefined values are left out, lists are joined with commas. */
export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

/** A request for `send`. */
export type Call = {
  /** Path after the base URL, such as `/v1/orders/`. */
  path: string
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  headers?: Record<string, string>
  /** The body, sent as JSON. */
  json?: unknown
  body?: Uint8Array<ArrayBuffer>
  signal?: AbortSignal | undefined
  /** The call may be retried after a failure with an unknown outcome; by default every method except POST. */
  repeatable?: boolean
  /** Milliseconds for all attempts together; `Infinity` for no limit. */
  deadlineMs?: number
  /** Called before each retry. */
  onRetry?: ((failure: TillgateError) => void) | undefined
}

export type TransportOptions = {
  /** Base URL of the server, such as `https://pos.example` or `https://pos.example/pos`. */
  url: string
  /** API key for the header `X-API-Key`. Omit it if something else identifies the caller, such as a session cookie. */
  key?: string
  /** Milliseconds for a call with all its retries; 30,000 by default. */
  deadlineMs?: number
  /** Whether temporary failures are retried; on by default. */
  retries?: boolean
  /** By default the `fetch` of the platform. */
  fetch?: typeof globalThis.fetch
}

/** Statuses that do not depend on the request: the same request may succeed in a moment. Status 0 means no response. */
export const isTransient = (status: number): boolean =>
  status === 0 || status === 408 || status === 429 || status >= 500

const firstWaitMs = 200
const longestWaitMs = 10_000

/**
 * Returns a wait with full jitter: a random time below a bound that doubles, so that many clients do not retry at once.
 */
function backoffMs(attempt: number, random = Math.random()): number {
  return random * Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 16))
}

/** Returns the wait before a retry, never shorter than the server asks for. */
export function waitBeforeRetry(failure: { retryAfterMs: number | null }, attempt: number, random = Math.random()) {
  return Math.max(failure.retryAfterMs ?? 0, backoffMs(attempt, random))
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error)
      return
    }
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Sends requests: adds the key, repeats what may be repeated, and turns refusals into `TillgateError`s. */
export class Transport {
  readonly #base: string
  readonly #key: string | undefined
  readonly #deadlineMs: number
  readonly #retries: boolean
  readonly #fetch: typeof globalThis.fetch

  constructor({ url, key, deadlineMs = 30_000, retries = true, fetch = globalThis.fetch }: TransportOptions) {
    const parsed = new URL(url)
    if (!/^https?:$/.test(parsed.protocol)) throw new TypeError(`url must begin with http:// or https://, not ${url}`)
    if (key === '') throw new TypeError('key must be an API key of the location')
    this.#base = parsed.href.replace(/\/+$/, '')
    this.#key = key
    this.#deadlineMs = deadlineMs
    this.#retries = retries
    this.#fetch = fetch
  }

  url(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, typeof value === 'object' ? value.join(',') : String(value))
    }
    const text = parameters.toString()
    return `${this.#base}${path}${text === '' ? '' : `?${text}`}`
  }

  /**
   * Resolves to the first response below 400, or 304. Retries until the deadline, with full jitter and never sooner
   * than `Retry-After`: a 429 or 503 always, other temporary failures only for a repeatable call. Throws
   * `TillgateError`, or the reason of `signal`.
   */
  async send(call: Call): Promise<Response> {
    const { method = 'GET', signal, deadlineMs = this.#deadlineMs } = call
    const repeatable = call.repeatable ?? method !== 'POST'
    const until = Date.now() + deadlineMs
    for (let attempt = 0; ; attempt++) {
      const failure = await this.#try(call, method, until)
      if (failure instanceof Response) return failure
      signal?.throwIfAborted()
      if (!this.#retries) throw failure
      const refused = failure.status === 429 || failure.status === 503
      if (!refused && !(repeatable && isTransient(failure.status))) throw failure
      const waitMs = waitBeforeRetry(failure, attempt)
      if (Date.now() + waitMs >= until) throw failure
      call.onRetry?.(failure)
      await pause(waitMs, signal)
    }
  }

  async json<T>(call: Call): Promise<T> {
    const response = await this.send(call)
    return (await response.json()) as T
  }

  async #try(call: Call, method: string, until: number): Promise<Response | TillgateError> {
    const { path, query, headers, json, body, signal } = call
    const timeout = Number.isFinite(until) ? AbortSignal.timeout(Math.max(1, until - Date.now())) : undefined
    const signals = [signal, timeout].filter((one) => one !== undefined)
    const init: RequestInit = {
      method,
      headers: {
        ...(this.#key === undefined ? {} : { 'x-api-key': this.#key }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      redirect: 'error',
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
    }
    // Browsers refuse to call their own `fetch` as a method of another object.
    const fetch = this.#fetch
    try {
      const response = await fetch(this.url(path, query), init)
      return response.ok || response.status === 304 ? response : await toError(response)
    } catch (cause) {
      signal?.throwIfAborted()
      if (timeout?.aborted)
        return new TillgateError('deadline_exceeded', `${method} ${path} got no response in time`, { cause })
      const { message, cause: inner } = cause as Error
      const reason = inner instanceof Error && inner.message !== '' ? inner.message : message
      return new TillgateError('network_error', `${method} ${path} got no response: ${reason}`, { cause })
    }
  }
}
