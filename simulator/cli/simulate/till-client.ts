import { Tillgate } from '#client'
import { Agent, fetch as fetchBy } from 'undici'
import type { IngestAnswer } from '../../../src/core/schemas/ingest.ts'
import { CliError } from '../../../src/core/server/errors.ts'
import { codeOf, isOutage } from '../client-errors.ts'

export type TillClientOptions = {
  connections: number
  /** How long requests are retried before a server that does not answer, or asks to wait, counts as unreachable. */
  patienceMs: number
}

export type PushResult = {
  answer: Pick<IngestAnswer, 'accepted' | 'unchanged' | 'stale' | 'rejected' | 'results'>
  /** Duration of the request that was answered. */
  latencyMs: number
  /** Number of earlier attempts. */
  repeated: number
  /** One of the attempts may have been stored: it had no response, or an unclear one. */
  isUncertain: boolean
}

export type TillClient = {
  /**
   * Pushes record lines, at most 1,000, repeatedly until they are answered, as a till does (docs/contract/ingest.md).
   */
  push(key: string, lines: readonly string[], signal?: AbortSignal): Promise<PushResult>
  /** Sends a request with a key. */
  ask<T>(key: string, question: (tillgate: Tillgate) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What is known about the requests of one call. */
type Sent = { path: string; requests: number; latencyMs: number; isUncertain: boolean }

/**
 * Makes a client that retries at rate limits and during outages. Its calls throw `CliError` if the server refuses the
 * request or if `patienceMs` is over, and the reason of `signal` if it is aborted.
 */
export function createTillClient(url: string, { connections, patienceMs }: TillClientOptions): TillClient {
  const dispatcher = new Agent({ connections, headersTimeout: 60_000, bodyTimeout: 60_000 })

  const noting = (sent: Sent): typeof fetch =>
    (async (target: string, init: object) => {
      const began = performance.now()
      sent.path = new URL(target).pathname
      sent.requests += 1
      try {
        const response = await fetchBy(target, { ...init, dispatcher })
        const text = await response.text()
        sent.isUncertain ||= response.status >= 500
        sent.latencyMs = performance.now() - began
        return new Response(text, { status: response.status, headers: [...response.headers] })
      } catch (error) {
        sent.isUncertain = true
        throw error
      }
    }) as typeof fetch

  const call = async <T>(key: string, sent: Sent, question: (tillgate: Tillgate) => Promise<T>): Promise<T> => {
    try {
      return await question(new Tillgate({ url, key, deadlineMs: patienceMs, fetch: noting(sent) }))
    } catch (error) {
      const code = codeOf(error)
      if (code === undefined) throw error
      const { message, status } = error as { message: string; status: number }
      if (!isOutage(status)) throw new CliError(code, `the server answered ${status} to ${sent.path}: ${message}`)
      throw new CliError('server_unreachable', `${new URL(url).origin} does not accept ${sent.path}: ${message}`)
    }
  }

  const nothing = (): Sent => ({ path: '', requests: 0, latencyMs: 0, isUncertain: false })

  return {
    async push(key, lines, signal) {
      const sent = nothing()
      const options = { batch: lines.length, gzip: false, patienceMs, ...(signal ? { signal } : {}) }
      const results = await call(key, sent, (tillgate) => Array.fromAsync(tillgate.ingest(lines, options)))
      const answer = { accepted: 0, unchanged: 0, stale: 0, rejected: 0, results }
      for (const { status } of results) answer[status] += 1
      const { latencyMs, isUncertain, requests } = sent
      return { answer, latencyMs, isUncertain, repeated: requests - 1 }
    },
    ask: (key, question) => call(key, nothing(), question),
    close: () => dispatcher.destroy(),
  }
}
