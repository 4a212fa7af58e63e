import type { ProblemCode } from '../../errors.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'undici'
import type { IngestAnswer } from '../../schemas/ingest.ts'
import { CliError } from '../../server/errors.ts'
import { excerpt } from '../terminal/output.ts'

export type TillClientOptions = {
  connections: number
  /** How long a server that does not answer, or asks to wait, is asked again before it counts as gone. */
  patienceMs: number
}

export type Pushed = {
  answer: IngestAnswer
  /** Of the request that was answered. */
  latencyMs: number
  /** How often the same was sent before. */
  repeated: number
  /** One of those sendings may have been stored: no answer came, or none that says. */
  isUncertain: boolean
}

export type TillClient = {
  /** Pushes record lines, again and again until they are answered, as a till does (docs/ingest.md). */
  push(key: string, lines: readonly string[], signal?: AbortSignal): Promise<Pushed>
  /** Reads a resource as JSON. */
  get(key: string, path: string, signal?: AbortSignal): Promise<unknown>
  /** Posts JSON and reads the answer. */
  post(key: string, path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  close(): Promise<void>
}

type Call = { method: 'GET' | 'POST'; path: string; key: string; type?: string; body?: string }

type Reply = { status: number; text: string } & Pick<Pushed, 'latencyMs' | 'repeated' | 'isUncertain'>

/** What the sender cannot mend by waiting. */
function refusal({ path }: Call, { status, text }: Reply): CliError {
  const problem = JSON.parse(text.startsWith('{') ? text : '{}') as { code?: ProblemCode; detail?: string }
  const why = problem.detail ?? excerpt(text, 200)
  return new CliError(problem.code ?? 'refused', `the server answered ${status} to ${path}: ${why}`)
}

/** Waits out limits and outages. Throws `CliError` when it is refused or the patience ends, and what aborts the signal. */
export function createTillClient(baseUrl: string, { connections, patienceMs }: TillClientOptions): TillClient {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, { connections, headersTimeout: 60_000, bodyTimeout: 60_000 })

  const sendOnce = async ({ method, path, key, type, body }: Call, signal: AbortSignal | undefined) => {
    const began = performance.now()
    const headers = { 'x-api-key': key, ...(type === undefined ? {} : { 'content-type': type }) }
    const response = await pool.request({
      method,
      path: prefix + path,
      headers,
      body: body ?? null,
      ...(signal ? { signal } : {}),
    })
    const text = await response.body.text()
    const { statusCode: status } = response
    const wait = Number(response.headers['retry-after'] ?? Number.NaN)
    return { status, text, latencyMs: performance.now() - began, waitMs: Number.isNaN(wait) ? null : wait * 1000 }
  }

  const call = async (given: Call, signal: AbortSignal | undefined): Promise<Reply> => {
    const began = performance.now()
    let isUncertain = false
    for (let repeated = 0; ; repeated += 1) {
      const backoffMs = Math.min(100 * 2 ** Math.min(repeated, 6), 3_000)
      let waitMs = backoffMs
      let reason: string
      try {
        const reply = await sendOnce(given, signal)
        if (reply.status !== 429 && reply.status < 500) return { ...reply, repeated, isUncertain }
        waitMs = reply.waitMs ?? backoffMs
        isUncertain ||= reply.status !== 429
        reason = `it answers ${reply.status}`
      } catch (error) {
        signal?.throwIfAborted()
        const { message, code } = error as NodeJS.ErrnoException
        isUncertain = true
        reason = message || String(code)
      }
      if (performance.now() - began > patienceMs) {
        throw new CliError('server_unreachable', `${base.origin} does not take ${given.path}: ${reason}`)
      }
      await delay(waitMs, undefined, signal ? { signal } : {})
    }
  }

  const readJson = async (given: Call, signal: AbortSignal | undefined) => {
    const reply = await call(given, signal)
    if (reply.status >= 300) throw refusal(given, reply)
    return JSON.parse(reply.text) as unknown
  }

  return {
    async push(key, lines, signal) {
      const body = lines.map((line) => `${line}\n`).join('')
      const given: Call = { method: 'POST', path: '/v1/ingest/', key, type: 'application/x-ndjson', body }
      const reply = await call(given, signal)
      const { status, text, latencyMs, repeated, isUncertain } = reply
      // 400 with a verdict per record is an answer too: none of them could be stored.
      const parsed = JSON.parse(text.startsWith('{') ? text : '{}') as Partial<IngestAnswer>
      if (status > 207 && parsed.results === undefined) throw refusal(given, reply)
      return { answer: parsed as IngestAnswer, latencyMs, repeated, isUncertain }
    },
    get: (key, path, signal) => readJson({ method: 'GET', path, key }, signal),
    post: (key, path, body, signal) =>
      readJson({ method: 'POST', path, key, type: 'application/json', body: JSON.stringify(body) }, signal),
    close: () => pool.destroy(),
  }
}
