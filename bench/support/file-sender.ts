import { createReadStream } from 'node:fs'
import { request } from 'undici'
import { answer, startChild, type Child } from './child.ts'
import type { Server, Site } from './server.ts'

type Push = { url: string; key: string; path: string }

/**
 * Pushes a file of NDJSON from a separate process: otherwise measurements during the push would wait for this process's
 * own sending.
 */
export class FileSender {
  readonly #child: Child = startChild(import.meta.filename)

  /** Resolves when the whole file is stored. Throws if any record was not stored. */
  async push({ url }: Server, { key }: Site, path: string): Promise<void> {
    await this.#child.ask('push', { url, key, path } satisfies Push)
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}

async function pushFile({ url, key, path }: Push): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
  const body = createReadStream(path)
  const { statusCode, body: received } = await request(`${url}/v1/ingest/`, {
    method: 'POST',
    headers,
    body,
    headersTimeout: 0,
  })
  await received.dump()
  if (statusCode !== 200) throw new Error(`ingest answered ${statusCode}`)
}

if (import.meta.main) answer({ push: pushFile })
