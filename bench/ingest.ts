import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { Agent, request } from 'undici'
import type { Order } from '../src/schemas/orders.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { interleave, median, timed } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import type { Report } from './support/report.ts'
import { addSite, push, startServer, withCleanup, withDirectory, type Server, type Site } from './support/server.ts'

const run = promisify(execFile)

const main = resolve(import.meta.dirname, '../src/main.ts')

const pushers = 16

/** Orders a second, pushed one by one over so many connections at once. */
export async function pushSingly(
  { url }: Server,
  { key }: Site,
  lines: readonly string[],
  agent: Agent,
): Promise<number> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  let next = 0
  const lane = async () => {
    for (let body = lines[next++]; body !== undefined; body = lines[next++]) {
      const answer = await request(`${url}/v1/ingest/`, { method: 'POST', headers, body, dispatcher: agent })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`ingest answered ${answer.statusCode}`)
    }
  }
  const ms = await timed(() => Promise.all(Array.from({ length: pushers }, lane)))
  return (lines.length * 1000) / ms
}

/** What a row of `orders` has, in the order of `copyLine`. */
const copyColumns =
  'location_id, id, created_at, updated_at, closed_at, closed, canceled, transferred, paid, seq, document, ' +
  'number, device_id, operator_id, channel, service_type, training'

/** One line of COPY's text format; documents have no tabs or line ends, but backslashes. */
function copyLine(line: string, seq: number): string {
  const document = line.slice(line.indexOf('"data":') + '"data":'.length, line.lastIndexOf('}'))
  const { locationId, id, createdAt, updatedAt, closedAt, ...order } = JSON.parse(document) as Order
  const state = [locationId, id, createdAt, updatedAt, closedAt, 't', 'f', 'f', 't', seq]
  const properties = [order.orderNumber, order.deviceId, order.operatorId, order.channel, order.serviceType, 'f']
  const row = [...state, document.replaceAll('\\', '\\\\'), ...properties]
  return `${row.join('\t')}\n`
}

/** Rows a second, copied by one statement into a table of the same columns and indexes. */
async function copy(sql: postgres.Sql, data: Buffer, rows: number): Promise<number> {
  const ms = await timed(async () => {
    const stream = await sql.unsafe(`copy orders_copied (${copyColumns}) from stdin`).writable()
    stream.end(data)
    await finished(stream)
  })
  return (rows * 1000) / ms
}

/** How fast what a till says is stored for good: state, counters, journal and its chain, answered after the commit. */
export async function ingest({
  quick,
  orders = quick ? 2_000 : 10_000,
  rounds = 5,
  profile,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, { profile, args: ['--role', 'api'] })
      later(() => server.stop())
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const sql = postgres({ ...embedded.connection, max: 1, onnotice: () => {} })
      later(() => sql.end())
      await sql`create table orders_copied (like orders including all)`
      const agent = new Agent({ connections: pushers })
      later(() => agent.close())
      const site = await addSite(server, 'Ingest')
      const { locationId } = site

      let salt = 0
      /** New orders each time, of a day of their own, as they come from a till. */
      const make = (count: number) => {
        salt += 1
        const from = new Date(Date.parse('2020-01-01') + salt * 86_400_000).toISOString().slice(0, 10)
        return [...orderLines({ locationId, count, perDay: count, from, salt })]
      }
      const rate = (count: number, ms: number) => (count * 1000) / ms
      /** Nobody pays for what the one before left to be written and vacuumed. */
      const rest = async () => {
        await sql`vacuum analyze`
        await sql`checkpoint`
      }
      const rates = await interleave(
        {
          ndjson: async () => {
            const lines = make(orders)
            await rest()
            return rate(orders, await timed(() => push(server, site, lines)))
          },
          copy: async () => {
            const data = Buffer.from(make(orders).map(copyLine).join(''))
            await rest()
            return copy(sql, data, orders)
          },
          single: async () => {
            const lines = make(orders / 5)
            await rest()
            return pushSingly(server, site, lines, agent)
          },
          file: async () => {
            const path = join(directory, 'orders.ndjson')
            await writeFile(path, make(orders).join(''))
            await rest()
            const args = [main, 'import', path, '--location', locationId, '--json', '--data-dir', directory]
            return rate(orders, await timed(() => run(process.execPath, args)))
          },
        },
        quick ? 1 : rounds,
        quick ? 0 : 1,
      )
      const [ndjson, copied, single, file] = [rates.ndjson, rates.copy, rates.single, rates.file].map(median)
      const of = (value: number | undefined) => value ?? Number.NaN
      return {
        title: `Ingest: ${orders.toLocaleString('en-US')} new orders at a time, durable`,
        remarks: [
          `medians of ${quick ? 1 : rounds} rounds in turn; the client takes its share of the machine`,
          'COPY is bare: the same documents, columns and indexes, and no comparing, no journal, no chain, no HTTP',
        ],
        figures: [
          { row: 'NDJSON over HTTP', value: of(ndjson), unit: '/s', aim: { least: 8_000 } },
          {
            row: 'NDJSON over HTTP / COPY',
            value: (100 * of(ndjson)) / of(copied),
            unit: '%',
            aim: { least: 30 },
            note: `COPY ${Math.round(of(copied)).toLocaleString('en-US')}/s`,
          },
          { row: `single orders, ${pushers} connections`, value: of(single), unit: '/s', aim: { least: 2_000 } },
          { row: 'tillgate import', value: of(file), unit: '/s', note: 'from the start of the command to its end' },
        ],
        races: [
          {
            title: 'Orders stored',
            unit: '/s',
            lanes: [
              { name: 'Tillgate, NDJSON', value: of(ndjson) },
              { name: 'Tillgate, one by one', value: of(single) },
              { name: 'tillgate import', value: of(file) },
              { name: 'bare COPY', value: of(copied) },
            ],
          },
        ],
      }
    }),
  )
}
