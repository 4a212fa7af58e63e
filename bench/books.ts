import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { request } from 'undici'
import { createKeyFile } from '../src/modules/proofs/projections/signing-key.ts'
import type { Pool } from '../src/core/store/db/database.ts'
import type { Options } from './options.ts'
import { openBeside, rest } from './support/beside.ts'
import { interleave, median, percentile, timed } from './support/figures.ts'
import { month, monthLines, orderLines } from './support/orders.ts'
import type { Report } from './support/report.ts'
import {
  addSite,
  ask,
  push,
  startServer,
  withCleanup,
  withDirectory,
  type Server,
  type Site,
} from './support/server.ts'

const usualOrders = 1_000_000

/** Number of checkpoints to measure, each after a thousand new orders. */
const checkpointRounds = 11

/** Number of downloads of each monthly table, and of rounds of reading an order, alone and during a download. */
const tableRounds = 5

/**
 * Requests a file and reads it without storing it: otherwise garbage collection here would be measured as server time.
 */
async function take({ url }: Server, { key }: Site, path: string): Promise<{ bytes: number }> {
  const { statusCode, body } = await request(url + path, { headers: { 'x-api-key': key } })
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${await body.text()}`)
  let bytes = 0
  body.on('data', (piece: Buffer) => (bytes += piece.length))
  await finished(body)
  return { bytes }
}

/** Resolves to the path of an order of the month. */
async function findOrder(server: Server, site: Site): Promise<string> {
  const { data } = await ask<{ data: { id: string }[] }>(server, site, '/v1/orders/?size=1')
  return `/v1/orders/${data[0]?.id}`
}

/** Number of sequential requests: enough to show the slowest one in a hundred during other work. */
const besideRequests = 1_000

async function timesOf(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < besideRequests; i++) times.push(await timed(work))
  return times
}

async function put({ url }: Server, { key }: Site, path: string, body: object): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'if-match': '*' }
  const response = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
}

/**
 * Waits until the server has folded the pushes, for business days and for sales: it does so in the background, while
 * responses that need them may compute them immediately.
 */
async function folded(server: Server, site: Site, sql: Pool): Promise<void> {
  const range = `since=${month.first}&until=${month.last}`
  for (const path of [`/v1/books/days/?${range}`, `/v1/sales/?${range}`]) {
    for (;;) {
      const response = await fetch(server.url + path, { headers: { 'x-api-key': site.key } })
      const text = await response.text()
      if (response.ok) break
      if (response.status !== 503) throw new Error(`${path} answered ${response.status}: ${text}`)
      await delay(500)
    }
  }
  for (;;) {
    const [row] = await sql<{ isBehind: boolean }[]>`
      select bool_or(p.seq < s.last_seq) as "isBehind" from projections p join location_seq s using (location_id)
      where location_id = ${site.locationId} and p.live`
    if (row?.isBehind === false) return
    await delay(100)
  }
}

const usedMb = async (server: Server): Promise<number> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? 0) / 1024 ** 2
}

/**
 * Measures the cost of books at a location with years of orders: a month of booking entries, a batch, a closing, a
 * checkpoint, a proof, and the monthly tables.
 */
export async function books({
  quick,
  orders = quick ? 2_000 : usualOrders,
  rounds = quick ? 5 : 100,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const keyFile = join(directory, 'checkpoint.pem')
      createKeyFile(keyFile)
      const server = await startServer(join(directory, 'data'), { args: ['--checkpoint-key', keyFile] })
      later(() => server.stop())
      const { locationId } = await addSite(server, 'Books')
      const scopes = 'read,webhooks,ingest,books'
      const { key } = await server.cli('key', 'create', '--location', locationId, '--scope', scopes)
      const site: Site = { locationId, key }
      await push(server, site, orderLines({ locationId, count: orders, perDay: 250, from: '2014-01-01' }))
      await push(server, site, monthLines(locationId, quick ? 20 : 120))
      const sql = await openBeside(server, later)
      await folded(server, site, sql)
      await rest(sql)
      const range = `since=${month.first}&until=${month.last}`
      const first = await timed(() => ask(server, site, '/v1/checkpoints/', {}))
      const entries = `/v1/books/entries/?${range}`
      const times = await interleave(
        {
          json: () => take(server, site, entries),
          fec: () => take(server, site, `${entries}&format=fec&skip=true`),
        },
        rounds,
      )
      // Measured separately, so that the garbage of a month is not counted with a proof.
      const { proof } = await interleave({ proof: () => take(server, site, '/v1/events/1000/proof') }, rounds)
      // The earlier years have no Z, and were booked by another program.
      await put(server, site, '/v1/books/accounts', { startsOn: month.first })
      const batch = await timed(() =>
        ask(server, site, '/v1/books/batches/', { until: month.last, after: 0, skip: true, unmapped: 'suspense' }),
      )
      const closing = await timed(() => ask(server, site, '/v1/closings/', { until: month.last, after: 0 }))
      const checkpoints: number[] = []
      for (let salt = 2; salt < 2 + checkpointRounds; salt++) {
        await push(server, site, orderLines({ locationId, count: 1_000, perDay: 250, from: '2013-01-01', salt }))
        await folded(server, site, sql)
        checkpoints.push(await timed(() => ask(server, site, '/v1/checkpoints/', {})))
      }
      const rows =
        (
          await (
            await fetch(`${server.url}/v1/exports/items?month=${month.name}`, { headers: { 'x-api-key': key } })
          ).text()
        ).split('\r\n').length - 2
      const before = await usedMb(server)
      const tables = await interleave(
        {
          csv: () => take(server, site, `/v1/exports/items?month=${month.name}`),
          parquet: () => take(server, site, `/v1/exports/items?month=${month.name}&format=parquet`),
        },
        tableRounds,
      )
      const more = (await usedMb(server)) - before
      const order = await findOrder(server, site)
      const [alone, beside]: [number[], number[]] = [[], []]
      for (let round = 0; round < tableRounds; round++) {
        alone.push(...(await timesOf(() => take(server, site, order))))
        let isOver = false
        const exporting = (async () => {
          while (!isOver) await take(server, site, `/v1/exports/items?month=${month.name}&format=parquet`)
        })()
        beside.push(...(await timesOf(() => take(server, site, order))))
        isOver = true
        await exporting
      }
      const p95 = (name: keyof typeof times) => percentile(times[name], 0.95)
      const perSecond = (name: keyof typeof tables) => rows / (median(tables[name]) / 1000)
      return {
        title: `Books: ${orders.toLocaleString('en-US')} orders of one location, and a month with Z reports`,
        remarks: [
          `one request at a time, ${rounds} rounds; ${rows.toLocaleString('en-US')} item rows in the month`,
          'figures are made before anything is measured: that of the years takes minutes in the background',
          `first closing: of all orders at once; the first checkpoint hashes the whole journal`,
        ],
        figures: [
          {
            row: 'month of entries, JSON, p95',
            value: p95('json'),
            unit: 'ms',
            aim: { most: 30 },
            note: `p50 ${median(times.json).toFixed(1)} ms`,
          },
          { row: 'month of entries, FEC, p95', value: p95('fec'), unit: 'ms', aim: { most: 40 } },
          { row: 'batch of a month', value: batch, unit: 'ms', aim: { most: 200 } },
          { row: 'first checkpoint', value: first, unit: 'ms' },
          {
            row: 'checkpoint over 1,000 new entries',
            value: median(checkpoints),
            unit: 'ms',
            aim: { most: 20 },
            note: `of ${checkpointRounds}: ${checkpoints.map((ms) => ms.toFixed(1)).join(', ')} ms`,
          },
          {
            row: 'proof of an entry, p95',
            value: percentile(proof, 0.95),
            unit: 'ms',
            aim: { most: 10 },
            note: `p50 ${median(proof).toFixed(1)} ms`,
          },
          { row: 'first closing', value: closing / 1000, unit: 's' },
          { row: 'items of the month as CSV', value: perSecond('csv'), unit: '/s', aim: { least: 40_000 } },
          { row: 'items of the month as Parquet', value: perSecond('parquet'), unit: '/s', aim: { least: 25_000 } },
          {
            row: 'resident memory, more by the tables',
            value: more,
            unit: 'MB',
            aim: { most: 200 },
          },
          {
            row: 'p99 of one order beside a table, against alone',
            value: percentile(beside, 0.99) / percentile(alone, 0.99),
            unit: 'x',
            aim: { most: 2 },
            note: `${percentile(alone, 0.99).toFixed(1)} and ${percentile(beside, 0.99).toFixed(1)} ms, of ${alone.length} each, in turn`,
          },
        ],
        races: [],
      }
    }),
  )
}
