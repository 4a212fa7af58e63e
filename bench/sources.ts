import { spawnChild } from './support/children.ts'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { liveSources, type LiveSource } from '../src/modules/sources/schemas/sources.ts'
import type { Order } from '../src/core/contract/orders/schema.ts'
import type { Ticket } from '../src/modules/sources/schemas/tickets.ts'
import { assembleTicket } from '../src/modules/sources/adapters/ticket/assemble.ts'
import { openPool } from '../src/core/store/db/database.ts'
import { VirtualClock, type FakeServer } from '../test/modules/sources/faults.ts'
import { pollOf } from '../test/modules/sources/polled.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { interleave, median, timed } from './support/figures.ts'
import { orderLines } from './support/orders.ts'
import type { Figure, Report } from './support/report.ts'
import { addSite, startServer, withCleanup, withDirectory, type Site } from './support/server.ts'

const main = resolve(import.meta.dirname, '../src/main.ts')

/** Parts that can be run alone (`--only csv,tickets,idle`). */
const contests = ['csv', 'tickets', 'idle']

const linesOfTicket = 4

/** Writes a CSV of tickets with four adjacent lines each. */
async function writeCsv(path: string, lines: number): Promise<void> {
  const out = createWriteStream(path)
  out.write('Receipt,Opened,Item,Qty,Gross,VAT %,Total,Card\n')
  const centsOf = (line: number) => 100 + (line % 900)
  for (let line = 0; line < lines; line++) {
    const first = line - (line % linesOfTicket)
    const ticket = first / linesOfTicket
    const opened = new Date(Date.UTC(2025, 0, 1) + ticket * 120_000).toISOString().slice(0, 19).replace('T', ' ')
    const total = [0, 1, 2, 3].reduce((sum, one) => sum + centsOf(first + one), 0) / 100
    const cells = [`R-${ticket}`, opened, `Item ${line % 97}`, 1, (centsOf(line) / 100).toFixed(2), 20]
    const paid = line === first ? total.toFixed(2) : ''
    if (!out.write(`${[...cells, total.toFixed(2), paid].join(',')}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

const csvMap = {
  map: 1,
  times: { format: 'YYYY-MM-DD HH:mm:ss' },
  numbers: { decimal: '.' },
  files: { lines: { name: '*.csv' } },
  order: {
    from: 'lines',
    key: ['Receipt'],
    number: 'Receipt',
    opened: 'Opened',
    total: 'Total',
    payments: { from: 'lines', columns: ['Card'] },
    item: { name: 'Item', quantity: 'Qty', total: 'Gross', tax: { rate: 'VAT %', included: true } },
  },
}

/** Runs a command to its end; returns its seconds, and its peak resident memory in MB (Linux only). */
async function measure(args: readonly string[]): Promise<{ seconds: number; peakMb: number }> {
  const began = performance.now()
  const child = spawnChild(process.execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  let peakMb = 0
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!isOver) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakMb = Math.max(peakMb, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_000)
    await Promise.race([ended, delay(100)])
  }
  if (child.exitCode !== 0) throw new Error(`${args[0]} ended with ${child.exitCode}`)
  return { seconds: (performance.now() - began) / 1_000, peakMb }
}

const cents = (amount: number) => Math.round(amount * 100)

/** Returns an order as the ticket that a till without ids would push. */
function ticketOf(order: Order): Ticket {
  const nameOf = (id: string) => ({ key: id })
  return {
    source: 'bench',
    account: 'bench',
    key: order.id,
    version: order.updatedAt,
    opened: order.openedAt,
    closed: order.closedAt,
    device: nameOf(order.deviceId),
    operator: { key: order.operatorId, name: order.operatorName },
    place: order.orderPlace,
    number: order.orderNumber,
    guests: order.guests,
    items: order.items.map((item) => ({
      name: item.description,
      product: item.itemCatalogId,
      quantity: item.quantity,
      amount: cents(item.total),
      taxes: [
        {
          name: item.tax.taxName,
          key: item.tax.taxCatalogId,
          rate: item.tax.taxRate,
          amount: cents(item.tax.taxAmount),
          mode: 'included' as const,
        },
      ],
      discounts: item.discountsApplied.map((one) => ({ name: one.discountName, amount: cents(one.discountValue) })),
      modifiers: (item.modifiers ?? []).map(({ modifierId, name }) => ({ key: modifierId, name })),
      category: item.category,
      sub: item.subCategory,
      ...(item.isCanceled ? { state: 'canceled' as const } : item.isLoss ? { state: 'loss' as const } : {}),
    })),
    payments: order.payments.map((one) => ({
      name: one.paymentName,
      key: one.paymentCatalogId,
      amount: cents(one.paymentAmount),
    })),
    said: { total: cents(order.total) },
  }
}

let salt = 0

/** Returns this many new sales of a site, as tickets or as the resulting orders. */
function linesOf(kind: 'order' | 'ticket', { locationId }: Site, count: number): string[] {
  salt += 1
  return [...orderLines({ locationId, count, perDay: 500, from: '2025-01-01', salt })].map((line) => {
    const ticket = ticketOf((JSON.parse(line) as { data: Order }).data)
    if (kind === 'ticket') return `${JSON.stringify({ type: 'ticket', data: ticket })}\n`
    const made = assembleTicket(ticket, { locationId, decimals: 2 })
    if (!('order' in made)) throw new Error(made.refusal.detail)
    return `${JSON.stringify({ type: 'order', data: made.order })}\n`
  })
}

type Started = { url: string; token: string; account: string }

/** Measures processor milliseconds of a poll without news, only of this process. */
async function idlePoll(adapter: LiveSource, dataDir: string, site: Site, rounds: number): Promise<number> {
  const clock = new VirtualClock(new Date().toISOString())
  const path = resolve(import.meta.dirname, 'support/fake-source.ts')
  const child = spawnChild(process.execPath, [path, adapter, clock.iso()], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const { url, token, account } = JSON.parse(line) as Started
  const embedded = await openEmbeddedServer(dataDir)
  const pool = openPool(embedded.connection, { connections: 4, pipelining: true })
  const fake = { url, token, rotated: () => {} } as FakeServer
  const secretOf = (secret: string) => (adapter === 'toast' ? `client:${secret}` : secret)
  const { locationId } = site
  const polled = await pollOf(pool, { adapter, account, locationId, fake, clock, seed: 1, secretOf })
  const poll = async () => {
    clock.advance(60_000)
    const end = await polled.run()
    if (end !== 'done') throw new Error(`a poll of ${adapter} ended as ${end}`)
  }
  try {
    for (let i = 0; i < rounds; i++) await poll()
    const before = process.cpuUsage()
    for (let i = 0; i < rounds; i++) await poll()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000 / rounds
  } finally {
    await polled.close()
    await pool.end()
    await embedded.release()
    child.stdin.end()
  }
}

async function measureCsv(directory: string, site: Site, lines: number): Promise<Figure[]> {
  const [csv, map] = [join(directory, 'lines.csv'), join(directory, 'map.json')]
  await writeCsv(csv, lines)
  await writeFile(map, JSON.stringify(csvMap))
  const place = ['--location', site.locationId, '--data-dir', directory]
  const { seconds, peakMb } = await measure(['import', csv, '--from', 'csv', '--map', map, ...place])
  const row = `import of a CSV of ${lines.toLocaleString('en-US')} lines`
  return [
    { row, column: 'memory', value: peakMb, unit: 'MB', aim: { most: 300 } },
    { row, column: 'time', value: seconds, unit: 's' },
  ]
}

async function measureTickets(directory: string, site: Site, count: number, rounds: number): Promise<Figure[]> {
  const rateOf = (kind: 'order' | 'ticket') => async () => {
    const path = join(directory, `${kind}.ndjson`)
    await writeFile(path, linesOf(kind, site, count).join(''))
    const ms = await timed(() => measure(['import', path, '--location', site.locationId, '--data-dir', directory]))
    return (count * 1_000) / ms
  }
  const contestants = { order: rateOf('order'), ticket: rateOf('ticket') }
  const rates = await interleave(contestants, rounds, 0, () => {})
  const [orders, tickets] = [median(rates['order'] ?? []), median(rates['ticket'] ?? [])]
  const row = `import of ${count.toLocaleString('en-US')} tickets`
  return [
    { row, column: 'tickets', value: tickets, unit: '/s' },
    { row, column: 'orders', value: orders, unit: '/s' },
    { row, column: 'tickets / orders', value: tickets / orders, unit: 'x', aim: { least: 0.7 } },
  ]
}

/** Measures the cost of data from other systems: a large CSV, tickets compared with orders, and a poll without news. */
export async function sources({
  quick,
  orders = quick ? 2_000 : 100_000,
  rounds = quick ? 1 : 5,
  only,
}: Options): Promise<Report> {
  const isAsked = (name: string) => only.length === 0 || only.includes(name)
  const unknown = only.filter((name) => !contests.includes(name))
  if (unknown.length > 0) throw new TypeError(`sources has ${contests.join(', ')}, not ${unknown.join(', ')}`)
  return withDirectory(async (directory) => {
    const figures: Figure[] = []
    const sites = await withCleanup(async (later) => {
      const server = await startServer(directory)
      later(() => server.stop())
      if (isAsked('csv')) figures.push(...(await measureCsv(directory, await addSite(server, 'CSV'), 10 * orders)))
      if (isAsked('tickets'))
        figures.push(...(await measureTickets(directory, await addSite(server, 'Tickets'), orders, rounds)))
      const found = new Map<LiveSource, Site>()
      for (const adapter of liveSources) found.set(adapter, await addSite(server, adapter))
      return found
    })
    // Without a server, which would also read the sources.
    for (const [adapter, site] of isAsked('idle') ? sites : []) {
      const value = await idlePoll(adapter, directory, site, quick ? 20 : 300)
      const row = 'a poll that finds nothing new, our processor'
      figures.push({ row, column: adapter, value, unit: 'ms', aim: { most: 5 } })
    }
    const remarks = [
      'commands from the sources, beside a server on the same embedded PostgreSQL; the CSV has four lines a ticket',
      'orders are those that the tickets become: both store the same',
      'each system has sold 300 times in ten hours, and answers from a process of its own',
    ]
    return { title: 'Other systems', remarks, figures, races: [] }
  })
}
