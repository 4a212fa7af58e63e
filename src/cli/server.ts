import type { AddressInfo } from 'node:net'
import { buildApp } from '../app.ts'
import type { Config } from '../config.ts'
import { parseAddressRange } from '../delivery/addresses.ts'
import { DeliveryEngine } from '../delivery/engine.ts'
import { createSender } from '../delivery/send.ts'
import type { App, Context } from '../http/context.ts'
import { KeyRing } from '../http/key-ring.ts'
import { RateLimiter } from '../http/rate-limit.ts'
import { Writer } from '../ingest/writer.ts'
import type { Pool } from '../store/database.ts'
import { DayCountCache } from '../store/day-counts.ts'
import { Hints } from '../store/hints.ts'
import { CliError } from './errors.ts'
import { chooseLogLevel, createLog } from './log.ts'
import { readVersion } from './version.ts'

export type ServerConfig = Omit<Config, 'dataDir' | 'databaseUrl' | 'dbConnections' | 'dbPipelining' | 'processes'>

export type RunningServer = {
  /** Where this machine reaches it; null when it only delivers. */
  url: string | null
  /** Stops accepting, finishes what is under way within 10 seconds, and writes down what was in memory. */
  close(): Promise<void>
}

/** How long a request or a delivery may take to end when the process is to stop. */
const graceMs = 10_000

const flushMs = 30_000

const clock = () => new Date()

/** Resolves when the work is done, and at the latest after `ms`. */
async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms)))
  await Promise.race([work.catch(() => {}), late])
  clearTimeout(timer)
}

function localUrl(host: string, { port }: AddressInfo): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

const listenFaults: Record<string, string> = {
  EADDRINUSE: 'the port is in use: stop what uses it, or give another --port',
  EACCES: 'this user may not listen there: give a --port above 1023',
  EADDRNOTAVAIL: 'this machine does not have that address: give another --host',
  ENOTFOUND: 'that host name is not known: give another --host',
}

async function listen(app: App, { host, port }: Pick<Config, 'host' | 'port'>): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const fault = listenFaults[code] ?? message
    const name = code === 'EADDRINUSE' ? 'port_in_use' : 'cannot_listen'
    throw new CliError(name, `cannot listen on ${host} port ${port}: ${fault}`, { cause: error })
  }
  return localUrl(host, app.server.address() as AddressInfo)
}

/** Composes one process: the API, the delivery of webhooks, or both, on an open pool, which stays the caller's. */
export async function startServer(pool: Pool, config: ServerConfig): Promise<RunningServer> {
  const level = chooseLogLevel(config)
  const log = createLog(level)
  const { allowHttp, allowAddress, role, publicUrl, operations } = config
  const hints = new Hints(pool)
  await hints.listen()
  const sender = createSender({ allowHttp, allowAddresses: allowAddress })
  const closing = new AbortController()
  const keys = new KeyRing(pool, clock)
  const context: Context = {
    pool,
    hints,
    sender,
    keys,
    clock,
    operations,
    dayCounts: new DayCountCache(),
    writer: new Writer(pool, clock, (locationId) => hints.committed(locationId)),
    limiter: config.rateLimit > 0 ? new RateLimiter(config.rateLimit, config.rateBurst) : null,
    endpointPolicy: { allowHttp, allowAddresses: allowAddress.flatMap((text) => parseAddressRange(text) ?? []) },
    closing: closing.signal,
    startedAt: clock(),
    publicUrl: publicUrl?.replace(/\/+$/, '') ?? null,
  }
  const onError = (error: unknown) => log('error', 'delivery', error)
  const engine = role === 'api' ? undefined : new DeliveryEngine({ pool, hints, sender, onError })
  const logger = { level, stream: process.stderr, redact: ['req.headers["x-api-key"]', 'req.headers.authorization'] }
  const options = { version: readVersion(), logger, trustProxy: config.trustProxy }
  const app = role === 'delivery' ? undefined : await buildApp(context, options)
  const flushing = setInterval(() => {
    keys.flush().catch((error: unknown) => log('warn', 'the last use of keys could not be written', error))
  }, flushMs)

  const close = async () => {
    clearInterval(flushing)
    closing.abort()
    await atMost(graceMs, Promise.all([app?.close(), engine?.stop()]))
    app?.server.closeAllConnections()
    await atMost(2_000, keys.flush())
    await atMost(2_000, Promise.all([hints.close(), sender.close()]))
  }
  try {
    const url = app ? await listen(app, config) : null
    engine?.start()
    return { url, close }
  } catch (error) {
    await close()
    throw error
  }
}
