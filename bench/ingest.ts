import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { openCopy } from './support/copy.ts'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { Agent } from 'undici'
import type { Order } from '../src/core/contract/orders/schema.ts'
import { peakMemory, pushBesideImport, readFigures, type Make } from './ingest-beside.ts'
import { measureCost } from './ingest-cost.ts'
import { ownSink, pushInBulk, pushSingly, startPeers, type Sink } from './ingest-contestants.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { interleave, median, percentile, timed } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import { show, describeFigure, type Figure, type Report } from './support/report.ts'
import { addSite, push, startServer, withCleanup, withDirectory, type Site } from './support/server.ts'

const run = promisify(execFile)

/** The published form: JavaScript, so that Node does not have to strip types. */
const program = resolve(import.meta.dirname, '../bin/tillgate.cjs')

const pushers = 16

/** The columns of a row of `orders`, in the order of `copyLine`. */
const copyColumns =
  'location_id, id, created_at, updated_at, closed_at, closed, canceled, transferred, paid, seq, document, ' +
  'number, device_id, operator_id, channel, service_type, training'

/** Returns one line of COPY's text format; documents have no tabs or line ends, but backslashes. */
function copyLine(line: string, seq: number): string {
  const document = line.slice(line.indexOf('"data":') + '"data":'.length, line.lastIndexOf('}'))
  const { locationId, id, createdAt, updatedAt, closedAt, ...order } = JSON.parse(document) as Order
  const state = [locationId, id, createdAt, updatedAt, closedAt, 't', 'f', 'f', 't', seq]
  const properties = [order.orderNumber, order.deviceId, order.operatorId, order.channel, order.serviceType, 'f']
  const row = [...state, document.replaceAll('\\', '\\\\'), ...properties]
  return `${row.join('\t')}\n`
}

/** Copies rows by one statement into a table with the same columns and indexes. Resolves to rows per second. */
async function copy(sql: Pool, data: Buffer, rows: number): Promise<number> {
  const ms = await timed(async () => {
    const stream = await openCopy(sql, `copy orders_copied (${copyColumns}) from stdin`)
    stream.end(data)
    await finished(stream)
  })
  return (rows * 1000) / ms
}

/** Parts that can be run alone (`--only bulk,beside`). */
const contests = ['bulk', 'single', 'file', 'cost', 'beside', 'reads', 'memory']

const countOf = (n: number) => n.toLocaleString('en-US')

/** A file of several years has this many times the orders of a push. */
const fileFactor = 10

type Rates = Record<string, number>

/** Returns, for each peer, the rates of Tillgate divided by the rates of the peer, with their aims. */
function besidePeers(rates: Rates, peers: readonly string[]): Figure[] {
  const bulkAims: Rates = { 'Fastify + pg': 2.5, 'Fastify + Prisma': 10 }
  const of = (name: string) => rates[name] ?? Number.NaN
  return peers.flatMap((name): Figure[] => {
    const [bulk, single, column] = [of(`${name}, bulk`), of(`${name}, one by one`), `/ ${name}`]
    const toBulk = { row: bulkRow, column, value: of('ndjson') / bulk, unit: 'x' } as const
    const toOne = { row: singleRow, column, value: of('single') / single, unit: 'x' } as const
    const toMany = { row: manyRow, column, value: of('many') / single, unit: 'x' } as const
    const least = bulkAims[name]
    const [one, many] = name === 'Fastify + pg' ? [{ aim: { least: 3 } }, { aim: { least: 3 } }] : []
    return [
      { ...toBulk, ...(least !== undefined && { aim: { least } }) },
      { ...toOne, ...one },
      { ...toMany, ...many },
    ]
  })
}

const bulkRow = 'NDJSON over HTTP'
const singleRow = `single orders, ${pushers} connections, 1 location`
const manyRow = `single orders, ${pushers} connections, ${pushers} locations`
const fileRow = 'tillgate import'
const besideRow = (which: string) => `single push beside an import, ${which}`

function figuresOf(rates: Rates, peers: readonly string[]): Figure[] {
  const of = (name: string) => rates[name] ?? Number.NaN
  const share = (name: string, copied: string) => (100 * of(name)) / of(copied)
  const own: Figure[] = [
    { row: bulkRow, column: 'Tillgate', value: of('ndjson'), unit: '/s' },
    { row: bulkRow, column: 'of COPY', value: share('ndjson', 'copy'), unit: '%', aim: { least: 50 } },
    { row: fileRow, column: 'Tillgate', value: of('file'), unit: '/s' },
    { row: fileRow, column: 'of COPY', value: share('file', 'copied file'), unit: '%', aim: { least: 60 } },
    { row: singleRow, column: 'Tillgate', value: of('single'), unit: '/s' },
    { row: manyRow, column: 'Tillgate', value: of('many'), unit: '/s' },
  ]
  return [...own, ...besidePeers(rates, peers)]
}

/**
 * Measures how fast pushed data is stored durably: state, counters, journal and its chain. Responses follow the commit.
 */
export async function ingest(options: Options): Promise<Report> {
  const { quick, orders = quick ? 1_000 : 10_000, rounds = quick ? 1 : 5, profile, only } = options
  const unknown = only.filter((name) => !contests.includes(name))
  if (unknown.length > 0) throw new Error(`There is no contest ${unknown.join(', ')}, only ${contests.join(', ')}.`)
  const isAsked = (contest: string) => only.length === 0 || only.includes(contest)
  await run('npm', ['run', '-s', 'build'], { cwd: resolve(import.meta.dirname, '..') })
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { profile, args: ['--role', 'api'] })
      later(() => server.stop())
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const sql = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => sql.end())
      await sql`create table orders_copied (like orders including all)`
      // `like` does not copy this setting. Without it, COPY would compress long documents, unlike `orders`.
      await sql`alter table orders_copied set (toast_tuple_target = 8160)`
      const agent = new Agent({ connections: pushers })
      later(() => agent.close())
      const sites: Site[] = []
      for (let i = 0; i < pushers; i++) sites.push(await addSite(server, `Ingest ${i + 1}`))
      const [site, other] = sites as [Site, Site]
      const own = ownSink(server)
      const { sinks, remarks } = await startPeers(embedded, sites, later)

      let salt = 0
      /** Returns new orders each time, on a separate day, as tills send them: the sites alternate. */
      const makeOf = (of: readonly Site[], count: number) => {
        salt += 1
        const from = new Date(Date.parse('2020-01-01') + salt * 86_400_000).toISOString().slice(0, 10)
        const lines = [...orderLines({ locationId: site.locationId, count, perDay: count, from, salt })]
        return lines.map((line, i) => line.replace(site.locationId, (of[i % of.length] as Site).locationId))
      }
      const make: Make = (of, count) => makeOf([of], count)
      const rate = (count: number, ms: number) => (count * 1000) / ms
      /** Writes and vacuums what the previous measurement left, so that the next one is not charged for it. */
      const rest = async (database = sql) => {
        await database`vacuum analyze`
        await sql`checkpoint`
      }
      const copyOf = (count: number) => async () => {
        const data = Buffer.from(make(site, count).map(copyLine).join(''))
        await rest()
        return copy(sql, data, count)
      }
      const singly = (sink: Sink, of: readonly Site[]) => async () => {
        const lines = makeOf(of, orders / 5)
        await rest(sink.sql)
        return pushSingly(sink, of, lines, { agent, connections: pushers })
      }
      const inBulk = (sink: Sink) => async () => {
        const lines = make(site, orders / 2)
        await rest(sink.sql)
        return pushInBulk(sink, site, lines, agent)
      }
      const path = join(directory, 'orders.ndjson')
      const contestants: Record<string, () => Promise<number>> = {}
      if (isAsked('bulk')) {
        contestants['copy'] = copyOf(orders)
        contestants['ndjson'] = async () => {
          const lines = make(site, orders)
          await rest()
          return rate(orders, await timed(() => push(server, site, lines)))
        }
        for (const sink of sinks) contestants[`${sink.name}, bulk`] = inBulk(sink)
      }
      if (isAsked('single')) {
        contestants['single'] = singly(own, [site])
        contestants['many'] = singly(own, sites)
        for (const sink of sinks) contestants[`${sink.name}, one by one`] = singly(sink, sites)
      }
      const files: Record<string, () => Promise<number>> = {
        'copied file': copyOf(fileFactor * orders),
        file: async () => {
          await writeFile(path, make(site, fileFactor * orders).join(''))
          await rest()
          const args = [program, 'import', path, '--location', site.locationId, '--json', '--data-dir', directory]
          return rate(fileFactor * orders, await timed(() => run(process.execPath, args)))
        },
      }
      const rates: Rates = {}
      const warmup = quick ? 0 : 1
      const tell = (name: string, result: number) => console.log(`    ${name}: ${show(result, '/s')}`)
      for (const [name, values] of Object.entries(await interleave(contestants, rounds, warmup, tell)))
        rates[name] = median(values)
      const fileRounds = isAsked('file') ? Math.ceil(rounds / 2) : 0
      for (const [name, values] of Object.entries(await interleave(files, fileRounds, 0, tell)))
        rates[name] = median(values)
      const figures: Figure[] = []
      /** Collects figures, and prints them at once. */
      const found = (...more: Figure[]) => {
        figures.push(...more)
        for (const figure of more) console.log(`    ${describeFigure(figure)}`)
      }
      const names = sinks.map(({ name }) => name)
      found(...figuresOf(rates, names).filter(({ value }) => !Number.isNaN(value)))

      if (isAsked('cost')) {
        const [few, prepared] = [orders / 5, async (work: () => Promise<unknown>) => (await rest(), work)]
        const bulk = (count: number) => make(site, count)
        const copied = async () => {
          const data = Buffer.from(bulk(orders).map(copyLine).join(''))
          return prepared(() => copy(sql, data, orders))
        }
        const pushed = async () => {
          const lines = bulk(orders)
          return prepared(() => push(server, site, lines))
        }
        const singles = (of: readonly Site[]) => async () => {
          const lines = makeOf(of, few)
          return prepared(() => pushSingly(own, of, lines, { agent, connections: pushers }))
        }
        const measured = [
          { row: 'COPY', orders, prepare: copied },
          { row: bulkRow, orders, prepare: pushed },
          { row: singleRow, orders: few, prepare: singles([site]) },
          { row: manyRow, orders: few, prepare: singles(sites) },
        ]
        found(...(await measureCost(server, embedded, measured, rounds)))
      }
      if (isAsked('beside')) {
        await writeFile(path, make(site, fileFactor * orders).join(''))
        await rest()
        const to = { sink: own, till: other, importing: site, path }
        const pushes = await pushBesideImport(server, { ...to, lines: make(other, orders) })
        found(
          { row: besideRow('p50'), column: 'Tillgate', value: percentile(pushes, 0.5), unit: 'ms' },
          { row: besideRow('p99'), column: 'Tillgate', value: percentile(pushes, 0.99), unit: 'ms', aim: { most: 10 } },
        )
      }
      if (isAsked('reads')) found(...(await readFigures(server, { site, make }, quick ? 1 : rounds)))
      if (isAsked('memory')) {
        const [some, more] = [make(site, orders), make(site, 5 * orders)]
        const least = await peakMemory(server, () => push(server, site, some))
        const most = await peakMemory(server, () => push(server, site, more))
        if (least !== undefined && most !== undefined) {
          const row = 'most memory of serve'
          const one = { row: `${row}, ${countOf(orders)} orders in a push`, column: 'Tillgate', unit: 'MB' } as const
          const five = { row: `${row}, five times as many`, column: 'Tillgate', value: most, unit: 'MB' } as const
          const aim = { most: 1.2 }
          const ratio = { row: five.row, column: 'of the former', value: most / least, unit: 'x', aim } as const
          found({ ...one, value: least }, five, ratio)
        }
      }
      const lane = (name: string, value = rates[name] ?? Number.NaN) => ({ name, value })
      return {
        title: `Ingest: ${countOf(orders)} new orders at a time, durable`,
        remarks: [
          `medians of ${rounds} rounds in turn; the client takes its share of the machine`,
          'COPY is bare: the same documents, columns and indexes, and no comparing, no journal, no chain, no HTTP',
          `${fileRow}: ${countOf(fileFactor * orders)} orders, from the start of the command to its end, beside COPY of as many`,
          'peers store normalized tables, check nothing and keep no history; their bulk endpoint takes 500 orders a request',
          ...remarks,
        ],
        figures,
        // A chart shows all contestants.
        races:
          only.length > 0
            ? []
            : [
                {
                  title: 'Orders stored in bulk',
                  unit: '/s',
                  lanes: [
                    lane('Tillgate, NDJSON', rates['ndjson']),
                    lane('tillgate import', rates['file']),
                    lane('bare COPY', rates['copy']),
                    ...sinks.map(({ name }) => lane(name, rates[`${name}, bulk`])),
                  ],
                },
                {
                  title: `Orders stored one by one, ${pushers} connections`,
                  unit: '/s',
                  lanes: [
                    lane('Tillgate', rates['many']),
                    lane('Tillgate, one location', rates['single']),
                    ...sinks.map(({ name }) => lane(name, rates[`${name}, one by one`])),
                  ],
                },
              ],
      }
    }),
  )
}
