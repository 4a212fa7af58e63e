import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type ServerOptions } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createAuthority, createCertificate } from './fault-certificates.ts'
import { faultModes, type FaultMode } from './fault-modes.ts'
import { patienceMs } from './waiting.ts'

export type ReceivedRequest = {
  mode: string
  method: string
  url: string
  headers: Record<string, string>
  body: Buffer
  /** Unix time in milliseconds. */
  atMs: number
}

/**
 * A webhook receiver with one fault per path (`fault-modes.ts`), over HTTP and HTTPS on 127.0.0.1; further ports have
 * faulty TLS. It keeps the last 10,000 requests.
 */
export type FaultReceiver = {
  /** `http://127.0.0.1:<port>`. */
  httpUrl: string
  /** `https://localhost:<port>`, with a certificate for `localhost` and 127.0.0.1 that is signed by `caFile`. */
  httpsUrl: string
  /** Connections to each fail during the handshake, unless noted. */
  wrongTls: {
    selfSigned: string
    wrongHost: string
    expired: string
    /** Requires a client certificate, and reports its absence after the handshake. */
    clientCertificate: string
    /** Answers a TLS hello with plain text. */
    plainText: string
    /** Accepts the connection and never answers. */
    silent: string
  }
  caFile: string
  url(mode: FaultMode, query?: string): string
  received: readonly ReceivedRequest[]
  /** Resolves with all requests when there are `count`; rejects after `withinMs`. */
  waitForReceived(count: number, withinMs?: number): Promise<readonly ReceivedRequest[]>
  /** Number of open connections to any port. */
  openConnections(): number
  /** Resolves when this many are open; rejects after `withinMs`. */
  waitForConnections(count: number, withinMs?: number): Promise<void>
  /** Resolves when no connection is open; rejects after `withinMs`. */
  waitForQuiet(withinMs?: number): Promise<void>
  close(): Promise<void>
}

const keptRequests = 10_000

/**
 * Starts a receiver. `port` is the HTTP port, 0 for a free one; the other ports are always free ones. `seed` starts the
 * series of `random`.
 */
export async function startFaultReceiver({ port = 0, seed = 1 } = {}): Promise<FaultReceiver> {
  const received: ReceivedRequest[] = []
  let receivedCount = 0
  const sockets = new Set<Socket>()
  const servers: Server[] = []
  const changes = new EventTarget()
  const random = seededRandom(seed)
  const closing = new AbortController()

  const listener = (origin: () => string): RequestListener => {
    const visits = new WeakMap<Socket, number>()
    return async (request, response) => {
      const { socket } = request
      const earlier = visits.get(socket) ?? 0
      visits.set(socket, earlier + 1)
      const url = new URL(request.url ?? '/', 'http://localhost')
      const name = url.pathname.slice(1)
      const body = await readAll(request)
      if (body === null) return
      received.push(toReceived(name, request, body))
      receivedCount++
      if (received.length > keptRequests) received.shift()
      changes.dispatchEvent(new Event('change'))
      if (!Object.hasOwn(faultModes, name)) {
        response.writeHead(404).end(`There is no mode ${name}.`)
        return
      }
      const pause = (ms: number) =>
        delay(ms, undefined, { signal: closing.signal }).then(
          () => !socket.destroyed,
          () => false,
        )
      const visit = { request, response, socket, query: url.searchParams, earlier, random, pause, origin: origin() }
      await faultModes[name as FaultMode].answer(visit)
    }
  }

  async function listen(server: Server, atPort = 0): Promise<number> {
    servers.push(server)
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      changes.dispatchEvent(new Event('change'))
      socket.on('error', () => {})
      socket.once('close', () => {
        sockets.delete(socket)
        changes.dispatchEvent(new Event('change'))
      })
    })
    server.on('tlsClientError', () => {})
    server.listen(atPort, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  const authority = createAuthority('Fault receiver')
  const directory = await mkdtemp(join(tmpdir(), 'fault-receiver-'))
  const caFile = join(directory, 'ca.pem')
  await writeFile(caFile, authority.cert)

  const hosts = ['localhost', '127.0.0.1']
  const secure = async (options: ServerOptions) => {
    const atPort: number = await listen(
      createHttpsServer(
        options,
        listener(() => `https://localhost:${atPort}`),
      ),
    )
    return `https://localhost:${atPort}`
  }
  const httpPort: number = await listen(createHttpServer(listener(() => httpUrl)), port)
  const httpUrl = `http://127.0.0.1:${httpPort}`
  const httpsUrl = await secure(authority.issue(hosts))
  const wrongTls = {
    selfSigned: await secure(createCertificate(hosts)),
    wrongHost: await secure(authority.issue(['elsewhere.test'])),
    expired: await secure(authority.issue(hosts, -1)),
    clientCertificate: await secure({ ...authority.issue(hosts), requestCert: true, ca: authority.cert }),
    plainText: `https://localhost:${await listen(createTcpServer((socket) => socket.resume().end('HTTP/1.1 400 Bad\r\n\r\n')))}`,
    silent: `https://localhost:${await listen(createTcpServer((socket) => socket.resume()))}`,
  }

  async function until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    const limit = AbortSignal.timeout(withinMs)
    while (!condition()) {
      await once(changes, 'change', { signal: limit }).catch((error: unknown) => {
        throw new Error(`${what} within ${withinMs} ms; open connections: ${sockets.size}`, { cause: error })
      })
    }
  }
  const isQuiet = () => sockets.size === 0

  return {
    httpUrl,
    httpsUrl,
    wrongTls,
    caFile,
    url: (mode, query) => `${httpUrl}/${mode}${query === undefined ? '' : `?${query}`}`,
    received,
    async waitForReceived(count, withinMs = patienceMs) {
      await until(() => receivedCount >= count, withinMs, `fewer than ${count} requests`)
      return received
    },
    openConnections: () => sockets.size,
    waitForConnections: (count, withinMs = patienceMs) =>
      until(() => sockets.size === count, withinMs, `there were never ${count} connections`),
    waitForQuiet: (withinMs = patienceMs) => until(isQuiet, withinMs, 'connections were not closed'),
    async close() {
      closing.abort()
      for (const server of servers) server.close()
      for (const socket of sockets) socket.destroy()
      await until(isQuiet, patienceMs, 'connections were not closed')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Reads the body; null if the sender disconnected first. */
async function readAll(request: IncomingMessage): Promise<Buffer | null> {
  try {
    return Buffer.concat(await request.toArray())
  } catch {
    return null
  }
}

function toReceived(mode: string, request: IncomingMessage, body: Buffer): ReceivedRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  const { method = '', url = '' } = request
  return { mode, method, url, headers: Object.fromEntries(headers) as Record<string, string>, body, atMs: Date.now() }
}

/** Returns a generator of random numbers (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean' },
    },
  })
  const receiver = await startFaultReceiver({ port: Number(values.port), seed: Number(values.seed) })
  const { httpUrl, httpsUrl, wrongTls, caFile } = receiver
  if (values.json) console.log(JSON.stringify({ httpUrl, httpsUrl, wrongTls, caFile, modes: Object.keys(faultModes) }))
  else {
    for (const [mode, { about }] of Object.entries(faultModes)) console.log(`${httpUrl}/${mode}`.padEnd(50), about)
    console.log(`${httpsUrl}/<mode>`.padEnd(50), `the same over TLS, trusted by ${caFile}`)
    for (const [fault, url] of Object.entries(wrongTls)) console.log(url.padEnd(50), `wrong TLS: ${fault}`)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.close())
}
