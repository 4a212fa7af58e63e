import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openPool } from '../src/core/store/db/database.ts'
import { firstLoad, type Manifest } from '../console/first-load.ts'
import { addDays } from '../src/core/domain/days/business-time.ts'
import { daysProjection } from '../src/modules/figures/projections/days.ts'
import { stepProjection } from '../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../src/modules/figures/projections/sales.ts'
import { launch, noChromium, settled, visitAs } from '../test/support/console.ts'
import { buildConsole, findChromium } from '../test/support/console-build.ts'
import type { Options } from './options.ts'
import { openEmbeddedServer } from './support/embedded.ts'
import { interleave, median, percentile, within } from './support/figures.ts'
import { copyJournal } from './support/journal.ts'
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

const dist = join(import.meta.dirname, '../dist/console')

const perDay = 250
const tails = 200

/** Measures the files loaded by the first visit, gzipped, in kB: in total, and each file of 5 kB and more. */
function weighFirstLoad(): Figure[] {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest
  const sizes = [...firstLoad(manifest)].map((file) => ({ file, kB: statSync(join(dist, `${file}.gz`)).size / 1_000 }))
  const all = sizes.reduce((sum, { kB }) => sum + kB, 0)
  const nameOf = (file: string) => file.replace(/^assets\//, '').replace(/-[\w-]{8}(\.\w+)$/, '$1')
  return [
    { row: 'first load, gzipped', value: all, unit: 'kB', aim: { most: 250 } },
    ...sizes
      .filter(({ kB }) => kB >= 5)
      .toSorted((a, b) => b.kB - a.kB)
      .map(({ file, kB }): Figure => ({ row: `  ${nameOf(file)}`, value: kB, unit: 'kB' })),
  ]
}

/** Signs in with the key of the site. Resolves to the headers of the console session. */
async function signIn({ url }: Server, { key }: Site): Promise<Record<string, string>> {
  const answer = await fetch(`${url}/console/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ key }),
  })
  if (answer.status !== 201) throw new Error(`signing in answered ${answer.status}: ${await answer.text()}`)
  const { pageSecret } = (await answer.json()) as { pageSecret: string }
  return { cookie: answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '', 'tillgate-page': pageSecret }
}

type Tail = { seen(text: string): Promise<number>; end(): void }

/** Opens a live tail. Its `seen` resolves to the time at which a text arrived. */
async function openTail({ url }: Server, session: Record<string, string>): Promise<Tail> {
  const ending = new AbortController()
  const answer = await fetch(`${url}/console/api/v1/events/`, {
    headers: { ...session, accept: 'text/event-stream' },
    signal: ending.signal,
  })
  if (!answer.ok || answer.body === null) throw new Error(`the stream answered ${answer.status}`)
  let text = ''
  let wake = () => {}
  void (async () => {
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      wake()
    }
  })().catch(() => {})
  return {
    async seen(wanted) {
      while (!text.includes(wanted)) await new Promise<void>((resolve) => (wake = resolve))
      return performance.now()
    },
    end: () => ending.abort(),
  }
}

/**
 * Measures the cost of the console: its first load, how long a browser waits for figures of a location with years of
 * orders, and the server's memory for open consoles. The history is copied into the journal and folded by the
 * projections themselves.
 */
export async function consoleBench({
  quick,
  orders = quick ? 2_000 : 1_000_000,
  rounds = quick ? 2 : 15,
}: Options): Promise<Report> {
  const chromium = findChromium()
  if (chromium === undefined) throw new Error(noChromium)
  buildConsole()
  return withDirectory((directory) =>
    withCleanup(async (later) => {
      const server = await startServer(directory, {
        args: ['--streams-per-key', '0', '--streams', '0', '--sign-ins', '0'],
      })
      later(() => server.stop())
      const memory = async () => (await memoryOf([server.pid], { children: false })) ?? Number.NaN
      const embedded = await openEmbeddedServer(directory)
      later(() => embedded.release())
      const sql = openPool(embedded.connection, { connections: 1, pipelining: true })
      later(() => sql.end())
      const pool = openPool(embedded.connection, { connections: 2, pipelining: true })
      later(() => pool.end())
      const site = await addSite(server, 'Years of orders')
      const other = await addSite(server, 'Tails')
      const unopened = await memory()

      const from = addDays(new Date().toISOString().slice(0, 10), -Math.ceil(orders / perDay))
      await sql`delete from journal where location_id = ${site.locationId}`
      const entries = await copyJournal(sql, site.locationId, orderLines({ ...site, count: orders, perDay, from }))
      await sql`vacuum analyze journal`
      await sql`update location_seq set last_seq = ${entries} where location_id = ${site.locationId}`
      for (const projection of [salesProjection, daysProjection]) {
        while ((await stepProjection(pool, projection, site.locationId)) === 'behind');
      }
      await sql`vacuum analyze sales_cells`

      const browser = await launch(chromium)
      later(() => browser.close())
      const { url } = server
      const before = await memory()
      /** Times a first visit: nothing is cached. */
      const open = async (path: string, answered: string): Promise<number> => {
        const { context, page, findings } = await visitAs(browser, { url, key: site.key })
        const began = performance.now()
        const figures = page.waitForResponse((response) => response.url().includes(answered))
        await page.goto(`${url}/console${path}`)
        await figures
        await settled(page)
        const took = performance.now() - began
        if (findings.length > 0) throw new Error(findings.join('; '))
        await context.close()
        return took
      }
      const month = `/v1/sales/?by=product&since=${addDays(new Date().toISOString().slice(0, 10), -28)}`
      const times = await interleave(
        {
          today: () => open('/today', '/v1/sales/'),
          month: () => open('/sales?by=product&range=28d', '/v1/sales/'),
          empty: () => open('/key', '/v1/keys/own'),
          api: () => ask<object>(server, site, month),
        },
        rounds,
        1,
      )
      const visitor = await visitAs(browser, { url, key: site.key })
      await visitor.page.goto(`${url}/console/today`)
      await settled(visitor.page)
      const looked = await memory()
      await visitor.context.close()

      const session = await signIn(server, other)
      const beforeTails = await memory()
      const open200 = await Promise.all(Array.from({ length: tails }, () => openTail(server, session)))
      later(async () => open200.forEach((tail) => tail.end()))
      const withTails = await memory()
      const late: number[] = []
      for (let round = 0; round < (quick ? 1 : 10); round++) {
        const [line = ''] = orderLines({ ...other, count: 1, perDay: 1, from: '2026-01-01', salt: round + 1 })
        const { id } = (JSON.parse(line) as { data: { id: string } }).data
        const began = performance.now()
        const seen = open200.map((tail) => tail.seen(id))
        await push(server, other, [line])
        const arrived = await within(60_000, 'an event to all tails', Promise.all(seen))
        late.push(Math.max(...arrived) - began)
      }

      const ms = (name: keyof typeof times) => median(times[name])
      return {
        title: `Console: ${entries.toLocaleString('en-US')} orders of one location`,
        remarks: [
          `a browser that keeps nothing, ${rounds} visits of each screen in turn, on the same cores as server and database`,
          'from the request of the page until every figure on it is there; the history is in the journal and the figures, not in the list of orders',
          'memory is the proportional set of the server, without its database',
        ],
        figures: [
          ...weighFirstLoad(),
          { row: 'Today, first visit', value: ms('today'), unit: 'ms' },
          { row: 'Sales of 28 days by product, first visit', value: ms('month'), unit: 'ms' },
          { row: 'the same / a screen without figures', value: ms('month') / ms('empty'), unit: 'x' },
          { row: 'the same figures over HTTP / that visit', value: (100 * ms('api')) / ms('month'), unit: '%' },
          { row: 'memory, nobody ever opened it', value: unopened, unit: 'MB' },
          { row: 'memory, before the first visit', value: before, unit: 'MB', note: 'after the history was copied' },
          { row: 'memory, one console open', value: looked, unit: 'MB', note: `after ${rounds * 3} visits` },
          { row: `memory of ${tails} live tails`, value: withTails - beforeTails, unit: 'MB' },
          { row: `push until ${tails} tails have it, median`, value: median(late), unit: 'ms' },
          { row: `push until ${tails} tails have it, worst`, value: percentile(late, 1), unit: 'ms' },
        ],
        races: [],
      }
    }),
  )
}
