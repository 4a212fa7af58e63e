import { Writable } from 'node:stream'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Pool } from '../../src/core/store/db/database.ts'

/**
 * Opens a stream into `copy … from stdin`, which takes rows in COPY's text format; it finishes when they are stored.
 */
export async function openCopy({ from: connection }: Pool, text: string): Promise<Writable> {
  const client = new Client('url' in connection ? { connectionString: connection.url } : { ...connection })
  await client.connect()
  const stream = client.query(copyFrom(text))
  stream.once('close', () => void client.end())
  return stream
}
