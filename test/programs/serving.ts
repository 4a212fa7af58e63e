import { openPool, type Connection } from '../../src/core/store/db/database.ts'
import { openServer } from '../support/app.ts'

/** What the child tells its parent: where it listens, and on request how much memory it holds. */
export type ServingMessage = { port: number } | { heapBytes: number; residentBytes: number }

// A server in a process of its own, to be measured or killed: node test/programs/serving.ts '<connection as JSON>'
const connection = JSON.parse(process.argv[2] ?? '{}') as Connection
const pool = openPool(connection, { connections: 6, pipelining: true })
const { port } = await openServer(pool)
const tell = (message: ServingMessage) => process.send?.(message)
tell({ port })
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  tell({ heapBytes: heapUsed, residentBytes: rss })
})
process.on('disconnect', () => process.exit(0))
