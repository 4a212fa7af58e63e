import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { findServerAccount } from '../src/core/embedded/accounts.ts'
import { findBinaries, prepareBinaries } from '../src/core/embedded/binaries.ts'
import { run } from '../src/core/embedded/processes.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { ask, push, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'

/** The server's statistics of the statements in a piece of work. */
type Cost = { statements: number; buffers: number; ms: number }

export type Work = { row: string; run: () => Promise<unknown> }

export const perDay = 100
const until = '2025-12-31'

const daysBefore = (days: number) => new Date(Date.parse(until) - days * 86_400_000).toISOString().slice(0, 10)

/**
 * Makes the server count what each statement reads. This requires a superuser, which no connection has, so it is done
 * while no server runs.
 */
export async function countStatements(directory: string): Promise<void> {
  const server = await openEmbeddedServer(directory)
  await server.release()
  const cluster = join(directory, 'postgres')
  const account = await findServerAccount([cluster])
  const { postgres: program, env } = await prepareBinaries(await findBinaries(null), account, {
    // The server has run, so what it needs exists.
    prepareSystemDir: async () => '/var/lib/tillgate',
    linksDir: directory,
  })
  const args = ['--single', '-D', cluster, server.connection.database]
  const input = 'create extension pg_stat_statements;\n'
  const { ok, output } = await run(program, args, { account, env, signal: undefined, input })
  if (!ok) throw new Error(output)
  await appendFile(join(cluster, 'postgresql.conf'), "shared_preload_libraries = 'pg_stat_statements'\n")
}

/** Creates years of an invented restaurant, with its Z reports, by the usual commands. */
export async function fill(server: Server, directory: string, orders: number): Promise<Site> {
  const from = daysBefore(Math.ceil(orders / perDay) - 1)
  const file = join(directory, 'years.ndjson.gz')
  await server.cli('simulate', '--from', from, '--to', until, '--orders-per-day', String(perDay), '--out', file)
  await server.cli('import', file)
  const [{ id: locationId }] = (await server.cli('location', 'list')) as [{ id: string }]
  const { key } = await server.cli('key', 'create', '--location', locationId, '--scope', 'read,webhooks,ingest')
  return { locationId, key }
}

type Named = { data: { id: string; deviceId?: string; orderNumber?: string }[] }

/** Waits for the projections that follow an import; otherwise their work would be counted with the requests. */
export async function settled(server: Server, site: Site, own: Pool): Promise<void> {
  const days = `since=${until}&until=${until}`
  for (;;) {
    // A request for figures causes them to be built.
    for (const path of [`sales/?${days}`, `reports/checks/?${days}`]) {
      const { status } = await fetch(`${server.url}/v1/${path}`, { headers: { 'x-api-key': site.key } })
      if (status !== 200 && status !== 503) throw new Error(`${path} answered ${status}`)
    }
    const [row] = await own<[{ n: number }]>`
      select count(*)::int as n from projections p join location_seq s using (location_id) where p.live and p.seq = s.last_seq`
    // The projections of sales and of days.
    if (row.n >= 2) return
    await delay(500)
  }
}

/** Resolves to the requests of the tables in docs/operate/sql.md. Day and month are in the middle of the orders. */
export async function requests(server: Server, site: Site, orders: number): Promise<Work[]> {
  const middle = Math.floor(orders / perDay / 2)
  const day = daysBefore(middle)
  const month = `since=${daysBefore(middle + 15)}&until=${daysBefore(middle - 14)}`
  const get = <T = Named>(path: string) => ask<T>(server, site, `/v1/${path}`)
  const [{ data: found }, { data: reports }] = await Promise.all([
    get(`orders/?since=${day}&size=1`),
    get(`reports/?since=${day}&size=1`),
  ])
  const [order, report] = [found[0]!, reports[0]!]
  const { meta } = await get<{ meta: { totalPage: number } }>('orders/?size=100')
  const { meta: feed } = await get<{ meta: { head: number } }>('events/?limit=1')
  let pushed = 0
  const lines = (count: number) => {
    pushed += 1
    const from = new Date(Date.parse(until) + pushed * 86_400_000).toISOString().slice(0, 10)
    return orderLines({ locationId: site.locationId, count, perDay: 500, from })
  }
  const read = (row: string, path: string): Work => ({ row, run: () => get(path) })
  return [
    read('one order', `orders/${order.id}`),
    read('one report', `reports/${report.id}`),
    read('100 orders, first page', 'orders/?size=100'),
    read('100 orders, at 95 %', `orders/?size=100&index=${Math.floor(meta.totalPage * 0.95)}`),
    read('orders of one day', `orders/?since=${day}&until=${day}&size=100`),
    read('open orders, none there', 'orders/?state=open'),
    read('100 reports', 'reports/?size=100'),
    read('orders of one report', `orders/?reportId=${report.id}&size=100`),
    read(
      'one number, page of 10',
      `orders/?number=${encodeURIComponent(order.orderNumber ?? '')}&size=10&sort=-createdAt`,
    ),
    read('one till in a month', `orders/?deviceId=${order.deviceId}&${month}&size=10`),
    read('one till over all years', `orders/?deviceId=${order.deviceId}&size=10`),
    read('reconciliation of one report', `reports/${report.id}/reconciliation`),
    read('catalog', 'catalog/'),
    read('location', 'locations/own'),
    read('500 entries of the feed', `events/?after=${Math.floor(feed.head / 2)}&limit=500`),
    read('the feed at its head', `events/?after=${feed.head}`),
    read('sales of a month by product', `sales/?${month}&by=product`),
    read('sales of a year by product', 'sales/?since=2025-01-01&until=2025-12-31&by=product'),
    { row: 'push of one new order', run: () => push(server, site, lines(1)) },
    { row: 'push of 500 new orders', run: () => push(server, site, lines(500)) },
  ]
}

/**
 * Measures what a request costs the database: statements, buffers of 8 kB, and time without network and driver, from
 * `pg_stat_statements` of the embedded server, warm. The figures of docs/operate/sql.md come from it.
 */
export async function sql({
  quick,
  orders = quick ? 2_000 : 200_000,
  rounds = quick ? 3 : 20,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      await countStatements(directory)
      const server = await startServer(directory, { args: ['--role', 'api'] })
      later(() => server.stop())
      const site = await fill(server, directory, orders)
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const own = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => own.end())
      await settled(server, site, own)
      await own`vacuum analyze`
      const countedSoFar = async (): Promise<Cost> => {
        const [row] = await own<[Cost]>`
          select coalesce(sum(calls), 0)::float8 as statements, coalesce(sum(total_exec_time), 0)::float8 as ms,
            coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 as buffers
          from pg_stat_statements where query not like '%pg_stat_statements%'`
        return row
      }
      const costOf = async (work: Work): Promise<Cost> => {
        await work.run()
        const before = await countedSoFar()
        for (let round = 0; round < rounds; round++) await work.run()
        const after = await countedSoFar()
        const mean = (name: keyof Cost) => (after[name] - before[name]) / rounds
        return { statements: mean('statements'), buffers: mean('buffers'), ms: mean('ms') }
      }
      const figures: Figure[] = []
      for (const work of await requests(server, site, orders)) {
        const cost = await costOf(work)
        figures.push(
          { row: work.row, column: 'statements', value: cost.statements, unit: 'calls' },
          { row: work.row, column: 'buffers', value: cost.buffers, unit: 'buffers' },
          { row: work.row, column: 'time', value: cost.ms, unit: 'ms' },
        )
      }
      const [{ version, size }] = await own<[{ version: string; size: string }]>`
        select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size`
      return {
        title: `SQL: what a request costs PostgreSQL ${version}`,
        remarks: [
          `one location with ${orders.toLocaleString('en-US')} orders, ${perDay} a day, with their Z reports; ${size} in all`,
          `means of ${rounds} calls on warm buffers of 8 kB, vacuumed before; a push has the statements of the projections that follow it`,
        ],
        figures,
        races: [],
      }
    }),
  )
}
