import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { appendAccess } from '../src/core/store/accounts/access.ts'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { addDays } from '../src/core/domain/days/business-time.ts'
import { businessDay } from '../simulator/calendar.ts'
import { createRestaurant } from '../simulator/restaurant.ts'
import { simulate } from '../simulator/simulation.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer, toUrl } from './support/embedded.ts'
import { timed } from './support/figures.ts'
import type { Figure, Report } from './support/report.ts'
import { ask, push, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'

/** Number of orders per day of a restaurant whose tills also push open orders. */
const ordersPerDay = 130

const firstDay = '2026-03-02'

/** Yields records as tills send them, including versions of open orders, for the location of the site. */
function* records(locationId: string, from: string, days: number): Generator<string> {
  const restaurant = createRestaurant({ seed: 'bench sizes', ordersPerDay })
  const span = {
    from: new Date(businessDay('Europe/Paris', from).startsAt),
    to: new Date(businessDay('Europe/Paris', addDays(from, days)).startsAt),
  }
  for (const { record } of simulate(restaurant, span)) {
    if (record.type === 'location') continue
    const data = Array.isArray(record.data) ? record.data : { ...record.data, locationId }
    yield `${JSON.stringify({ type: record.type, data })}\n`
  }
}

/** Groups of tables with their indexes. Tables that are not named here are the rest. */
const groups: Record<string, readonly string[]> = {
  journal: ['journal'],
  orders: ['orders'],
  figures: ['sales_cells', 'device_days', 'report_checks', 'report_waits', 'book_sums', 'book_days', 'day_counts'],
}

async function sizesOf(pool: Pool): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {}
  for (const [name, tables] of Object.entries(groups)) {
    const [row] = await pool<{ bytes: number }[]>`
      select sum(pg_total_relation_size(t::regclass))::bigint as bytes from unnest(${[...tables]}::text[]) t`
    sizes[name] = row?.bytes ?? 0
  }
  return sizes
}

async function directoryBytes(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Measures the bytes of the access log for one key, one operation and one minute. */
async function accessRow(pool: Pool, locationId: string): Promise<number> {
  const [before] = await pool<{ bytes: number }[]>`select pg_total_relation_size('access_entries') as bytes`
  const count = 20_000
  for (let i = 0; i < count; i += 1_000) {
    const reads = Array.from({ length: 1_000 }, (_, n) => ({
      kind: 'reads' as const,
      keyId: locationId,
      operation: 'GET /v1/orders/',
      minute: new Date(Date.parse('2026-01-01T00:00:00.000Z') + (i + n) * 60_000).toISOString(),
      requests: 1,
      refused: 0,
      rateLimited: 0,
      documents: 100,
      sequences: null,
      days: null,
    }))
    await appendAccess(pool, locationId, reads as never, { now: new Date() })
  }
  const [after] = await pool<{ bytes: number }[]>`select pg_total_relation_size('access_entries') as bytes`
  return ((after?.bytes ?? 0) - (before?.bytes ?? 0)) / count
}

/** Waits until the figures include the pushed data. */
async function folded(server: Server, site: Site, day: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${server.url}/v1/business-days/?since=${day}&until=${day}`, {
      headers: { 'x-api-key': site.key },
    })
    if (response.ok) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

/** Closes the fiscal year of the existing orders, by pushing an order of the next year. */
async function closeYear(server: Server, site: Site, { pool, next }: { pool: Pool; next: string }): Promise<number> {
  await pool`update locations set fiscal_year_starts = ${next.slice(5)} where id = ${site.locationId}`
  await server.cli('books', 'close', '--location', site.locationId, '--until', addDays(next, -1))
  // A single order suffices, and takes no space.
  const order = [...records(site.locationId, next, 1)].find((line) => line.startsWith('{"type":"order"'))
  await push(server, site, [String(order)])
  await folded(server, site, next)
  await server.cli('books', 'close', '--location', site.locationId, '--until', next)
  return Number(next.slice(0, 4)) - 1
}

type Place = { server: Server; site: Site; pool: Pool; directory: string }

/** Measures what archiving a closed year frees: space for later entries, and file sizes; and the archive itself. */
async function putAside({ server, site, pool, directory }: Place, next: string): Promise<Record<string, number>> {
  const year = await closeYear(server, site, { pool, next })
  const archive = join(directory, 'archive.zip')
  const asked = ['year', 'put-aside', '--location', site.locationId, '--year', String(year), '--archive', archive]
  const before = await sizesOf(pool)
  const took = await timed(() => server.cli(...asked))
  const [free] = await pool<{ bytes: number }[]>`
    select sum(pg_relation_size(t::regclass))::bigint as bytes from unnest('{journal,orders}'::text[]) t`
  await pool.unsafe('vacuum (full, analyze) journal')
  await pool.unsafe('vacuum (full, analyze) orders')
  const after = await sizesOf(pool)
  const { size } = await stat(archive)
  return {
    tookS: took / 1000,
    vacuumed: free?.bytes ?? 0,
    journalBefore: before['journal'] ?? 0,
    journal: after['journal'] ?? 0,
    orders: after['orders'] ?? 0,
    archive: size,
  }
}

/** Measures the size of a sale on disk, in the backup and in the access log, and what remains of an archived year. */
export async function sizes({ quick, orders = quick ? 260 : 10_000 }: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(join(directory, 'data'))
      later(() => server.stop())
      const { id: locationId } = await server.cli('location', 'create', '--name', 'Sizes')
      const { key } = await server.cli(
        'key',
        'create',
        '--location',
        locationId,
        '--scope',
        'read,webhooks,ingest,books',
      )
      const site = { locationId, key }
      const embedded = await openEmbeddedServer(server.dataDir)
      later(() => embedded.release())
      const pool = openPool({ url: toUrl(embedded.connection) }, { connections: 2, pipelining: true })
      later(() => pool.end({ timeout: 5 }))
      const days = Math.max(Math.round(orders / ordersPerDay), 1)
      await push(server, site, records(locationId, firstDay, days))
      await folded(server, site, addDays(firstDay, days - 1))
      for (const table of Object.values(groups).flat()) await pool.unsafe(`vacuum (full, analyze) ${table}`)
      const sizes = await sizesOf(pool)
      const [counts] = await pool<{ orders: number; entries: number }[]>`
        select (select count(*) from orders)::int as orders, (select count(*) from journal where kind = 'order')::int as entries`
      const count = counts?.orders ?? 1
      await server.cli('backup', join(directory, 'backup'))
      const backup = await directoryBytes(join(directory, 'backup'))
      const verify = await timed(() => server.cli('verify'))
      const access = await accessRow(pool, locationId)
      const page = await ask<{ meta: { totalCount: number } }>(server, site, '/v1/orders/?size=1')
      const aside = await putAside({ server, site, pool, directory }, addDays(firstDay, days))
      const perOrder = (bytes: number) => bytes / count / 1000
      const all = Object.values(sizes).reduce((sum, size) => sum + size, 0)
      const yearGB = (bytes: number) => ((bytes / count) * ordersPerDay * 365) / 1e9
      const figures: Figure[] = [
        ...Object.entries(sizes).map(([row, size]): Figure => ({
          row: `${row}, per order`,
          value: perOrder(size),
          unit: 'kB',
        })),
        {
          row: 'all of it, per order',
          value: perOrder(all),
          unit: 'kB',
          note: `a year of ${ordersPerDay} a day: ${yearGB(all).toFixed(2)} GB`,
        },
        { row: 'backup, per order', value: perOrder(backup), unit: 'kB', note: 'not encrypted' },
        { row: 'archive of the year, per order', value: perOrder(aside['archive'] ?? 0), unit: 'kB' },
        {
          row: 'journal, per order, put aside',
          value: perOrder(aside['journal'] ?? 0),
          unit: 'kB',
          note: 'its files made smaller',
        },
        {
          row: 'all of it, per order, put aside',
          value: perOrder(all - (sizes['journal'] ?? 0) + (aside['journal'] ?? 0)),
          unit: 'kB',
          note: `a year: ${yearGB(all - (sizes['journal'] ?? 0) + (aside['journal'] ?? 0)).toFixed(2)} GB`,
        },
        { row: 'log of access, a key, operation and minute', value: access / 1000, unit: 'kB' },
        { row: 'verify, 1,000 orders', value: verify / count, unit: 's' },
        { row: 'put aside, 1,000 orders', value: ((aside['tookS'] ?? 0) / count) * 1000, unit: 's' },
      ]
      return {
        title: `Sizes: ${count.toLocaleString('en-US')} orders of ${days} days`,
        remarks: [
          `${((counts?.entries ?? 0) / count).toFixed(1)} versions an order; ${page.meta.totalCount.toLocaleString('en-US')} of them closed; tables as small as they can be (vacuum full)`,
        ],
        figures,
        races: [],
      }
    }),
  )
}
