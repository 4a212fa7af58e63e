import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { daysProjection } from '../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { startApp, type Answer, type Site } from '../../support/app.ts'
import { runsOf, testSeed } from '../../support/seed.ts'
import { World, zones } from '../../support/world.ts'

type Json = Record<string, any>

const now = new Date('2026-04-10T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const admin = await app.addKey(installationId, { scopes: ['admin'] })

/** Creates a location with the settings of a world, and pushes its records; `arrival` is the seed of their order. */
async function fill(world: World, arrival: number): Promise<Site> {
  const site = await app.addLocation()
  const { timeZone, currency, dayStartsAt } = world.zone
  const changed = await app.request('PATCH', `/v1/admin/locations/${site.id}`, {
    key: admin.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      timeZone,
      currency,
      dayStartsAt,
      paymentKinds: { 'Bon cadeau': 'gift_card', 'En compte': 'account' },
    }),
  })
  assert.equal(changed.status, 200, changed.text)
  const records = world.records(site.id, arrival)
  for (let at = 0; at < records.length; at += 7) {
    const answer = await app.push(records.slice(at, at + 7), { key: site.key })
    assert.equal(answer.json.rejected, 0, answer.text)
  }
  while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
  return site
}

async function read(site: Site, path: string): Promise<Json> {
  const answer: Answer = await app.get(path, { key: site.key })
  assert.equal(answer.status, 200, `${path}: ${answer.text}`)
  return answer.json
}

const pick = (row: Json, keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, row[key]]))
const keys = ['orders', 'guests', 'items', 'salesInclTax', 'tax', 'discounts', 'tips', 'refunds']
const nothing = { orders: 0, guests: 0, items: 0, salesInclTax: 0, tax: 0, discounts: 0, tips: 0, refunds: 0 }

const sorted = (texts: readonly string[]) => texts.toSorted()

/** Reads every page of a list. */
async function readAll(site: Site, path: string): Promise<Json[]> {
  const all: Json[] = []
  for (let index = 0; ; index += 1) {
    const page = await read(site, `${path}&size=5&index=${index}`)
    all.push(...page.data)
    if (index + 1 >= page.meta.totalPage) return all
  }
}

async function rowsOf(site: Site, table: string, months: readonly string[]): Promise<Json[]> {
  const texts = await Promise.all(
    months.map(async (month) => {
      const answer = await fetch(`${app.url}/v1/exports/${table}?month=${month}&format=ndjson`, {
        headers: { 'x-api-key': site.key },
      })
      assert.equal(answer.status, 200)
      return answer.text()
    }),
  )
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line))
}

for (const name of Object.keys(zones))
  for (let run = 0; run < runsOf(2); run += 1) {
    const seed = testSeed + run
    test(`a world of ${name} (${seed}) has the sums of its ledger everywhere, in any order of arrival`, async (t) => {
      const world = new World(name, seed)
      const days = world.zone.days.slice(0, -1).map(([date]) => date)
      const [since, until] = [days[0] as string, days.at(-1) as string]
      const range = `since=${since}&until=${until}`
      const [first, second] = [await fill(world, seed), await fill(world, seed + 99)]
      const unit = world.zone.currency === 'KWD' ? 1_000 : 100

      for (const [index, date] of days.entries())
        await t.test(`figures of ${date}`, async () => {
          const { totals } = await read(first, `/v1/sales/?since=${date}&until=${date}&by=total`)
          assert.deepEqual(pick(totals, keys), world.sums(index))
          const day = await read(first, `/v1/business-days/${date}`)
          assert.equal(day.isComplete, true)
          assert.equal(day.revision, 0)
          assert.equal(day.sales.salesInclTax, world.sums(index).salesInclTax)
        })

      await t.test('figures of all days, by day, by rate and by payment', async () => {
        const sales = await read(first, `/v1/sales/?${range}&by=day`)
        assert.deepEqual(pick(sales.totals, keys), world.sums(null))
        const byDay = new Map<string, Json>(sales.data.map((row: Json) => [row['period'], pick(row, keys)]))
        for (const [index, date] of days.entries())
          assert.deepEqual(byDay.get(date) ?? nothing, world.sums(index), date)
        assert.equal(sales['excluded'].notSales.amount, world.byKind(['charge', 'voucher', 'deposit']))
        const byTax = await read(first, `/v1/sales/?${range}&by=tax`)
        assert.deepEqual(
          Object.fromEntries(byTax['data'].map((row: Json) => [row['key'], pick(row, ['salesInclTax', 'tax'])])),
          world.byTax(),
        )
        const byPayment = await read(first, `/v1/sales/?${range}&by=payment`)
        assert.deepEqual(
          Object.fromEntries(byPayment['data'].map((row: Json) => [row['name'] ?? row['key'], row['salesInclTax']])),
          world.paid(),
        )
      })

      await t.test('the list behind a figure has its orders', async () => {
        for (const [index, date] of days.entries()) {
          const list = await readAll(first, `/v1/orders/?closedSince=${date}&closedUntil=${date}&isCounted=true`)
          assert.deepEqual(sorted(list.map(({ id }) => id)), world.countedIds(index), date)
        }
      })

      await t.test('every Z report balances, and can then be booked', async () => {
        for (const day of days.keys())
          for (let till = 0; till < world.tills; till += 1) {
            const check = await read(first, `/v1/reports/${world.reportId(day, till)}/reconciliation`)
            assert.equal(check['balanced'], true, JSON.stringify(check['differences']))
          }
        const entries = await read(first, `/v1/books/entries/?${range}`)
        assert.deepEqual(entries['refused'], [])
        const lines: Json[] = entries['data'].flatMap((entry: Json) => entry['lines'])
        for (const { totals, lines: own } of entries['data'] as Json[]) {
          assert.equal(totals.debit, totals.credit)
          assert.equal(
            own.reduce((sum: number, line: Json) => sum + line['debit'] - line['credit'], 0),
            0,
          )
        }
        const byRole = (...roles: string[]) =>
          lines.filter(({ role }) => roles.includes(role)).reduce((sum, { debit, credit }) => sum + credit - debit, 0)
        const paid = Object.values(world.paid()).reduce((sum, amount) => sum + amount, 0)
        const within = 2 * days.length * world.tills * 10
        const near = (actual: number, expected: number, what: string) =>
          assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual} is not ${expected}`)
        assert.equal(-byRole('payment'), paid)
        const taxed = byRole('revenue', 'tax', 'untaxed', 'discount')
        near(taxed, world.byKind(['sale', 'untaxed', 'charge']) + world.voucherTax(), 'revenue')
        near(byRole('voucher', 'deposit'), world.byKind(['voucher', 'deposit']) - world.voucherTax(), 'owed')
      })

      await t.test('e-reporting has the sales, by day and category', async () => {
        const report = await read(first, `/v1/e-reporting/?${range}`)
        for (const [index, date] of days.entries()) {
          const groups = report['transactions'].filter((group: Json) => group['date'] === date)
          const stated = Object.fromEntries(
            groups.map((group: Json) => [group['category'], pick(group, ['taxable', 'tax', 'notStated'])]),
          )
          const wanted = Object.entries(world.supplies(index)).filter(
            ([category, { taxable, tax, notStated }]) =>
              category in stated || taxable !== 0 || tax !== 0 || notStated !== 0,
          )
          assert.deepEqual(stated, Object.fromEntries(wanted), date)
        }
      })

      await t.test('tables have the same rows and sums', async () => {
        const months = [...new Set(days.map((date) => date.slice(0, 7)))]
        const orders = await rowsOf(first, 'orders', months)
        assert.deepEqual(
          sorted(orders.filter((row) => row['is_counted']).map((row) => row['order_id'])),
          world.countedIds(null),
        )
        const dayOf = new Map(world.sales.map(({ id, day }) => [id, days[day]]))
        for (const row of orders) assert.equal(row['business_date'], dayOf.get(row['order_id']))
        const items = (await rowsOf(first, 'items', months)).filter((row) => row['is_counted'])
        const cents = (value: unknown) => Math.round(Number(value) * unit)
        // Each row is rounded separately.
        const sum = items.reduce((all, row) => all + cents(row['total']), 0)
        assert.ok(Math.abs(sum - world.sums(null).salesInclTax) <= items.length / 2 + 1, `${sum}`)
        const paid = (await rowsOf(first, 'payments', months)).filter((row) =>
          world.countedIds(null).includes(row['order_id']),
        )
        assert.equal(
          paid.reduce((all, row) => all + cents(row['amount']), 0),
          Object.values(world.paid()).reduce((all, amount) => all + amount, 0),
        )
      })

      await t.test('the order of arrival changes nothing', async () => {
        // `completeUntil` next to figures may be a second behind that of /v1/completeness/, which is compared
        // separately.
        const bare = ({ meta, ...answer }: Json): Json =>
          JSON.parse(
            JSON.stringify({ meta: { ...meta, completeUntil: null }, ...answer })
              .replaceAll(new RegExp(`${first.id}|${second.id}`, 'g'), 'L')
              .replaceAll(
                /"sequence":\d+|"(?:createdAt|lastAcceptedAt|acceptedAt)":"[^"]+"|"hash":"\w+"|"siren":"\w+"/g,
                '"left":"out"',
              ),
          )
        for (const path of [
          `/v1/sales/?${range}&by=day,product`,
          `/v1/sales/?${range}&by=payment`,
          `/v1/sales/?${range}&by=hour`,
          `/v1/business-days/?${range}`,
          `/v1/deductions/?${range}`,
          `/v1/books/entries/?${range}`,
          `/v1/e-reporting/?${range}`,
          `/v1/completeness/`,
        ])
          assert.deepEqual(bare(await read(second, path)), bare(await read(first, path)), path)
      })

      await t.test('closings add up to the ledger', async () => {
        const closed = await app.request('POST', '/v1/closings/', {
          key: first.key,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ until, after: 0 }),
        })
        assert.equal(closed.status, 201, closed.text)
        const closings: Json[] = (await readAll(first, '/v1/closings/?period=day')) as Json[]
        const total = world.sums(null)
        for (const key of ['orders', 'tips'] as const)
          assert.equal(
            closings.reduce((sum, { totals }) => sum + totals[key], 0),
            total[key],
            key,
          )
        const paid = new Map<string, number>()
        for (const { payments } of closings)
          for (const { name: by, amount } of payments) paid.set(by, (paid.get(by) ?? 0) + amount)
        assert.deepEqual(Object.fromEntries(paid), world.paid())
        for (const key of ['salesInclTax', 'tax', 'discounts', 'refunds'] as const) {
          const sum = closings.reduce((all, { totals }) => all + totals[key], 0)
          assert.ok(Math.abs(sum - total[key]) <= closings.length, `${key}: ${sum} is not ${total[key]}`)
        }
      })
    })
  }
