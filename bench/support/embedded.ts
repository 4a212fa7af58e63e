import { openPool } from '../../src/core/store/db/database.ts'
import { openEmbeddedDatabase, type ConnectionOptions } from '../../src/core/embedded/database.ts'

export type EmbeddedServer = {
  connection: ConnectionOptions
  pid: number
  /** Creates a database with that name on the same server, for a contestant. */
  createDatabase(name: string): Promise<ConnectionOptions>
  release(): Promise<unknown>
}

/**
 * Opens the PostgreSQL of a data directory, shared with the `serve` that uses it: contestants get the same server and
 * settings.
 */
export async function openEmbeddedServer(dataDir: string): Promise<EmbeddedServer> {
  const server = await openEmbeddedDatabase(dataDir)
  const { connection, pid } = server
  return {
    connection,
    pid,
    async createDatabase(name) {
      const sql = openPool(connection, { connections: 1, pipelining: true })
      await sql.unsafe(`create database ${name}`)
      await sql.end()
      return { ...connection, database: name }
    },
    release: () => server.release(),
  }
}

/** Returns the address as a URL for `DATABASE_URL`. */
export function toUrl({ host, port, user, password, database }: ConnectionOptions): string {
  return `postgres:///${database}?${new URLSearchParams({ host, port: String(port), user, password }).toString()}`
}
