import { openPool, type Connection } from '../../src/core/store/db/database.ts'
import { openServer } from '../support/app.ts'

/** Messages of the child to its parent: its address and, on request, its memory use. */
export type ServingMessage = { port: number } | { heapBytes: number; residentBytes: number }

// A server in a separate process, to be measured or killed: node test/programs/serving.ts '<connection as JSON>'
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
