import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import type { Reconciliation } from '../../../src/modules/figures/schemas/reconciliation.ts'
import type { Report } from '../../../src/core/contract/reports/schema.ts'
import { createDataDir, findPostmaster, start, stop, tillgate, type Running } from '../../support/cli.ts'
import { plainSales } from '../../modules/figures/projections/oracle.ts'
import { eventually, patienceMs } from '../../support/waiting.ts'

const main = join(import.meta.dirname, '../../../src/main.ts')
const dataDir = await createDataDir()
const days = 4

/** The demo ignores the environment: it must not sell into a real installation. */
const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TILLGATE_DATA_DIR: '/nonexistent/data' }

function demo(...args: string[]): Running {
  const all = [main, 'demo', '--data-dir', dataDir, '--port', '0', '--days', String(days), '--speed', '60', ...args]
  return start(process.execPath, all, { env })
}

async function until(running: Running, condition: (stdout: string) => boolean, what: string): Promise<string> {
  let over = false
  void running.ended.then(() => (over = true))
  await eventually(() => over || condition(running.written.stdout), what, 4 * patienceMs)
  if (!condition(running.written.stdout)) assert.fail(`demo ended: ${running.written.stderr}`)
  return running.written.stdout
}

const countOf = (text: string, part: string) => text.split(part).length - 1

const began = Date.now()

type Facts = {
  url: string
  key: string
  locationId: string
  webhookId: string
  orders: number
  reports: number
  since: string | null
}

type Today = { day: string; orders: number; guests: number; salesInclTax: number; sequence: number }

type Started = Facts & { curl: string[]; today: Today }

/** Resolves to the first line of `demo --json`, once a delivery has followed it. */
async function started(running: Running): Promise<Started> {
  const text = await until(running, (stdout) => stdout.includes('"delivered"'), 'a delivery')
  return JSON.parse(text.slice(0, text.indexOf('\n'))) as Started
}

async function read(url: string, key: string, path: string): Promise<any> {
  const answer = await fetch(url + path, { headers: { 'x-api-key': key } })
  assert.equal(answer.status, 200, path)
  return answer.json()
}

/** Resolves to the ids of the events that were delivered until a moment. */
async function deliveredUntil({ url, key, webhookId }: Facts, until: Date): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor: string | null = null
  do {
    const query = new URLSearchParams({ outcome: 'success', until: until.toISOString(), size: '100' })
    if (cursor !== null) query.set('cursor', cursor)
    const { data, meta } = await read(url, key, `/v1/webhooks/${webhookId}/deliveries?${query.toString()}`)
    for (const { messageId } of data as { messageId: string }[]) ids.add(messageId)
    cursor = meta.next
  } while (cursor !== null)
  return ids
}

/** Checks that every report reconciles with its orders. Resolves to the reports. */
async function assertReconciles({ url, key }: Pick<Facts, 'url' | 'key'>): Promise<Report[]> {
  const { data: reports } = (await read(url, key, '/v1/reports/?size=100')) as { data: Report[] }
  assert.ok(reports.length >= days)
  for (const { id, reportNumber } of reports) {
    const answer = (await read(url, key, `/v1/reports/${id}/reconciliation`)) as Reconciliation
    assert.deepEqual([answer.balanced, answer.differences], [true, []], `report ${reportNumber}`)
  }
  return reports
}

/** Checks that the line about today equals the sums of the orders at its sequence. */
async function assertToday({ url, key, today }: Started): Promise<void> {
  const orders = new Map<string, Order>()
  for (let after = 0; after < today.sequence;) {
    const { data, meta } = await read(url, key, `/v1/events/?after=${after}&limit=1000`)
    const events = data as { type: string; sequence: number; data: Order }[]
    for (const { type, sequence, data: order } of events) {
      if (type.startsWith('order.') && sequence <= today.sequence) orders.set(order.id, order)
    }
    after = meta.next
  }
  const paris = { timeZone: 'Europe/Paris', startHour: 5 }
  const plain = plainSales(orders.values(), paris, { since: today.day, until: today.day })
  assert.deepEqual([today.orders, today.guests, today.salesInclTax], [plain.orders, plain.guests, plain.sales])
  assert.ok(plain.orders > 0)
}

test('demo reports a port in use before it creates a restaurant', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const dir = join(dataDir, 'untouched')
  const { code, stderr } = await tillgate(['demo', '--port', String(port), '--data-dir', dir])
  taken.close()
  assert.equal(code, 2)
  assert.match(
    stderr,
    /^error: port \d+ of 127\.0\.0\.1 is in use: stop the other program, or choose another --port\n$/,
  )
  assert.equal(existsSync(dir), false)
})

describe('demo', () => {
  let first: { stdout: string; url: string; key: string; reports: string[]; ended: Date }

  test('makes a restaurant, prints its URL and verified deliveries, and uses no colors in a pipe', async () => {
    const running = demo()
    const stdout = await until(running, (text) => countOf(text, '✓') >= 8, 'eight deliveries')
    // Between closing time and the end of the business day, the report of the current day exists too.
    assert.match(
      stdout,
      new RegExp(
        `^.+, .+\\. ${days} days of it were made in [\\d.]+ s: [\\d,]+ orders and (${days}|${days + 1}) Z reports\\.`,
      ),
    )
    const [url, key] = ['Base URL', 'Key'].map((name) => new RegExp(`^  ${name} +(\\S+)`, 'm').exec(stdout)?.[1]) as [
      string,
      string,
    ]
    assert.match(stdout, new RegExp(`^  Reference +${url}/docs$`, 'm'))
    // The first URL is that of the console, and it signs in to the restaurant once.
    const [link = ''] = /http\S+/.exec(stdout) ?? []
    const [page, single] = link.split('#code=')
    assert.equal(page, `${url}/console/`)
    const signIn = () =>
      fetch(`${url}/console/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ code: single }),
      })
    const session = await signIn()
    assert.equal(session.status, 201)
    const { scopes, allLocations, locations, pageSecret } = (await session.json()) as Record<string, any>
    assert.deepEqual([scopes, allLocations, locations.length], [['read', 'webhooks', 'admin'], false, 1])
    const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const today = await fetch(`${url}/console/api/v1/sales/`, {
      headers: { cookie, 'tillgate-page': pageSecret },
    })
    assert.equal(today.status, 200)
    assert.equal((await signIn()).status, 401)
    assert.match(
      stdout,
      /^Today \(\d{4}-\d\d-\d\d\): [\d,]+ orders?, [\d,]+ guests?, [\d,]+\.\d\d EUR so far: GET \/v1\/sales\/$/m,
    )
    assert.equal((await fetch(`${url}/docs`)).status, 200)
    const line = /^\d\d:\d\d:\d\d  ✓ order\.(created|paid) +#\d{6}-\d+ +\S.* \d+\.\d\d €/m
    assert.match(stdout, line)
    assert.ok(!stdout.includes('\u001b'))
    const reports = (await assertReconciles({ url, key })).map(({ id }) => id)

    const curls = [...stdout.matchAll(/^ {2}(curl .+)$/gm)].map((match) => match[1] as string)
    assert.equal(curls.length, 3)
    const answers: any[] = []
    for (const curl of curls) {
      const { code, stdout: answer, stderr } = await start('bash', ['-c', curl]).ended
      assert.equal(code, 0, `${curl}: ${stderr}`)
      answers.push(JSON.parse(answer))
    }
    const [latest, reconciled, tested] = answers
    assert.equal(latest.data.length, 1)
    assert.deepEqual([reconciled.balanced, reconciled.reportId], [true, reports.at(-1)])
    const outcomes = Object.values(tested as Record<string, { success: boolean }>).map(({ success }) => success)
    assert.deepEqual([...new Set(outcomes)], [true])
    await until(running, (text) => countOf(text, 'test\n') >= outcomes.length, 'the test deliveries')
    assert.ok(!running.written.stdout.includes('✗'))

    const { code, stdout: all } = await stop(running, 'SIGINT')
    assert.equal(code, 0)
    assert.match(all, /\nStopped\. Start it again to continue with the same restaurant\.\n$/)
    assert.equal(await findPostmaster(dataDir), undefined)
    first = { stdout: all, url, key, reports, ended: new Date() }
  })

  test('keeps its keys in a file that only its owner can read', async () => {
    const file = join(dataDir, 'demo.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const { key } = JSON.parse(await readFile(file, 'utf8')) as { key: string }
    assert.equal(key, first.key)
  })

  test('continues with the same restaurant, keys and webhook, also after a kill -9, and every report reconciles', async () => {
    const second = demo('--json')
    const facts = await started(second)
    assert.equal(facts.key, first.key)
    assert.ok(facts.since !== null && Date.parse(facts.since) >= began)
    const known = Number(/([\d,]+) orders and/.exec(first.stdout)?.[1]?.replace(',', ''))
    assert.ok(facts.orders >= known && facts.orders < known + 200, `${facts.orders} orders after ${known}`)
    await stop(second, 'SIGKILL')

    const third = demo('--json')
    const again = await started(third)
    assert.deepEqual([again.key, again.locationId], [facts.key, facts.locationId])
    await assertToday(again)
    const reports = await assertReconciles(again)
    assert.deepEqual(
      reports.slice(0, first.reports.length).map(({ id }) => id),
      first.reports,
    )
    // Order numbers continue where they stopped, each used once.
    const { data } = await read(again.url, again.key, '/v1/orders/?state=all&sort=-createdAt&size=100')
    const numbers = (data as { orderNumber: string; isTraining: boolean }[])
      .filter(({ isTraining }) => !isTraining)
      .map(({ orderNumber }) => orderNumber)
    assert.equal(new Set(numbers).size, numbers.length)

    // According to the feed, each event was delivered and verified in one of the two runs, except for events that the
    // first one delivered after an event that had to be retried.
    const delivered = () =>
      [...second.written.stdout.trimEnd().split('\n').slice(1), ...third.written.stdout.trimEnd().split('\n').slice(1)]
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as { id: string; sequence: number; verified?: boolean })
    const from = Math.min(...delivered().map(({ sequence }) => sequence))
    const types = 'order.created,order.paid,order.canceled,order.transferred,report.created'
    const feed = await read(again.url, again.key, `/v1/events/?after=${from - 1}&types=${types}&limit=1000`)
    const before = await deliveredUntil(again, first.ended)
    assert.ok(before.size >= 8)
    const wanted = (feed.data as { id: string }[]).map(({ id }) => id).filter((id) => !before.has(id))
    assert.ok(wanted.length > 0)
    const isComplete = () => {
      const ids = new Set(delivered().map(({ id }) => id))
      return wanted.every((id) => ids.has(id))
    }
    await until(third, isComplete, 'every event of the feed is delivered')
    assert.ok(delivered().every(({ verified }) => verified === true))

    const { code } = await stop(third, 'SIGTERM')
    assert.equal(code, 0)
    const verified = await tillgate(['verify', '--data-dir', dataDir])
    assert.deepEqual([verified.code, verified.stdout.startsWith('verified')], [0, true])
  })

  test('refuses an invalid speed or number of days, with exit code 2', async () => {
    for (const args of [
      ['--speed', '61'],
      ['--days', '0'],
    ]) {
      const { code, stderr } = await tillgate(['demo', '--data-dir', dataDir, ...args])
      assert.equal(code, 2)
      assert.match(stderr, new RegExp(`^error: ${args[0]} must be `))
    }
  })
})
