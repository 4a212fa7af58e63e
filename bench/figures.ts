import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { addDays } from '../src/core/domain/days/business-time.ts'
import { stepProjection, type Projection } from '../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../src/modules/figures/projections/sales.ts'
import { Hints } from '../src/core/store/db/hints.ts'
import type { Options } from './options.ts'
import { caughtUp, pushBeside } from './figures-ingest.ts'
import { openEmbeddedServer, toUrl, type EmbeddedServer } from './support/embedded.ts'
import { interleave, median, percentile, timed } from './support/figures.ts'
import { copyJournal } from './support/journal.ts'
import { orderLines } from './support/orders.ts'
import type { Report } from './support/report.ts'
import { addSite, ask, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'
import { openNormalised, type Sold } from './support/views.ts'

const perDay = 250
const from = '2016-01-01'

/** Number of latest orders that are also in the tables and the view; the queried year has fewer. */
const comparedOrders = 200_000

/** Prints the progress, because building years of history takes minutes. */
const note = (text: string) => console.error(`  ${new Date().toISOString().slice(11, 19)} ${text}`)

type Table = { data: { key: string; salesInclTax: number }[] }

/** Number of orders that are copied at once, while earlier ones are folded. */
const copiedAtOnce = 250_000

/**
 * Copies years of orders into a journal while a server maintains the projections, and resolves to the number of entries
 * once everything is folded.
 */
async function build(
  directory: string,
  { sql, pool, embedded }: { sql: Pool; pool: Pool; embedded: EmbeddedServer },
  { locationId }: Site,
  orders: number,
): Promise<number> {
  const projector = await startServer(directory, {
    args: ['--role', 'delivery'],
    databaseUrl: toUrl(embedded.connection),
  })
  const hints = new Hints(pool)
  try {
    let entries = 0
    while (entries < orders) {
      const count = Math.min(entries + copiedAtOnce, orders)
      entries = await copyJournal(
        sql,
        locationId,
        orderLines({ locationId, count, perDay, from, skip: entries }),
        entries,
      )
      hints.committed(locationId)
      note(`${entries} of ${orders} entries copied`)
    }
    await caughtUp(pool, locationId)
    await sql`vacuum analyze journal, sales_cells`
    note('projections built')
    return entries
  } finally {
    await projector.stop()
  }
}

async function catchUp(pool: Pool, projection: Projection, locationId: string): Promise<void> {
  while ((await stepProjection(pool, projection, locationId)) === 'behind');
}

const byProduct = async (server: Server, site: Site, since: string, until: string): Promise<Sold[]> => {
  const { data } = await ask<Table>(server, site, `/v1/sales/?by=product&since=${since}&until=${until}`)
  return data.map(({ key, salesInclTax }) => ({ key, sales: salesInclTax }))
}

function assertSame(found: Sold[], expected: Sold[], what: string): void {
  const sorted = (sold: Sold[]) => JSON.stringify(sold.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
  if (found.length === 0 || sorted(found) !== sorted(expected)) throw new Error(`${what} is not what Tillgate answers`)
}

/** Requests again with the ETag of the previous response; throws unless it is unchanged. */
async function poll({ url }: Server, { key }: Site, path: string): Promise<() => Promise<object>> {
  const { headers } = await fetch(url + path, { headers: { 'x-api-key': key } })
  const etag = headers.get('etag') ?? ''
  return async () => {
    const again = await fetch(url + path, { headers: { 'x-api-key': key, 'if-none-match': etag } })
    await again.arrayBuffer()
    if (again.status !== 304) throw new Error(`${path} answered ${again.status} where nothing happened`)
    return again
  }
}

/**
 * Measures the cost of figures: a location with years of orders, whose journal is copied into the database and then
 * folded by the projection itself. The same queries are run on normalized tables of the same orders and on a
 * materialized view of them.
 */
export async function figures({
  quick,
  orders = quick ? 3_000 : 1_000_000,
  rounds = quick ? 5 : 60,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { args: ['--role', 'api'] })
      later(() => server.stop())
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const sql = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => sql.end())
      const pool = openPool(embedded.connection, { connections: 2, pipelining: true })
      later(() => pool.end())
      const years = await addSite(server, 'Years of history')
      const [fresh, anew] = [await addSite(server, 'Ingest'), await addSite(server, 'Rebuild')]
      const lines = (skip: number) => orderLines({ locationId: years.locationId, count: orders, perDay, from, skip })
      // The copied entries begin at 1, and replace the entry that created the location.
      await sql`delete from journal where location_id = ${years.locationId}`
      const entries = await build(directory, { sql, pool, embedded }, years, orders)
      const skip = Math.max(orders - comparedOrders, 0)
      const normalised = await openNormalised(embedded, years.locationId, lines(skip))
      later(() => normalised.end())

      note('tables and view built')
      const last = addDays(from, Math.floor((orders - 1) / perDay))
      const month = [addDays(last, -29), last] as const
      const firstMonth = [from, addDays(from, 29)] as const
      const year = [addDays(last, -364), last] as const
      for (const range of [month, year]) {
        const answer = await byProduct(server, years, ...range)
        assertSame(await normalised.fromRows(...range), answer, 'the answer of normalised tables')
        assertSame(await normalised.fromView(...range), answer, 'the answer of the view')
      }
      const unchanged = await poll(server, years, `/v1/sales/?by=product&since=${year[0]}&until=${year[1]}`)
      const head = await poll(server, years, '/v1/journal/head')
      const times = await interleave(
        {
          month: () => byProduct(server, years, ...month),
          year: () => byProduct(server, years, ...year),
          monthRows: () => normalised.fromRows(...month),
          yearRows: () => normalised.fromRows(...year),
          monthView: () => normalised.fromView(...month),
          yearView: () => normalised.fromView(...year),
        },
        rounds,
      )
      // Measured separately: a slow query leaves garbage, and the next query would pay for its collection.
      const apart = await interleave(
        {
          month: () => byProduct(server, years, ...month),
          firstMonth: () => byProduct(server, years, ...firstMonth),
          year: () => byProduct(server, years, ...year),
        },
        rounds * 3,
      )
      // Measured in both orders: a query also pays for the garbage of a year's query before it.
      const polls = await interleave({ unchanged, head, headAgain: head, unchangedAgain: unchanged }, rounds * 10)
      note('asked')
      const refreshes = await interleave({ refresh: () => normalised.refresh() as Promise<object> }, quick ? 1 : 5, 0)

      // Only a part of the years, because it is measured without other load.
      const part = { locationId: anew.locationId, count: Math.min(orders, 50_000), perDay, from }
      await sql`delete from journal where location_id = ${anew.locationId}`
      const rebuilt = await copyJournal(sql, anew.locationId, orderLines(part))
      await sql`vacuum analyze journal`
      const rebuildMs = await timed(() => catchUp(pool, salesProjection, anew.locationId))
      note('built anew')

      const pushes = quick ? { count: 500, rounds: 1 } : { count: 40_000, rounds: 3 }
      const pushed = await pushBeside(directory, { site: fresh, embedded, pool, ...pushes })
      note('pushed')

      const ms = (name: keyof typeof times) => median(times[name])
      const p95 = (name: keyof typeof apart) => percentile(apart[name], 0.95)
      const refresh = median(refreshes.refresh)
      return {
        title: `Figures: ${entries.toLocaleString('en-US')} orders of one location, ${perDay} a day`,
        remarks: [
          `one request at a time over HTTP, ${rounds} rounds in turn with tables and view, which are asked without HTTP over one connection, and ${rounds * 3} apart from them`,
          `tables and view hold the latest ${Math.min(orders, comparedOrders).toLocaleString('en-US')} orders`,
          'every answer was compared with that of the tables and of the view',
          'pushes with projections go to `tillgate serve`, those without to one that has no projector, while the other one is stopped',
        ],
        figures: [
          { row: 'month by product, p95', value: p95('month'), unit: 'ms', aim: { most: 10 } },
          { row: 'year by product, p95', value: p95('year'), unit: 'ms', aim: { most: 40 } },
          {
            row: 'month by product in turn with tables and view, p95',
            value: percentile(times.month, 0.95),
            unit: 'ms',
            note: `and a year ${percentile(times.year, 0.95).toFixed(1)} ms`,
          },
          {
            row: 'last month / first month',
            value: median(apart.month) / median(apart.firstMonth),
            unit: 'x',
            aim: { most: 1.5 },
          },
          {
            row: 'poll that finds nothing new / head of the journal',
            value: median([...polls.unchanged, ...polls.unchangedAgain]) / median([...polls.head, ...polls.headAgain]),
            unit: 'x',
            aim: { most: 1 },
          },
          { row: 'rebuild', value: (rebuilt * 1000) / rebuildMs, unit: '/s', aim: { least: 10_000 } },
          ...pushed,
          { row: 'normalised tables / Tillgate, month', value: ms('monthRows') / ms('month'), unit: 'x' },
          { row: 'normalised tables / Tillgate, year', value: ms('yearRows') / ms('year'), unit: 'x' },
          { row: 'materialised view / Tillgate, month', value: ms('monthView') / ms('month'), unit: 'x' },
          { row: 'materialised view / Tillgate, year', value: ms('yearView') / ms('year'), unit: 'x' },
          {
            row: 'refresh of the view / year by product',
            value: refresh / ms('year'),
            unit: 'x',
            note: `${refresh.toFixed(0)} ms, after which it is exact until the next order`,
          },
        ],
        races: [],
      }
    }),
  )
}
