import { randomUUID } from 'node:crypto'
import { defaultLocationSettings } from '../../src/core/ingest/write/locations.ts'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buildApp } from '../../src/core/app.ts'
import { readConfig } from '../../src/core/config.ts'
import { toAddressRange } from '../../src/core/domain/addresses/addresses.ts'
import { hashKey, newKey } from '../../src/core/domain/accounts/keys.ts'
import type { LocationSettings } from '../../src/core/contract/location/schema.ts'
import type { Scope } from '../../src/core/schemas/scopes.ts'
import type { Context } from '../../src/core/http/context.ts'
import type { App } from '../../src/core/http/server-types.ts'
import { KeyRing } from '../../src/core/http/guard/key-ring.ts'
import type { LookupOptions } from '../../src/core/http/guard/lookups.ts'
import type { IngestAnswer } from '../../src/core/schemas/ingest.ts'
import { insertApiKey } from '../../src/core/store/accounts/api-keys.ts'
import { Availability } from '../../src/core/store/db/availability.ts'
import { openPool, type Pool } from '../../src/core/store/db/database.ts'
import { loadServer } from '../../src/core/modules.ts'
import { contextSettings, openContext } from '../../src/core/server/compose.ts'
import { createLog } from '../../src/core/server/log.ts'
import { insertLocation } from '../../src/core/contract/location/rows.ts'
import { Reader } from '../../src/core/store/db/reader/reader.ts'
import { assertDescribed } from './described-answers.ts'
import { atEnd, createDatabase, type TestDatabase } from './database.ts'
import { linesOf, locationOf } from './records.ts'
import { patienceMs } from './waiting.ts'

export type Answer = { status: number; headers: IncomingHttpHeaders; bytes: Buffer; text: string; json: any }

export type LogLine = { level: string; time: string; msg: string; [name: string]: any }

const isError = ({ level }: LogLine) => level === 'error'

export type RequestOptions = {
  /** Null sends no key. By default, the key of `location` with all scopes is sent. */
  key?: string | null
  headers?: Record<string, string | string[]>
  body?: string | Buffer
}

export type Push = { type?: string; key?: string; headers?: Record<string, string> }

export type Site = { id: string; key: string }

type KeyChanges = {
  scopes?: Scope[]
  recipientId?: string | null
  expiresAt?: Date | null
  revokedAt?: Date | null
}

export type TestApp = {
  /** `http://127.0.0.1:<port>`. */
  url: string
  port: number
  app: App
  context: Context
  /** Log lines from the level info on. */
  lines: LogLine[]
  pool: Pool
  database: TestDatabase
  /** The location that most keys belong to, and its key with all scopes. */
  location: string
  key: string
  other: Site
  keys: Record<'read' | 'ingest' | 'webhooks' | 'expired' | 'revoked' | 'unknown', string>
  addLocation(): Promise<Site>
  addKey(locationId: string, changes?: KeyChanges): Promise<{ id: string; key: string }>
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>
  get(path: string, options?: RequestOptions): Promise<Answer>
  /** Pushes records as NDJSON; text is sent unchanged. */
  push(records: readonly unknown[] | string | Buffer, options?: Push): Promise<Answer>
  /** Pushes records, all of which must be stored or known. */
  store(records: readonly unknown[], key?: string): Promise<IngestAnswer>
  close(): Promise<void>
}

export type AppChanges = Partial<
  Pick<
    Context,
    | 'replica'
    | 'signing'
    | 'bells'
    | 'limiter'
    | 'clock'
    | 'publicUrl'
    | 'operations'
    | 'endpointPolicy'
    | 'sender'
    | 'docs'
    | 'bodies'
    | 'warner'
    | 'answers'
    | 'requests'
    | 'streams'
    | 'testRate'
    | 'limits'
    | 'console'
    | 'signInRate'
    | 'linkRate'
    | 'actRate'
  >
> & {
  /** Options of the key ring; by default the budget of the settings and the monotonic clock. */
  keyRing?: LookupOptions
  /** The database of another app, so that both run on the same data, each with its own pool, writer and caches. */
  database?: TestDatabase
  trustProxy?: readonly string[]
  /** How long a read of documents waits for the database. The deadline of the pool is separate. */
  deadlineMs?: number
}

/** No limits, because tests send more requests at once than a partner does. Tests of the limits set their own. */
export const unlimited = {
  signIns: '0',
  rateLimit: '0',
  requestsPerKey: '0',
  requests: '0',
  streamsPerKey: '0',
  streams: '0',
}

const everything: Scope[] = ['read', 'webhooks', 'ingest', 'books']

/** Addresses of the tests' receivers. */
const loopback = '127.0.0.0/8'

export async function addLocation(
  pool: Pool,
  id: string = randomUUID(),
  settings: Partial<LocationSettings> = {},
): Promise<string> {
  const { deviceList, ...fields } = locationOf(id)
  const withoutDevices = JSON.stringify(fields)
  const document = JSON.stringify({ ...fields, deviceList })
  const row = { id, document, withoutDevices, ...defaultLocationSettings, ...settings, seq: 0 }
  await insertLocation(pool, row, new Date('2026-01-01T00:00:00.000Z'))
  return id
}

export async function addKey(pool: Pool, locationId: string, changes: KeyChanges = {}) {
  const { scopes = everything, recipientId = null, expiresAt = null, revokedAt = null } = changes
  const key = newKey('test')
  const id = randomUUID()
  const use = { revokedAt: null, lastUsedAt: null, madeBy: null, createdAt: new Date('2026-01-01T00:00:00.000Z') }
  const row = { id, hash: hashKey(key), hint: key.slice(0, 12), name: 'test', locationId, recipientId, scopes }
  await insertApiKey(pool, { ...row, ...use, expiresAt })
  if (revokedAt) await pool`update api_keys set revoked_at = ${revokedAt} where id = ${id}`
  return { id, key }
}

/** A server that does not answer within this time is assumed to have lost the request. */
const answerMs = patienceMs

/** Sends a request as is: nothing is normalized, retried or decompressed. */
export function send(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: Omit<RequestOptions, 'key'>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const options = { agent, host: '127.0.0.1', port, method, path, headers: { ...length, ...headers } }
    const outgoing = httpRequest(options, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const text = bytes.toString('utf8')
        const isPlain = incoming.headers['content-encoding'] === undefined
        const isJson = isPlain && /json/.test(incoming.headers['content-type'] ?? '') && bytes.length > 0
        const json: unknown = isJson ? JSON.parse(text) : undefined
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes, text, json })
      })
    })
    outgoing.on('error', reject)
    outgoing.setTimeout(answerMs, () => outgoing.destroy(new Error(`no answer to ${method} ${path} in ${answerMs} ms`)))
    outgoing.end(body)
  })
}

export type OpenServer = {
  app: App
  context: Context
  port: number
  lines: LogLine[]
  /** Closes what the server opened, except `pool`. */
  close(): Promise<void>
}

/** Starts the application as `serve` composes it, without delivery, on a free port. */
export async function openServer(
  pool: Pool,
  { trustProxy = [], deadlineMs = 10_000, keyRing, ...parts }: Omit<AppChanges, 'database'> = {},
): Promise<OpenServer> {
  const reader = new Reader(pool, { connections: 2, pipelining: true, deadlineMs })
  const settings = readConfig(contextSettings, { allowHttp: true, allowAddress: [loopback], ...unlimited }, {})
  const keys = keyRing && { keys: new KeyRing(pool, parts.clock ?? (() => new Date()), keyRing) }
  const lines: LogLine[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const availability = new Availability(pool, (level, message, err) => log[level](err ? { err } : {}, message))
  const own = { reader, availability, ...keys, ...parts }
  await loadServer()
  const { context, endStreams, close: closeContext } = openContext(pool, settings, own, log)
  await context.hints.listen()
  const app = await buildApp(context, { version: '0.0.0', log, trustProxy: trustProxy.map(toAddressRange) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const close = async () => {
    endStreams()
    await app.close()
    await closeContext()
  }
  return { app, context, port, lines, close }
}

/**
 * Starts the complete application on a private database, listening on a real port. Call it from the top of a test file.
 */
export async function startApp({ database: shared, ...parts }: AppChanges = {}): Promise<TestApp> {
  const database = shared ?? (await createDatabase())
  const pool = shared ? openPool(shared.connection, { connections: 8, pipelining: true }) : database.pool
  const server = await openServer(pool, parts)
  const { app, context, port, lines } = server
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })

  const addSite = async (): Promise<Site> => {
    const id = await addLocation(pool)
    return { id, key: (await addKey(pool, id)).key }
  }
  const own = await addSite()
  const keyWith = async (change: KeyChanges) => (await addKey(pool, own.id, change)).key
  const past = new Date('2026-01-02T00:00:00.000Z')

  const request: TestApp['request'] = async (method, path, { key = own.key, headers = {}, body } = {}) => {
    const answer = await send(agent, port, method, path, {
      headers: { ...(key === null ? {} : { 'x-api-key': key }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    assertDescribed(method, path, answer)
    if (answer.status === 500) console.error(`${method} ${path} is 500:`, lines.findLast(isError))
    return answer
  }
  const push: TestApp['push'] = (records, { type = 'application/x-ndjson', key = own.key, headers = {} } = {}) => {
    const body = typeof records === 'string' || Buffer.isBuffer(records) ? records : linesOf(records)
    return request('POST', '/v1/ingest/', { key, headers: { 'content-type': type, ...headers }, body })
  }
  const store: TestApp['store'] = async (records, key = own.key) => {
    const answer = await push(records, { key })
    if (answer.status !== 200) throw new Error(`not all stored (${answer.status}): ${answer.text.slice(0, 2000)}`)
    return answer.json
  }
  const close = async () => {
    agent.destroy()
    await server.close()
    if (shared) await pool.end({ timeout: 5 })
  }
  atEnd(close)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    app,
    context,
    lines,
    pool,
    database,
    location: own.id,
    key: own.key,
    other: await addSite(),
    keys: {
      read: await keyWith({ scopes: ['read'] }),
      ingest: await keyWith({ scopes: ['ingest'] }),
      webhooks: await keyWith({ scopes: ['webhooks'] }),
      expired: await keyWith({ expiresAt: past }),
      revoked: await keyWith({ revokedAt: past }),
      unknown: newKey('test'),
    },
    addLocation: addSite,
    addKey: (locationId, change) => addKey(pool, locationId, change),
    request,
    get: (path, options) => request('GET', path, options),
    push,
    store,
    close,
  }
}
