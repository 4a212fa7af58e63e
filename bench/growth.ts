import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { listClosingLocations } from '../src/modules/proofs/store/closings.ts'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { summariseWebhooks } from '../src/core/store/db/observation.ts'
import { listDueLocations } from '../src/modules/figures/store/due-days.ts'
import { listLagging } from '../src/modules/figures/store/projections.ts'
import { listSilent } from '../src/modules/operations/store/silence.ts'
import { findDueLocations } from '../src/core/store/webhooks/leases.ts'
import { daysProjection } from '../src/modules/figures/projections/days.ts'
import { salesProjection } from '../src/modules/figures/projections/sales.ts'
import type { Order } from '../src/core/contract/orders/schema.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer, toUrl } from './support/embedded.ts'
import { interleave, median, timed } from './support/figures.ts'
import { fillHistory, lastDay, locationOf, orderIdOf, type Shape } from './support/history.ts'
import { memoryOf } from './support/memory.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
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
import { startSink, type Sink } from './support/sink.ts'

const usualEntries = 10_000_000

/** Maximum cost of each operation in the large database, as a multiple of its cost in the small one. */
const ratioAtMost = 1.3

type Later = (end: () => Promise<unknown>) => void

type Filled = {
  name: string
  dataDir: string
  shape: Shape
  sites: Site[]
  filledS: number
  bytes: Record<string, number>
}

const sized = ['journal', 'orders', 'sales_cells', 'day_counts']

async function bytesOf(pool: Pool): Promise<Record<string, number>> {
  const rows = await pool<{ name: string; bytes: number }[]>`
    select t as name, pg_total_relation_size(t::regclass) as bytes from unnest(${sized}::text[]) t`
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]))
}

/** Opens the embedded database of a directory without a server. */
async function withDatabase<T>(dataDir: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const embedded = await openEmbeddedServer(dataDir)
  const pool = openPool({ url: toUrl(embedded.connection) }, { connections: 2, pipelining: true })
  try {
    return await work(pool)
  } finally {
    await pool.end({ timeout: 5 })
    await embedded.release()
  }
}

/**
 * Returns an order of one item that was paid at once: ten years of such orders take some 25 GB, ten years of usual
 * orders 50 GB.
 */
function toSmall(order: Order): Order {
  const [item] = order.items
  const [payment] = order.payments
  if (!item || !payment) throw new Error('the order to copy has no item or no payment')
  const { modifiers: _, ...bare } = item
  return {
    ...order,
    items: [{ ...bare, discountsApplied: [] }],
    menus: [],
    payments: [{ ...payment, paymentAmount: item.total }],
    tips: null,
    total: item.total,
    totalTax: item.tax.taxAmount,
    totalDiscount: 0,
    externalOrderId: null,
    externalLocationId: null,
  }
}

/** Creates a database with a history of this shape, and verifies one of its locations to prove that it is valid. */
async function fill(name: string, dataDir: string, shape: Shape, perDay: number): Promise<Filled> {
  const first = await startServer(dataDir)
  const seed = await addSite(first, name)
  const [line] = orderLines({ locationId: seed.locationId, count: 1, perDay: 1, from: '2016-01-04' })
  const closed = toSmall((JSON.parse(String(line)) as { data: Order }).data)
  const open = { ...closed, updatedAt: closed.createdAt, closedAt: null, payments: [] }
  for (const version of [open, closed])
    await push(first, seed, [`${JSON.stringify({ type: 'order', data: version })}\n`])
  await first.stop()
  let sites: Site[] = []
  let bytes: Filled['bytes'] = {}
  const ms = await timed(() =>
    withDatabase(dataDir, async (pool) => {
      sites = await fillHistory(pool, seed.locationId, { shape, perDay })
      bytes = await bytesOf(pool)
    }),
  )
  return { name, dataDir, shape, sites, filledS: ms / 1000, bytes }
}

const args = ['--allow-http', '--allow-address', '127.0.0.0/8']

/** Measures the seconds from the command to the response to the first request for an order. */
async function startTimed({ dataDir, sites, shape }: Filled): Promise<{ seconds: number; server: Server }> {
  const began = performance.now()
  const server = await startServer(dataDir, { args })
  const site = sites[0] as Site
  await ask(server, site, `/v1/orders/${orderIdOf(shape.entries / 2)}`)
  return { seconds: (performance.now() - began) / 1000, server }
}

async function memory(server: Server): Promise<number> {
  const embedded = await openEmbeddedServer(server.dataDir)
  try {
    return (await memoryOf([server.pid, embedded.pid])) ?? Number.NaN
  } finally {
    await embedded.release()
  }
}

/** Does the work that a server does by itself every few seconds or minutes, with or without changes. */
async function sweep(pool: Pool): Promise<object> {
  const now = new Date()
  const due = { breakerThreshold: 5, longestRetryMs: 3_600_000, now }
  await findDueLocations(pool, due, 5_000)
  for (const { name, rules } of [salesProjection, daysProjection]) await listLagging(pool, name, rules)
  await listDueLocations(pool, now)
  await listClosingLocations(pool)
  await summariseWebhooks(pool, now, 5)
  await listSilent(pool, now)
  return {}
}

/** A running installation and the requests sent to it. */
class Running {
  readonly filled: Filled
  readonly pool: Pool
  readonly #server: Server
  readonly #sink: Sink
  /** Size of a requested page: the number of orders of a location in the small database, at most 100. */
  readonly #pageSize: number
  #pushed = 0
  #picked = 0

  constructor(filled: Filled, server: Server, { pool, sink, pageSize }: { pool: Pool; sink: Sink; pageSize: number }) {
    this.filled = filled
    this.#pageSize = pageSize
    this.#server = server
    this.pool = pool
    this.#sink = sink
  }

  /** Picks a location that has a key, and one of its orders: different ones each time. */
  #pick(): { site: Site; orderId: string } {
    const { sites, shape } = this.filled
    this.#picked += 1
    const at = this.#picked % (sites.length - 1)
    const count = shape.entries / 2
    const location = 1 + Math.floor((at * shape.locations) / sites.length)
    return { site: sites[at] as Site, orderId: orderIdOf(location * count + ((this.#picked * 7_919) % count)) }
  }

  async order(): Promise<object> {
    const { site, orderId } = this.#pick()
    return ask(this.#server, site, `/v1/orders/${orderId}`)
  }

  async page(): Promise<object> {
    return ask(this.#server, this.#pick().site, `/v1/orders/?size=${this.#pageSize}`)
  }

  async figure(): Promise<object> {
    return ask(this.#server, this.#pick().site, `/v1/sales/?since=${lastDay}&until=${lastDay}&by=category`)
  }

  async push(site = this.#pick().site): Promise<object> {
    this.#pushed += 1
    const { locationId } = site
    const lines = orderLines({
      locationId,
      count: this.#pushed,
      perDay: 1_000_000,
      from: '2026-03-02',
      salt: 9,
      skip: this.#pushed - 1,
    })
    return { accepted: await push(this.#server, site, lines) }
  }

  /** Measures the time from the push of an order to its arrival at the receiver. */
  async deliver(): Promise<object> {
    await this.#sink.expect(1)
    await this.push(this.filled.sites.at(-1))
    return this.#sink.reached()
  }

  async subscribe(): Promise<void> {
    const site = this.filled.sites.at(-1) as Site
    const hook = {
      events: ['order.created'],
      endpointUrl: this.#sink.url,
      recipientId: site.locationId,
      locationId: site.locationId,
    }
    await ask(this.#server, site, '/v1/webhooks/', hook)
  }
}

async function run(
  filled: Filled,
  server: Server,
  { later, pageSize }: { later: Later; pageSize: number },
): Promise<Running> {
  const embedded = await openEmbeddedServer(filled.dataDir)
  later(() => embedded.release())
  const pool = openPool({ url: toUrl(embedded.connection) }, { connections: 1, pipelining: true })
  later(() => pool.end({ timeout: 5 }))
  const sink = await startSink()
  later(() => sink.stop())
  const running = new Running(filled, server, { pool, sink, pageSize })
  await running.subscribe()
  return running
}

type Names = 'young' | 'old'

const works = {
  'one order, by id': 'order',
  'a page of orders': 'page',
  'a push of one order': 'push',
  'push to delivery': 'deliver',
  'sales of a day by category': 'figure',
} as const

/** Returns figures of operations with a limit: the median of the large database divided by that of the small one. */
function toFigures(row: string, times: Record<Names, readonly number[]>, unit: 'ms' | 's' = 'ms'): Figure[] {
  const [young, old] = [median(times.young), median(times.old)]
  return [
    { row, column: 'young', value: young, unit },
    { row, column: 'old', value: old, unit },
    { row, column: 'ratio', value: old / young, unit: 'x', aim: { most: ratioAtMost } },
  ]
}

async function verifySample({ dataDir }: Filled): Promise<void> {
  const server = await startServer(dataDir)
  try {
    const { verified } = await server.cli('verify', '--location', locationOf(1))
    if (verified !== true) throw new Error('the journal that was made does not hold')
  } finally {
    await server.stop()
  }
}

function sizesOf({ bytes, shape }: Filled): Figure[] {
  const entries = shape.entries * shape.locations
  return Object.entries(bytes).map(([table, size]) => ({
    row: `${table}, per order of two versions`,
    value: (2 * size) / entries / 1000,
    unit: 'kB',
  }))
}

async function measureAll(young: Filled, old: Filled, rounds: number, later: Later): Promise<Figure[]> {
  const starts: Record<Names, number[]> = { young: [], old: [] }
  const idles: Record<Names, number[]> = { young: [], old: [] }
  const of = { young, old }
  const names = ['young', 'old'] as const
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    for (const name of names) {
      const { seconds, server } = await startTimed(of[name])
      starts[name].push(seconds)
      if (round === 0) {
        await delay(rounds < 10 ? 1_000 : 10_000)
        idles[name].push(await memory(server))
      }
      await server.stop()
    }
  }
  const running = {} as Record<Names, Running>
  for (const name of names) {
    const { server } = await startTimed(of[name])
    later(() => server.stop())
    running[name] = await run(of[name], server, { later, pageSize: Math.min(young.shape.entries / 2, 100) })
  }
  const figures: Figure[] = []
  for (const [row, work] of Object.entries(works)) {
    const times = await interleave({ young: () => running.young[work](), old: () => running.old[work]() }, rounds)
    figures.push(...toFigures(row, times))
  }
  const sweeps = await interleave(
    { young: () => sweep(running.young.pool), old: () => sweep(running.old.pool) },
    Math.ceil(rounds / 4),
  )
  figures.push(...toFigures('all sweeps', sweeps), ...toFigures('start to the first order', starts, 's'))
  for (const name of names)
    figures.push({
      row: 'memory idle',
      column: name,
      value: median(idles[name]),
      unit: 'MB',
      ...(name === 'old' ? { aim: { most: 300 } } : {}),
    })
  return figures
}

/**
 * Measures whether daily operations cost the same after ten years: a thousand locations with 10,000,000 entries of the
 * journal, compared with 100,000.
 */
export async function growth({
  quick,
  entries = quick ? 20_000 : usualEntries,
  rounds = quick ? 5 : 200,
}: Options): Promise<Report> {
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const locations = quick ? 20 : 1_000
      const each = 2 * Math.max(Math.floor(entries / locations / 2), 2)
      const perDay = Math.max(Math.ceil(each / 2 / 40), 1)
      const least = 2 * Math.max(Math.floor(each / 200), 1)
      const old = await fill('old', join(directory, 'old'), { locations, entries: each }, perDay)
      await verifySample(old)
      const young = await fill('young', join(directory, 'young'), { locations, entries: least }, perDay)
      const figures = await measureAll(young, old, rounds, later)
      const count = (n: number) => n.toLocaleString('en-US')
      return {
        title: `Growth: ${count(each * locations)} entries of ${count(locations)} locations over ten years, beside ${count(least * locations)}`,
        remarks: [
          `made in ${old.filledS.toFixed(0)} s, with a chain that verify proves; one request at a time, ${rounds} rounds, medians`,
          ...sizesOf(old).map(({ row, value }) => `${row}: ${value.toFixed(2)} kB`),
        ],
        figures,
        races: [],
        mustMeet: true,
      }
    }),
  )
}
