import { readConfig } from '../../../src/core/config.ts'
import { createLog } from '../../../src/core/server/log.ts'
import { serverSettings, startServer } from '../../../src/core/server/start.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { processOptions, processReady } from '../processes.ts'

/** `port` 0 picks a free one; `role` `all` delivers webhooks too. */
export type ApiProcessOptions = { connection: Connection; port: number; role?: 'api' | 'all' }

const { connection, port, role = 'api' } = processOptions<ApiProcessOptions>()

const pool = openPool(connection, { connections: 8, pipelining: true, deadlineMs: 10_000 })
const flags = { role, port: String(port), rateLimit: '0', allowHttp: true, allowAddress: ['127.0.0.0/8'] }
const server = await startServer(pool, readConfig(serverSettings(), flags, {}), createLog('silent'))

processReady({ url: server.url }, async () => {
  await server.close()
  await pool.end({ timeout: 1 })
})
