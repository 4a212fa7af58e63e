import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Where `scripts/write-schema-dumps.ts` leaves a database of each version of the schema. */
export const dumpsFolder = join(import.meta.dirname, '../core/store/dumps')

/** What links in answers begin with, whichever port it was. */
export const publicUrl = 'https://pos.example'

/** What the program that stored the data answered, by path. The key works in the dump as well. */
export type Told = { key: string; answers: Record<string, unknown> }

type Dump = Told & { version: number; sql: string }

const month = 'since=2026-03-01T00:00:00.000Z&until=2026-04-01T00:00:00.000Z'

/** What is asked before and after, and from which version on the data for it is stored. */
export const questions: { path: string; from: number }[] = [
  { path: '/v1/locations/own', from: 1 },
  { path: `/v1/orders/?index=0&size=100&${month}`, from: 1 },
  { path: `/v1/orders/?index=0&size=100&${month}&number=1003`, from: 1 },
  { path: '/v1/orders/0a0a0a0a-0000-4000-8000-000000000003/history', from: 1 },
  { path: `/v1/reports/?index=0&size=100&${month}`, from: 1 },
  { path: '/v1/reports/0b0b0b0b-0000-4000-8000-000000000001/reconciliation', from: 1 },
  { path: '/v1/catalog/', from: 1 },
  { path: '/v1/catalog/taxes/', from: 1 },
  { path: '/v1/events/?after=0&limit=100', from: 1 },
  { path: '/v1/sales/?since=2026-03-01&until=2026-03-31', from: 1 },
  { path: '/v1/webhooks/', from: 2 },
  { path: '/v1/ingest/warnings/', from: 3 },
]

export async function readDumps(): Promise<Dump[]> {
  const files = (await readdir(dumpsFolder)).filter((file) => file.endsWith('.sql.gz')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const text = gunzipSync(await readFile(join(dumpsFolder, file))).toString('utf8')
      const end = text.indexOf('\n')
      return { version: Number(file.slice(0, 4)), sql: text.slice(end + 1), ...JSON.parse(text.slice(3, end)) }
    }),
  )
}
