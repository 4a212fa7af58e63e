import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { writeDsfinvk } from '../../modules/sources/dsfinvk-year.ts'
import { addKey, addLocation, startApp } from '../../support/app.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillgate-large-'))
after(() => rmSync(folder, { recursive: true }))

const shops = join(import.meta.dirname, '../../modules/sources/shops')

const database = await createDatabase()
const app = await startApp({ clock: () => new Date('2026-07-20T12:00:00.000Z'), database })
const env = { DATABASE_URL: toUrl(database.connection) }

/** If the process kept the complete file in memory, it would need twice as much memory once it has read the file. */
const smallHeap = { NODE_OPTIONS: '--max-old-space-size=48' }

const written = (name: string, value: unknown) => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(value))
  return path
}

/** Number of tickets, each of four lines that are far from each other. */
const tickets = 15_000

const centsOf = (ticket: number, line: number) => 100 + ((ticket * 7 + line * 131) % 900)

async function writeCsv(path: string): Promise<void> {
  const out = createWriteStream(path)
  out.write('Receipt,Opened,Item,Gross,VAT %,Total\n')
  for (let line = 0; line < 4; line++) {
    for (let ticket = 0; ticket < tickets; ticket++) {
      const opened = new Date(Date.UTC(2025, 0, 1) + ticket * 600_000).toISOString().slice(0, 19).replace('T', ' ')
      const total = [0, 1, 2, 3].reduce((sum, one) => sum + centsOf(ticket, one), 0)
      const [gross, sum] = [centsOf(ticket, line), total].map((cents) => (cents / 100).toFixed(2))
      if (!out.write(`R-${ticket},${opened},Item ${line},${gross},20,${sum}\n`)) await once(out, 'drain')
    }
  }
  out.end()
  await once(out, 'finish')
}

test('a CSV is read in constant memory, wherever the lines of a ticket are', async () => {
  const csv = join(folder, 'lines.csv')
  await writeCsv(csv)
  const map = written('map.json', {
    map: 1,
    times: { format: 'YYYY-MM-DD HH:mm:ss' },
    numbers: { decimal: '.' },
    files: { lines: { name: '*.csv' } },
    order: {
      from: 'lines',
      key: ['Receipt'],
      opened: 'Opened',
      total: 'Total',
      item: { name: 'Item', total: 'Gross', tax: { rate: 'VAT %', included: true } },
    },
  })
  const profile = written('profile.json', {
    account: 'a',
    timeZone: 'UTC',
    currency: 'GBP',
    dayStartsAt: '00:00',
  })
  const out = join(folder, 'records.ndjson')
  const args = ['--map', map, '--profile', profile, '--location', '272461e9-4fd9-5db0-b95b-cc91735b6bf6']
  const run = await tillgate(['import', csv, '--from', 'csv', ...args, '--dry-run', '--records', out], {
    env: smallHeap,
  })
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stdout, /15,000 orders, 0 reports, 0 refused/)
  // There are ten minutes between two tickets, so each day has 144 tickets.
  const [, sales] = /2025-02-01 +144 +([\d.]+) +\1 +–/.exec(run.stdout) ?? []
  const first = 31 * 144
  const ofDay = Array.from({ length: 144 * 4 }, (_, i) => centsOf(first + Math.floor(i / 4), i % 4))
  assert.equal(
    Math.round(Number(sales) * 100),
    ofDay.reduce((sum, cents) => sum + cents, 0),
  )
  let ticket = 0
  for await (const line of createInterface({ input: createReadStream(out) })) {
    const { data } = JSON.parse(line) as { data: { orderNumber: string; externalOrderId: string; items: unknown[] } }
    assert.deepEqual([data.externalOrderId, data.items.length], [`R-${ticket}`, 4])
    ticket += 1
  }
  assert.equal(ticket, tickets)
})

test('JSON that exceeds the memory of the process is refused in time, with what to do', async () => {
  const text = readFileSync(join(shops, 'square', 'orders.json'), 'utf8')
  const [page] = (JSON.parse(text) as { pages: { orders: object[] }[] }).pages
  const one = JSON.stringify(page?.orders[0])
  const path = join(folder, 'orders.json')
  writeFileSync(path, `{"orders":[${Array.from({ length: Math.ceil(2e7 / one.length) }, () => one).join(',')}]}`)
  const args = [
    '--profile',
    join(shops, 'square', 'profile.json'),
    '--location',
    '272461e9-4fd9-5db0-b95b-cc91735b6bf6',
  ]
  const run = await tillgate(['import', path, '--from', 'square', ...args, '--dry-run'], { env: smallHeap })
  assert.equal(run.code, 2)
  assert.match(
    run.stderr,
    /the JSON files up to orders\.json exceed \d+ MiB, .+: import them in parts, and keep refunds with their sales/,
  )
  assert.equal(run.stdout, '')
})

/** Returns the first and last of every seven days. */
function weeksOf(all: readonly string[]): [first: string, last: string][] {
  const days = [...new Set(all)]
  const weeks = Array.from({ length: Math.ceil(days.length / 7) }, (_, i) => days.slice(i * 7, i * 7 + 7))
  return weeks.map((week) => [week[0] as string, week.at(-1) as string])
}

test('one command imports a DSFinV-K export, and all of its closings are balanced', async () => {
  const days = Number(process.env['TILLGATE_DSFINVK_DAYS'] ?? 20)
  const perDay = days > 300 ? 56 : 12
  const made = await writeDsfinvk(join(folder, 'dsfinvk'), { from: '2025-03-20', days, perDay })
  execFileSync('zip', ['-qr', join(folder, 'export.zip'), '.'], { cwd: join(folder, 'dsfinvk') })
  const location = await addLocation(app.pool, undefined, {
    timeZone: 'Europe/Berlin',
    currency: 'EUR',
    dayStartsAt: '05:00',
  })
  const args = ['--from', 'dsfinvk', '--location', location]
  const run = await tillgate(['import', join(folder, 'export.zip'), ...args], {
    env: { ...env, NODE_OPTIONS: '--max-old-space-size=96' },
  })
  assert.equal(run.code, 0, run.stderr)
  const { key } = await addKey(app.pool, location)
  const verdicts: string[] = []
  for (const [first, last] of weeksOf(made.closings.map(({ day }) => day))) {
    // Figures of a year are built over several responses.
    await eventually(async () => {
      const { status, json } = await app.get(`/v1/reports/checks/?since=${first}&until=${last}&size=100`, { key })
      if (status !== 200) return false
      verdicts.push(...json.data.map(({ verdict }: { verdict: string }) => verdict))
      return true
    }, 'the figures are built')
  }
  assert.deepEqual(
    verdicts,
    made.closings.map(() => 'balanced'),
  )
  const rows = await app.pool<{ document: string }[]>`select document from reports where location_id = ${location}`
  const stored = rows.map(({ document }) => JSON.parse(document))
  const salesOf = (till: string, number: number) =>
    stored.find((one) => one.reportNumber === number && one.deviceName.endsWith(till))?.totalSales
  for (const { till, number, sales } of made.closings) assert.equal(salesOf(till, number), sales, `${till} ${number}`)
})
