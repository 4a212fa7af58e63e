import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openPool } from '../src/core/store/db/database.ts'
import type { Options } from './options.ts'
import { storeWorks } from './plans-store.ts'
import { countStatements, fill, perDay, requests, settled, type Work } from './sql.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import type { Figure, Report } from './support/report.ts'
import { startServer, withCleanup, withDirectory } from './support/server.ts'

/** A node of a plan as `auto_explain` logs it in JSON. */
type Node = {
  'Node Type': string
  'Index Name'?: string
  'Relation Name'?: string
  'CTE Name'?: string
  Operation?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

type Logged = { 'Query Text': string; Plan: Node; ms: number }

/** Every statement of the server is logged with its plan, its rows and its buffers. */
const settings = `
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_timing = off
auto_explain.log_format = json
auto_explain.log_parameter_max_length = 0
`

/** Returns the plans in a part of the server's log: the second and later lines of an entry begin with a tab. */
function parsePlans(log: string): Logged[] {
  return [...log.matchAll(/ duration: ([\d.]+) ms +plan:\n((?:\t.*\n)+)/g)].map(([, ms, text = '']) => ({
    ...(JSON.parse(text) as Omit<Logged, 'ms'>),
    ms: Number(ms),
  }))
}

/**
 * Describes a plan: `Index Scan using orders_created on orders: 100 rows`, with its inputs in brackets. Omits nodes that
 * only pass on rows.
 */
function describe(node: Node): string {
  const { 'Node Type': type, 'Index Name': index, 'Relation Name': table, Operation: operation, Plans = [] } = node
  const fed = Plans.map(describe).filter((text) => text !== '')
  const isScan = type.includes('Scan') && (table !== undefined || index !== undefined)
  if (!isScan && operation === undefined) return fed.join('; ')
  const name = operation ? `${operation}${table ? ` ${table}` : ''}` : type
  const by = index ? ` using ${index}` : ''
  const on = operation || !table ? '' : ` on ${table}`
  const rows = operation ? '' : `: ${Math.round(node['Actual Rows'] * node['Actual Loops'])} rows`
  return `${name}${by}${on}${rows}${fed.length > 0 ? ` [${fed.join('; ')}]` : ''}`
}

/** Removes surplus white space, and cuts lists of values that are as long as the batch. */
const shorten = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 160)

/**
 * Explains each statement of each request of `npm run bench -- sql`, and statements outside of requests, by
 * `auto_explain` of the embedded server: indexes, rows, buffers and time. docs/operate/sql.md has the results.
 */
export async function plans({ quick, orders = quick ? 2_000 : 60_000 }: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      await countStatements(directory)
      const conf = join(directory, 'postgres', 'postgresql.conf')
      await appendFile(conf, "shared_preload_libraries = 'pg_stat_statements, auto_explain'\n")
      await appendFile(conf, 'auto_explain.log_min_duration = -1\n')
      const server = await startServer(directory, { args: ['--role', 'api'] })
      later(() => server.stop())
      const site = await fill(server, directory, orders)
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const own = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => own.end())
      await settled(server, site, own)
      await own`vacuum analyze`
      await appendFile(conf, settings)
      process.kill(embedded.pid, 'SIGHUP')
      const log = join(directory, 'postgres.log')
      const figures: Figure[] = []
      const show = async ({ row, run }: Work) => {
        await run()
        await delay(300)
        const { size } = await stat(log)
        await run()
        // The database server writes its log separately, some milliseconds after its response.
        await delay(300)
        const text = (await readFile(log)).subarray(size).toString('utf8')
        console.log(`\n${row}`)
        let buffers = 0
        for (const { 'Query Text': query, Plan: plan, ms } of parsePlans(text)) {
          const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
          buffers += blocks
          console.log(`- ${shorten(query)}\n  ${describe(plan) || plan['Node Type']}; ${blocks} buffers, ${ms} ms`)
        }
        figures.push({ row, column: 'buffers', value: buffers, unit: 'buffers' })
      }
      for (const work of await requests(server, site, orders)) await show(work)
      // A running server would also process the locations created here.
      await server.stop()
      const pool = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => pool.end())
      for (const work of await storeWorks(pool, site.locationId, orders)) await show(work)
      const [{ version }] = await own<[{ version: string }]>`select current_setting('server_version') as version`
      return {
        title: `Plans of PostgreSQL ${version}`,
        remarks: [`one location with ${orders.toLocaleString('en-US')} orders, ${perDay} a day, vacuumed before`],
        figures,
        races: [],
      }
    }),
  )
}
