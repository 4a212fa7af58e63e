import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

/** Where `scripts/write-released.ts` stores the data of a release permanently. */
export const releasedFolder = join(import.meta.dirname, '../released')

/** The base URL in recorded responses, regardless of the port. */
export const publicUrl = 'https://pos.example'

/**
 * The responses of the released program by path, and the key that verifies its archive and its proof. `key` is an API
 * key in its database.
 */
export type Facts = {
  schema: number
  key: string
  verifierKey: string
  answers: Record<string, unknown>
  settings: string[]
}

export type KeptRelease = {
  version: string
  file(name: string): string
  /** Reads a compressed file as text. */
  text(name: string): string
  facts: Facts
}

export const files = {
  database: 'database.sql.br',
  backup: 'backup.tar.gz',
  archive: 'archive-2025.zip',
  proof: 'order.tlog-proof',
  openapi: 'openapi.json.br',
  facts: 'facts.json.br',
}

const month = 'since=2026-03-01T00:00:00.000Z&until=2026-04-01T00:00:00.000Z'

/** Requests that are sent to a release and to every later version. */
export const questions = [
  '/v1/locations/own',
  `/v1/orders/?index=0&size=100&${month}`,
  `/v1/orders/?index=0&size=100&${month}&number=1003`,
  '/v1/orders/0a0a0a0a-0000-4000-8000-000000000003/history',
  `/v1/reports/?index=0&size=100&${month}`,
  '/v1/reports/0b0b0b0b-0000-4000-8000-000000000001/reconciliation',
  '/v1/catalog/',
  '/v1/catalog/taxes/',
  '/v1/events/?after=0&limit=100',
  '/v1/sales/?since=2026-03-01&until=2026-03-31',
  '/v1/webhooks/',
  '/v1/ingest/warnings/',
  '/v1/books/entries/?since=2026-03-01&until=2026-03-31',
  '/v1/closings/',
  '/v1/checkpoints/',
]

/** Lists the variables of all settings on the configuration page of a clone. */
export function settingsOf(root: string): string[] {
  const page = readFileSync(join(root, 'docs/operate/configuration.md'), 'utf8')
  return [...new Set([...page.matchAll(/^\| `([A-Z][A-Z_]+)`/gm)].map(([, name]) => name as string))].toSorted()
}

/** Lists all releases by name. */
export function keptReleases(): KeptRelease[] {
  if (!existsSync(releasedFolder)) return []
  return readdirSync(releasedFolder)
    .toSorted()
    .map((version) => {
      const file = (name: string) => join(releasedFolder, version, name)
      const text = (name: string) => brotliDecompressSync(readFileSync(file(name))).toString('utf8')
      return { version, file, text, facts: JSON.parse(text(files.facts)) as Facts }
    })
}
