import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startApp } from '../../support/app.ts'
import { idOf, itemOf, order, report, reportOf, smallOrderOf } from '../../support/records.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'

const app = await startApp()

const start = Date.parse('2026-02-27T00:00:00.000Z')
const iso = (ms: number) => new Date(ms).toISOString()

/** Times in a few days around the end of a month, mostly at the edges of days. */
const moment = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(0, 1, 1000, dayMs / 2, dayMs - 1000, dayMs - 2, dayMs - 1))
  .map(([day, ms]) => start + day * dayMs + ms)

/** The longest number that can be searched for, and a number with the same start that is too long for an index. */
const longNumber = '№'.repeat(100)
const hugeNumber =
  longNumber + String.fromCodePoint(...Array.from({ length: 1_000 }, (_, i) => 0x4e00 + ((i * 7_919) % 20_000)))

/** A push of an order, or of a new version of an order. */
const version = fc.record({
  n: fc.integer({ min: 0, max: 30 }),
  ms: moment,
  closed: fc.boolean(),
  report: fc.constantFrom(null, 1, 2),
  device: fc.constantFrom(1, 2),
  operator: fc.constantFrom(1, 2),
  number: fc.constantFrom('7', '70', longNumber, hugeNumber),
  channel: fc.constantFrom('pos', 'kiosk'),
  service: fc.constantFrom('eat_in', 'takeaway', "d'été %_"),
  training: fc.boolean(),
  total: fc.constantFrom(0, 12.5, -3, 100),
  payment: fc.constantFrom('Carte', 'Carte bancaire', 'Es"pèces\\ %_'),
  product: fc.constantFrom(1, 2),
  category: fc.constantFrom('Plats', 'Vins'),
  discount: fc.constantFrom(null, 1),
})

/** Bounds of a range, in each spelling that a caller may use. */
const bound = fc.oneof(
  moment.map((ms) => ({ text: iso(ms), first: ms, last: ms })),
  moment.map((ms) => {
    const local = iso(ms + 2 * 3_600_000).replace('Z', '+02:00')
    return { text: local, first: ms, last: ms }
  }),
  moment.map((ms) => {
    const day = Math.floor(ms / dayMs) * dayMs
    return { text: iso(day).slice(0, 10), first: day, last: day + dayMs - 1 }
  }),
)

const query = fc.record({
  since: fc.option(bound, { freq: 2 }),
  until: fc.option(bound, { freq: 2 }),
  state: fc.constantFrom(undefined, 'open', 'closed', 'all'),
  sort: fc.constantFrom(undefined, 'createdAt', '-createdAt'),
  report: fc.option(fc.constantFrom(1, 2, 3), { freq: 4 }),
  device: fc.option(fc.constantFrom(1, 2, 3), { freq: 3 }),
  operator: fc.option(fc.constantFrom(1, 2), { freq: 3 }),
  number: fc.option(fc.constantFrom('7', '70', '', longNumber), { freq: 3 }),
  channel: fc.option(fc.constantFrom('pos', 'kiosk', 'Pos'), { freq: 3 }),
  service: fc.option(fc.constantFrom('eat_in', 'takeaway', "d'été %_"), { freq: 3 }),
  training: fc.option(fc.boolean(), { freq: 3 }),
  payment: fc.option(fc.constantFrom('Carte', 'Es"pèces\\ %_', 'Cart', '","total":1'), { freq: 3 }),
  product: fc.option(fc.constantFrom(1, 2, 3), { freq: 3 }),
  category: fc.option(fc.constantFrom('Plats', 'plats'), { freq: 3 }),
  discount: fc.option(fc.constantFrom(1, 2), { freq: 3 }),
  min: fc.option(fc.constantFrom(-3, 12.5, 12.51), { freq: 3 }),
  max: fc.option(fc.constantFrom(-3, 0, 99.99), { freq: 3 }),
  size: fc.integer({ min: 1, max: 8 }),
  index: fc.integer({ min: 0, max: 9 }),
})

type Version = typeof version extends fc.Arbitrary<infer T> ? T : never
type Query = typeof query extends fc.Arbitrary<infer T> ? T : never

const filtered = [
  'report',
  'device',
  'operator',
  'number',
  'channel',
  'service',
  'training',
  'payment',
  'product',
  'category',
  'discount',
] as const

const unfiltered = {
  min: null,
  max: null,
  ...(Object.fromEntries(filtered.map((name) => [name, null])) as Record<(typeof filtered)[number], null>),
}

/** At most two filters at once: with more, hardly any orders match, and a wrong filter would go unnoticed. */
const ofFewFilters = fc
  .tuple(query, fc.subarray(Object.keys(unfiltered) as (keyof typeof unfiltered)[], { maxLength: 2 }))
  .map(([query, kept]): Query => ({
    ...query,
    ...unfiltered,
    ...Object.fromEntries(kept.map((name) => [name, query[name]])),
  }))

function expected(model: Iterable<Version>, query: Query): Version[] {
  const state = query.state ?? 'closed'
  return [...model]
    .filter(({ ms }) => ms >= (query.since?.first ?? 0) && ms <= (query.until?.last ?? Infinity))
    .filter(({ closed }) => state === 'all' || closed === (state === 'closed'))
    .filter((one) => filtered.every((name) => query[name] === null || one[name] === query[name]))
    .filter(({ total }) => total >= (query.min ?? -Infinity) && total <= (query.max ?? Infinity))
    .toSorted((a, b) => (query.sort === '-createdAt' ? -1 : 1) * (a.ms - b.ms || a.n - b.n))
}

function pathOf(list: string, query: Query): string {
  const filters = {
    since: query.since?.text,
    until: query.until?.text,
    state: query.state,
    sort: query.sort,
    reportId: query.report && idOf('report', query.report),
    deviceId: query.device && idOf('device', query.device),
    operatorId: query.operator && idOf('operator', query.operator),
    number: query.number,
    channel: query.channel,
    serviceType: query.service,
    isTraining: query.training === null ? null : String(query.training),
    payment: query.payment,
    productId: query.product && idOf('product', query.product),
    category: query.category,
    discountId: query.discount && idOf('discount', query.discount),
    minTotal: query.min === null ? null : String(query.min),
    maxTotal: query.max === null ? null : String(query.max),
  }
  const isGiven = (entry: [string, unknown]): entry is [string, string] => entry[1] !== undefined && entry[1] !== null
  const given = Object.entries(filters).filter(isGiven)
  const search = new URLSearchParams([...given, ['size', String(query.size)], ['index', String(query.index)]])
  return `/v1/${list}/?${search.toString()}`
}

async function assertPage(list: string, kind: 'order' | 'report', model: Iterable<Version>, query: Query, key: string) {
  const isEmpty = query.since && query.until && query.since.first > query.until.last
  const path = pathOf(list, query)
  const answer = await app.get(path, { key })
  if (isEmpty) return assert.equal(answer.status, 400)
  const all = expected(model, query)
  const slice = all.slice(query.index * query.size, (query.index + 1) * query.size)
  assert.equal(answer.status, 200, answer.text)
  const found = answer.json.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(
    found,
    slice.map(({ n }) => idOf(kind, n)),
    path,
  )
  const { totalCount, totalPage } = answer.json.meta
  assert.deepEqual([totalCount, totalPage], [all.length, Math.ceil(all.length / query.size)], path)
}

test('[PAG-10] every page of the order list, for any filter and after any updates, equals a sorted and filtered list of all orders', async () => {
  const steps = fc.array(
    fc.tuple(fc.array(version, { minLength: 1, maxLength: 25 }), fc.array(ofFewFilters, { maxLength: 6 })),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const site = await app.addLocation()
      const model = new Map<number, Version>()
      let updates = 0
      for (const [versions, queries] of all) {
        const records = versions.map((one) => {
          model.set(one.n, one)
          return order(
            smallOrderOf(site.id, one.n, {
              createdAt: iso(one.ms),
              updatedAt: iso(start + ++updates),
              closedAt: one.closed ? iso(one.ms) : null,
              reportId: one.report === null ? null : idOf('report', one.report),
              deviceId: idOf('device', one.device),
              operatorId: idOf('operator', one.operator),
              orderNumber: one.number,
              channel: one.channel,
              serviceType: one.service,
              isTraining: one.training,
              total: one.total,
              // Texts that filters search for are also in other fields of documents.
              orderPlace: '"total":50,"paymentName":"Carte","category":"Plats',
              operatorName: '\\","total":-3,"itemCatalogId":',
              payments: [{ paymentAmount: one.total, paymentName: one.payment, paymentCatalogId: idOf('payment', 1) }],
              items: [
                itemOf(one.product, {
                  total: 50,
                  category: one.category,
                  subCategory: 'Plats',
                  discountsApplied: one.discount === null ? [] : [discount],
                }),
              ],
            }),
          )
        })
        await app.store(records, site.key)
        for (const query of queries) await assertPage('orders', 'order', model.values(), query, site.key)
      }
    }),
    { numRuns: 40 },
  )
})

const discount = { discountName: 'Happy hour', discountValue: 1.5, discountCatalogId: idOf('discount', 1) }

test('[PAG-11] every page of the report list equals a sorted and filtered list of all reports', async () => {
  const plain = query.map((query): Query => ({ ...query, state: undefined, ...unfiltered }))
  const versions = fc.array(version, { minLength: 1, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(versions, fc.array(plain, { minLength: 4, maxLength: 8 }), async (all, queries) => {
      const site = await app.addLocation()
      const model = new Map(all.map((one) => [one.n, { ...one, closed: true }]))
      const records = all.map((one, i) =>
        report(reportOf(site.id, one.n, { createdAt: iso(one.ms), updatedAt: iso(start + i) })),
      )
      await app.store(records, site.key)
      for (const query of queries) await assertPage('reports', 'report', model.values(), query, site.key)
    }),
    { numRuns: 20 },
  )
})
