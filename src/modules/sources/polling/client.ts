import type { Asker } from '../../../core/delivery/sender/send.ts'
import type { Outcome } from '../../../core/delivery/sender/outcome.ts'
import type { Json } from '../adapters/json-documents.ts'
import { PullFailed, type Ask, type Pull, type PullRequest } from '../adapters/pull.ts'
import type { Budgets } from './budget.ts'
import type { Exchange } from './grants.ts'
import type { Spending } from './spending.ts'
import { wordsOf } from './words.ts'

/** Largest answer, in bytes. */
const maxResponseBytes = 32 * 1024 * 1024

/** Time limit of an answer, in milliseconds. */
const usualDeadlineMs = 30_000

/**
 * Delays before the retries of a temporary failure, in milliseconds. After the last retry the run ends, and the next
 * run continues from there.
 */
const pausesMs = [1_000, 4_000]

/** Longest requested delay that a run waits for. */
const patienceMs = 30_000

/** How often a refused secret is read again for one request. */
const mostRenewals = 3

export type ClientOptions = {
  asker: Asker
  pull: Pull
  account: string
  baseUrl: string
  /** Owner of the connections. */
  owner: string
  budgets: Budgets
  /** Ends a run that exceeds its limits; absent for previews. */
  spending?: Spending
  /** Reads the current secret; if the system has refused the secret `refused`, a different one if possible. */
  secret: (refused: string | undefined, exchange: Exchange) => Promise<string>
  /**
   * `pause` waits. `beforeEach` runs before each request and wait: the run checks that it still has the source's lease.
   */
  pause: (ms: number) => Promise<void>
  beforeEach: () => Promise<void>
  clock: () => Date
  random?: () => number
  deadlineMs?: number
}

function urlOf(baseUrl: string, { path, query = {} }: PullRequest): string {
  const parameters = new URLSearchParams(query).toString()
  return `${baseUrl.replace(/\/$/, '')}${path}${parameters === '' ? '' : `?${parameters}`}`
}

function bodyOf({ body, form }: PullRequest): { bytes: Buffer | null; type?: string } {
  if (form) {
    return { bytes: Buffer.from(new URLSearchParams(form).toString()), type: 'application/x-www-form-urlencoded' }
  }
  return body === undefined ? { bytes: null } : { bytes: Buffer.from(JSON.stringify(body)), type: 'application/json' }
}

const chance = new Set(['dns', 'connect', 'tls', 'timeout', 'reset'])

/** Returns why a request failed. The caller repeats a request after a 401 with a renewed secret. */
function failureOf(outcome: Outcome, secrets: readonly string[]): PullFailed {
  const { status, errorClass, retryAfterMs, isTooLong } = outcome
  const words = wordsOf(outcome, secrets)
  if (isTooLong) return new PullFailed('too_large', outcome.message, { status })
  if (errorClass === 'blocked') return new PullFailed('stop', words)
  if (status === 429 || status === 408 || status >= 500) return new PullFailed('again', words, { status, retryAfterMs })
  if (chance.has(errorClass ?? '') || status === 0) return new PullFailed('again', words, { status })
  return new PullFailed(status === 404 ? 'missing' : 'stop', words, { status })
}

/** Retries temporary failures. */
async function persist(
  attempt: () => Promise<Json>,
  { pause, random = Math.random }: Pick<ClientOptions, 'pause' | 'random'>,
): Promise<Json> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      const failure = error instanceof PullFailed && error.kind === 'again' ? error : undefined
      const usualMs = (pausesMs[tries] ?? 0) * (0.8 + 0.4 * random())
      const waitMs = failure?.retryAfterMs ?? usualMs
      if (!failure || tries >= pausesMs.length || waitMs > patienceMs) throw error
      await pause(waitMs)
    }
  }
}

/**
 * Makes the function that sends requests to a system. It stays within the budget, uses the current secret, and retries
 * after temporary failures.
 */
export function createAsk(options: ClientOptions): Ask {
  const { asker, pull, account, baseUrl, owner, budgets } = options
  const { deadlineMs = usualDeadlineMs } = options
  const limits = { maxResponseBytes, deadlineMs }
  let known: { secret: string; headers: Record<string, string> } | undefined

  const send = async (
    request: PullRequest,
    headers: Record<string, string>,
    secrets: readonly [string, ...string[]],
  ): Promise<Json> => {
    await options.beforeEach()
    const waitMs = budgets.take(secrets[0], { ...pull, baseUrl }, options.clock().getTime())
    if (waitMs > 0) await options.pause(waitMs)
    const { method } = request
    const { bytes: body, type } = bodyOf(request)
    const own = type === undefined ? headers : { ...headers, 'content-type': type }
    const outcome = await asker.ask({
      url: urlOf(baseUrl, request),
      method,
      headers: own,
      body,
      owner,
      ...limits,
    })
    // Secrets in headers are hidden too, such as a token from a login; a scheme such as Bearer is not part of it.
    const sent = Object.values(headers).map((value) => value.replace(/^(Bearer|Basic) /, ''))
    if (!outcome.ok) throw failureOf(outcome, [...secrets, ...sent])
    options.spending?.take(request, Buffer.byteLength(outcome.responseBody))
    try {
      return JSON.parse(outcome.responseBody)
    } catch {
      throw new PullFailed('again', `the response to ${request.path} is not JSON`, { status: 200 })
    }
  }

  const authorise = async (secret: string): Promise<Record<string, string>> => {
    if (known?.secret === secret) return known.headers
    const login: Ask = (request) => persist(() => send(request, {}, [secret]), options)
    known = { secret, headers: await pull.headers(secret, account, login) }
    return known.headers
  }

  const exchange: Exchange = (request, headers, [first = '', ...more]) =>
    persist(() => send(request, headers, [first, ...more]), options)

  return async (request) => {
    options.spending?.ask(request)
    let last: string | undefined
    for (let renewals = 0; ; renewals += 1) {
      const secret = await options.secret(last, exchange)
      try {
        const headers = await authorise(secret)
        return await persist(() => send(request, headers, [secret]), options)
      } catch (error) {
        const isRefused = error instanceof PullFailed && error.status === 401
        // The secret was renewed, or its access token has expired. If the same secret is refused twice, that is final.
        if (!isRefused || secret === last || renewals >= mostRenewals) throw error
        known = undefined
        last = secret
      }
    }
  }
}
