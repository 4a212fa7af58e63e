// Directus on the tables of `afternoon-pg`, in this process. Relations are configured; the REST API is that of Directus.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { answer } from '../../support/child.ts'
import { orderLines } from '../../support/orders.ts'
import { load } from '../afternoon-pg/load.js'

const command = fileURLToPath(import.meta.resolve('@directus/api/cli/run.js'))

/** Returns settings: defaults, except for pool, log, telemetry, and the limiter, which would refuse requests. */
const settings = ({ host, port, user, password, database }, key) => ({
  NODE_ENV: 'production',
  DB_CLIENT: 'pg',
  DB_HOST: host,
  DB_PORT: String(port),
  DB_USER: user,
  DB_PASSWORD: password,
  DB_DATABASE: database,
  DB_POOL__MIN: '0',
  DB_POOL__MAX: '8',
  DB_POOL__IDLE_TIMEOUT_MILLIS: '100',
  DB_POOL__REAP_INTERVAL_MILLIS: '50',
  SECRET: key,
  ADMIN_EMAIL: 'bench@example.com',
  ADMIN_PASSWORD: key,
  ADMIN_TOKEN: key,
  LOG_LEVEL: 'silent',
  TELEMETRY: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
})

answer({
  start: async ({ connection, key, spread, products }) => {
    Object.assign(process.env, settings(connection, key))
    await promisify(execFile)(process.execPath, [command, 'bootstrap'])
    const client = new pg.Client(connection)
    await client.connect()
    await load(client, { key, locationId: spread.locationId, lines: orderLines(spread), products })
    await client.query(readFileSync(new URL('relations.sql', import.meta.url), 'utf8'))
    await client.query('vacuum full')
    await client.query('vacuum analyze')
    await client.end()
    // Imported only now, because Directus reads its settings and the tables during the import.
    const { createServer } = await import('@directus/api/server')
    const server = await createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    return `http://127.0.0.1:${server.address().port}`
  },
})
