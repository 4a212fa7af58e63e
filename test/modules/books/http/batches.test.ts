import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BookBatch, BookingEntry } from '../../../../src/modules/books/schemas/books.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { date, dish, foldAll, issue, linesOf, put, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { card } from '../../../support/books-site.ts'
import { order, report } from '../../../support/records.ts'

let now = new Date('2026-03-31T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

const monthOf = async (site: Site, more = ''): Promise<any> =>
  (await app.get(`/v1/books/entries/?since=2026-03-01&until=2026-03-31${more}`, { key: site.key })).json

const numbersOf = (batch: BookBatch) => batch.entries.map(({ number }) => number)

test('a batch contains every Z that is ready, in order, numbered from 1', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 3: [soldOn(site, 3, 1)], 2: [soldOn(site, 2, 1), soldOn(site, 2, 2)] })
  const answer = await issue(app, site, { until: date(10), after: 0, skip: true })
  assert.equal(answer.status, 201, answer.text)
  const batch = answer.json as BookBatch
  assert.equal(batch.number, 1)
  assert.equal(answer.headers['tillgate-batch'], '1')
  assert.deepEqual(numbersOf(batch), ['CA-2026-000001', 'CA-2026-000002'])
  assert.deepEqual(
    batch.entries.map((entry) => [entry.date, entry.pieceRef, linesOf(entry)]),
    [
      [
        date(2),
        'Z2',
        [
          ['511500', 2200, 0],
          ['706100', 0, 2000],
          ['44571100', 0, 200],
        ],
      ],
      [
        date(3),
        'Z3',
        [
          ['511500', 1100, 0],
          ['706100', 0, 1000],
          ['44571100', 0, 100],
        ],
      ],
    ],
  )
  const read = await app.get('/v1/books/batches/1', { key: site.key })
  assert.equal(read.text, answer.text)
  assert.match(String(read.headers['cache-control']), /immutable/)
  const states = (await monthOf(site)).data.map(({ state, number }: BookingEntry) => [state, number])
  assert.deepEqual(states, [
    ['issued', 'CA-2026-000001'],
    ['issued', 'CA-2026-000002'],
  ])
  assert.deepEqual((await issue(app, site, { until: date(10), after: 1, skip: true })).json, { batch: null })
})

test('a repeated request issues nothing twice, and states the last batch', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const batch = { until: date(2), after: 0, skip: true }
  assert.equal((await issue(app, site, batch)).status, 201)
  const again = await issue(app, site, batch)
  assertProblem(again, { status: 409, code: 'batch_exists' })
  assert.equal(again.json.number, 1)
  const ahead = await issue(app, site, { ...batch, after: 9 })
  assert.equal(ahead.json.detail, 'the last batch is 1, not 9: set after to 1')
  const list = await app.get('/v1/books/batches/', { key: site.key })
  assert.deepEqual(
    list.json.data.map(({ number, entries }: any) => [number, entries]),
    [[1, 1]],
  )
})

test('concurrent requests issue one batch', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)], 3: [soldOn(site, 3, 1)] })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => issue(app, site, { until: date(5), after: 0, skip: true })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, ...Array.from({ length: 7 }, () => 409)],
  )
})

test('a Z that changed after it was issued is reversed and issued again, and the first batch does not change', async () => {
  const site = await app.addLocation()
  const orders = [soldOn(site, 2, 1)]
  await storeDays(app, site, { 2: orders, 3: [soldOn(site, 3, 1)] })
  const first = await issue(app, site, { until: date(5), after: 0, skip: true })
  const late = soldOn(site, 2, 2, {
    items: [dish(1, 22, 2)],
    total: 22,
    totalTax: 2,
    payments: [{ ...card, paymentAmount: 22 }],
  })
  await app.store([order(late)], site.key)
  await foldAll(app, site)
  // The order has the id of a Z that does not list it: nothing is reversed until that Z lists the order as well.
  const blocked = await monthOf(site)
  assert.deepEqual(
    blocked.refused.map(({ state, reasons }: any) => [state, reasons[0].code]),
    [['blocked', 'extra']],
  )
  const nothing = await issue(app, site, { until: date(5), after: 1, skip: true })
  assert.deepEqual(nothing.json, { batch: null })
  await app.store([report(zOn(site, 2, [...orders, late], { updatedAt: `${date(2)}T23:30:00.000Z` }))], site.key)
  await foldAll(app, site)
  assert.deepEqual(
    (await monthOf(site)).data.map(({ state }: BookingEntry) => state),
    ['changed', 'issued'],
  )
  const second = (await issue(app, site, { until: date(5), after: 1, skip: true })).json as BookBatch
  assert.deepEqual(
    second.entries.map((entry) => [entry.number, entry.reverses, linesOf(entry)]),
    [
      [
        'CA-2026-000003',
        'CA-2026-000001',
        [
          ['511500', 0, 1100],
          ['706100', 1000, 0],
          ['44571100', 100, 0],
        ],
      ],
      [
        'CA-2026-000004',
        null,
        [
          ['511500', 3300, 0],
          ['706100', 0, 3000],
          ['44571100', 0, 300],
        ],
      ],
    ],
  )
  assert.match(second.entries[0]?.lines[0]?.label ?? '', /^Extourne /)
  assert.equal((await app.get('/v1/books/batches/1', { key: site.key })).text, first.text)
  const numbers = (await monthOf(site)).data.map(({ number }: BookingEntry) => number)
  assert.deepEqual(numbers, ['CA-2026-000004', 'CA-2026-000002'])
})

test('a new mapping does not change issued entries until they are issued again on request', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  await issue(app, site, { until: date(5), after: 0, skip: true })
  assert.equal((await put(app, site, { layout: 'clearing' })).status, 200)
  assert.deepEqual(
    (await monthOf(site)).data.map(({ state, id }: BookingEntry) => [state, id.includes('/')]),
    [['issued', false]],
  )
  assert.deepEqual((await issue(app, site, { until: date(5), after: 1, skip: true })).json, { batch: null })
  const id = (await monthOf(site)).data[0].id as string
  const again = (await issue(app, site, { until: date(5), after: 1, skip: true, reissue: [id] })).json as BookBatch
  assert.deepEqual(
    again.entries.map(({ number, reverses, id: of, accountsVersion }) => [number, reverses, of, accountsVersion]),
    [
      ['CA-2026-000002', 'CA-2026-000001', id, 1],
      ['VE-2026-000001', null, `${id}/sales`, 1],
      ['CA-2026-000003', null, `${id}/cash`, 1],
    ],
  )
})

test('a batch is refused while something is missing: days, refused Zs, names without an account', async () => {
  const site = await app.addLocation()
  const wrong = [soldOn(site, 2, 1)]
  await app.store(
    [
      ...wrong.map(order),
      report(zOn(site, 2, wrong, { reportPayments: [{ paymentName: 'Carte bancaire', paymentAmount: 1110 }] })),
    ],
    site.key,
  )
  const paid = [{ ...card, paymentName: 'Livréo', paymentAmount: 11 }]
  await storeDays(app, site, { 3: [soldOn(site, 3, 1, { payments: paid })] })
  const incomplete = await issue(app, site, { until: date(4), after: 0 })
  assertProblem(incomplete, { status: 409, code: 'books_incomplete' })
  assert.deepEqual(incomplete.json.days, [date(4)])
  const refused = await issue(app, site, { until: date(3), after: 0 })
  assertProblem(refused, { status: 409, code: 'books_incomplete' })
  assert.deepEqual(
    refused.json.refused.map(({ pieceRef, reasons }: any) => [
      pieceRef,
      reasons[0].code,
      reasons[0].key,
      reasons[0].difference,
    ]),
    [['Z2', 'payments', 'Carte bancaire', 10]],
  )
  const { id } = refused.json.refused[0]
  const accept = [{ reportId: id, reason: 'Ticket perdu, vu avec Camille' }]
  const unmapped = await issue(app, site, { until: date(3), after: 0, accept })
  assertProblem(unmapped, { status: 409, code: 'accounts_unmapped' })
  assert.deepEqual(unmapped.json.names, [{ what: 'payment', name: 'Livréo', amount: 1100, sources: 1 }])
  const batch = (await issue(app, site, { until: date(3), after: 0, accept, unmapped: 'suspense' })).json as BookBatch
  assert.deepEqual(batch.accepted, accept)
  assert.deepEqual(batch.entries.map(linesOf), [
    [
      ['511500', 1110, 0],
      ['706100', 0, 1000],
      ['44571100', 0, 100],
      ['471000', 0, 10],
    ],
    [
      ['471000', 1100, 0],
      ['706100', 0, 1000],
      ['44571100', 0, 100],
    ],
  ])
  assert.equal(batch.entries[0]?.lines.at(-1)?.label, 'Écart Z2')
  assert.deepEqual(
    (await monthOf(site)).data.map(({ state }: BookingEntry) => state),
    ['issued', 'issued'],
  )
})

test('a batch that ends in the future does not make later days pass for complete', async (t) => {
  const site = await app.addLocation()
  await storeDays(app, site, { 30: [soldOn(site, 30, 1)] })
  assert.equal((await issue(app, site, { until: '2026-12-31', after: 0, skip: true })).status, 201)
  const before = now
  t.after(() => (now = before))
  now = new Date('2026-04-03T12:00:00.000Z')
  const later = await issue(app, site, { until: '2026-04-01', after: 1 })
  assert.deepEqual([later.status, later.json.days], [409, [date(31), '2026-04-01']])
})

test('centuries before and after the data cost nothing: only the days on which something is missing are named', async () => {
  const site = await app.addLocation()
  const ancient = soldOn(site, 2, 2, { closedAt: '0001-01-01T12:00:00.000Z', reportId: null })
  await app.store([order(soldOn(site, 2, 1, { reportId: null })), order(ancient)], site.key)
  const began = performance.now()
  const { status, json } = await issue(app, site, { until: '9999-12-31', after: 0 })
  assert.deepEqual(
    [status, json.code, json.days[0], json.days.at(-1)],
    [409, 'books_incomplete', '0001-01-01', date(31)],
  )
  assert.deepEqual((await issue(app, site, { until: '9999-12-31', after: 0, skip: true })).json, { batch: null })
  assert.ok(performance.now() - began < 5_000)
})

test('a location without any data waits for no day: nothing is due', async () => {
  const site = await app.addLocation()
  const answer = await issue(app, site, { until: date(4), after: 0 })
  assert.deepEqual([answer.status, answer.json.batch], [200, null], answer.text)
})

test('a date in a closed period becomes the day after it, and the fiscal year determines the series', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  await app.pool`update locations set fiscal_year_starts = '04-01' where id = ${site.id}`
  await put(app, site, { closedUntil: date(31), tills: { 'Caisse 1': 'C1' } })
  const batch = (await issue(app, site, { until: date(5), after: 0, skip: true })).json as BookBatch
  const [entry] = batch.entries
  assert.deepEqual([entry?.number, entry?.date, entry?.pieceDate], ['CA-2026-000001', '2026-04-01', date(2)])
  await storeDays(app, site, { 4: [soldOn(site, 4, 1)] })
  await put(app, site, {})
  const second = (await issue(app, site, { until: date(5), after: 1, skip: true })).json as BookBatch
  assert.deepEqual(numbersOf(second), ['CA-2025-000001'])
})

test('orders without a Z are an entry of their day once it is complete', async () => {
  const site = await app.addLocation()
  const alone = soldOn(site, 2, 1, { reportId: null })
  await app.store([order(alone)], site.key)
  await foldAll(app, site)
  const waiting = await monthOf(site)
  assert.deepEqual(
    waiting.refused.map(({ id, pieceRef, state, reasons }: any) => [id, pieceRef, state, reasons[0].code]),
    [[date(2), 'J20260302', 'waiting', 'incomplete']],
  )
  const status = { deviceId: alone.deviceId, at: `${date(3)}T08:00:00.000Z`, completeUntil: `${date(3)}T08:00:00.000Z` }
  await app.store([{ type: 'device.status', data: { ...status, lastNumber: 1 } }], site.key)
  const { data } = await monthOf(site)
  assert.deepEqual(
    data.map((entry: BookingEntry) => [entry.id, entry.pieceRef, entry.source.type, linesOf(entry)]),
    [
      [
        date(2),
        'J20260302',
        'day',
        [
          ['511500', 1100, 0],
          ['706100', 0, 1000],
          ['44571100', 0, 100],
        ],
      ],
    ],
  )
  const first = (await issue(app, site, { until: date(2), after: 0 })).json as BookBatch
  assert.deepEqual(numbersOf(first), ['CA-2026-000001'])
  // If a Z arrives nevertheless, the day is booked from the Z from then on.
  await app.store([report(zOn(site, 2, [alone]))], site.key)
  await foldAll(app, site)
  const second = (await issue(app, site, { until: date(2), after: 1 })).json as BookBatch
  assert.deepEqual(
    second.entries.map(({ id, reverses }) => [id.length, reverses]),
    [
      [10, 'CA-2026-000001'],
      [36, null],
    ],
  )
})

test('an order that two Zs name is in neither', async () => {
  const site = await app.addLocation()
  const both = soldOn(site, 2, 1, { reportId: null })
  await app.store([order(both), report(zOn(site, 2, [both])), report(zOn(site, 3, [both]))], site.key)
  await foldAll(app, site)
  const { data, refused } = await monthOf(site)
  assert.deepEqual(data, [])
  assert.deepEqual(
    refused.map(({ reasons }: any) => [reasons[0].code, reasons[0].orderIds]),
    [
      ['elsewhere', [both.id]],
      ['elsewhere', [both.id]],
    ],
  )
  const ids = refused.map(({ id }: any) => id as string)
  const accepted = await monthOf(site, `&accept=${ids.join(',')}`)
  assert.equal(accepted.refused.length, 2, 'it would be booked twice')
})

test('an order that a revised Z of another day no longer names marks its own day as changed', async () => {
  const site = await app.addLocation()
  // The till of the 3rd included an order of the 2nd in its Z; the 2nd had no other order.
  const stray = soldOn(site, 2, 1, { reportId: null })
  const own = soldOn(site, 3, 1)
  await app.store([order(stray), order(own), report(zOn(site, 3, [stray, own]))], site.key)
  await foldAll(app, site)
  const first = (await issue(app, site, { until: date(5), after: 0, skip: true })).json as BookBatch
  assert.deepEqual(
    first.entries.map(({ pieceRef, totals }) => [pieceRef, totals.debit]),
    [['Z3', 2200]],
  )
  await app.store([report(zOn(site, 3, [own], { updatedAt: `${date(4)}T10:00:00.000Z` }))], site.key)
  await foldAll(app, site)
  const [second] = await pool`
    select seq from book_days where location_id = ${site.id} and day = ${date(2)} order by seq desc limit 1`
  const head = (await app.get('/v1/journal/head', { key: site.key })).json.sequence
  const [z] = await pool`select seq from reports where location_id = ${site.id}`
  assert.ok(
    Number(second?.['seq']) >= Number(z?.['seq']) && Number(second?.['seq']) <= head,
    JSON.stringify({ second, z }),
  )
})

test('a dry run returns the counts and totals of the batch and issues nothing; its plan issues exactly that, or nothing', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1), soldOn(site, 2, 2)], 3: [soldOn(site, 3, 1)] })
  const input = { until: date(10), after: 0, skip: true }
  const { json } = await issue(app, site, { ...input, dryRun: true })
  // Calculated by hand: 22.00 and 11.00 by card.
  const { plan, ...due } = json.due
  assert.deepEqual(
    [json.batch, due],
    [null, { entries: 2, reversals: 0, since: date(2), until: date(3), debit: 3_300, hasMore: false }],
  )
  assert.equal((await app.get('/v1/books/batches/', { key: site.key })).json.meta.totalCount, 0)
  assert.equal((await issue(app, site, { ...input, dryRun: true })).json.due.plan, plan)
  // Another Z arrives between the count and the issue.
  await storeDays(app, site, { 4: [soldOn(site, 4, 1)] })
  assertProblem(await issue(app, site, { ...input, plan }), { status: 409, code: 'batch_changed' })
  assert.equal((await app.get('/v1/books/batches/', { key: site.key })).json.meta.totalCount, 0)
  const again = (await issue(app, site, { ...input, dryRun: true })).json.due
  assert.deepEqual([again.entries, again.debit], [3, 4_400])
  const issued = await issue(app, site, { ...input, plan: again.plan })
  assert.deepEqual([issued.status, issued.json.entries.length], [201, 3])
  assert.equal((await issue(app, site, { ...input, after: 1, dryRun: true })).json.due.entries, 0)
})

test('a day contains the number of its names without an account', async () => {
  const site = await app.addLocation()
  const platform = soldOn(site, 5, 1, { payments: [{ ...card, paymentName: 'Livréo', paymentAmount: 11 }] })
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)], 5: [platform] })
  const read = async () => {
    const { json } = await app.get(`/v1/books/days/?since=${date(2)}&until=${date(5)}`, { key: site.key })
    return json.data.flatMap(({ sources }: any) => sources.map(({ state, unmapped }: any) => [state, unmapped]))
  }
  assert.deepEqual(await read(), [
    ['ready', 0],
    ['ready', 1],
  ])
  assertProblem(await issue(app, site, { until: date(5), after: 0, skip: true, dryRun: true }), {
    status: 409,
    code: 'accounts_unmapped',
  })
  await put(app, site, { payments: [{ name: 'Livréo', account: '467100' }] })
  assert.deepEqual(await read(), [
    ['ready', 0],
    ['ready', 0],
  ])
})
