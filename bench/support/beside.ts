import { openPool, type Pool } from '../../src/core/store/db/database.ts'
import { openEmbeddedServer } from './embedded.ts'
import type { Server } from './server.ts'

type Later = (end: () => Promise<unknown>) => void

/** Opens a second connection to the database of a server. */
export async function openBeside({ dataDir }: Server, later: Later): Promise<Pool> {
  const embedded = await openEmbeddedServer(dataDir)
  later(() => embedded.release())
  const sql = openPool(embedded.connection, { connections: 1, pipelining: true })
  later(() => sql.end())
  return sql
}

/** Vacuums and writes what a large push left: half a minute later, this would keep the disk busy and delay commits. */
export async function rest(sql: Pool): Promise<void> {
  await sql`vacuum analyze`
  await sql`checkpoint`
}
