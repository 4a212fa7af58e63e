import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../src/core/contract/errors/errors.ts'
import { issueBatch } from '../../../../src/modules/books/projections/book-issue.ts'
import { findBooksFault } from '../../../../src/modules/books/store/batches.ts'
import type { BookBatch } from '../../../../src/modules/books/schemas/books.ts'
import { startApp } from '../../../support/app.ts'
import { date, dish, foldAll, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { card } from '../../../support/books-site.ts'
import { crashing } from '../../../support/crashing.ts'
import { idOf, order, report } from '../../../support/records.ts'

const now = new Date('2026-03-31T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

test('a process that ends at any statement of a batch neither repeats nor skips a number', async () => {
  const site = await app.addLocation()
  let last = 0
  let crashes = 0
  let at = 1
  for (let isCrashed = true; isCrashed; at++) {
    // Something changes in each round, so that a batch has a reversal, its replacement and a new entry.
    const orders = Array.from({ length: at }, (_, n) => soldOn(site, 2, n + 1))
    const z = zOn(site, 2, orders, {
      updatedAt: new Date(Date.parse(`${date(2)}T23:00:00.000Z`) + at * 1000).toISOString(),
    })
    await app.store([...orders.map(order), report(z)], site.key)
    await foldAll(app, site)
    const input = { until: date(10), after: last, skip: true }
    const issue = () => issueBatch(pool, site.id, { input, now, seen: 0 })
    isCrashed = await crashing(pool, at, issue)
    if (isCrashed) crashes += 1
    // A caller without a response repeats the request with the same number.
    const again = await issue().catch((error: unknown) => error)
    if (isCrashed) assert.ok(again && !(again instanceof Error), String(again))
    else assert.ok(again instanceof AppError && again.code === 'batch_exists')
    last += 1
  }
  assert.ok(crashes > 15, `${crashes} statements`)
  const entries: BookBatch['entries'] = []
  for (let number = 1; number <= last; number++)
    entries.push(...(await app.get(`/v1/books/batches/${number}`, { key: site.key })).json.entries)
  const numbers = entries.map(({ number }) => number)
  assert.deepEqual(
    numbers,
    numbers.map((_, i) => `CA-2026-${String(i + 1).padStart(6, '0')}`),
  )
  // All reversed entries cancel out, so only the last Z remains.
  const sum = (of: (line: { account: string; debit: number; credit: number }) => number) =>
    entries.flatMap(({ lines }) => lines).reduce((all, line) => all + of(line), 0)
  assert.equal(
    sum(({ account, debit, credit }) => (account === '511500' ? debit - credit : 0)),
    (at - 1) * 1100,
  )
  assert.equal(
    sum(({ debit, credit }) => debit - credit),
    0,
  )
})

test('records pushed while a batch is planned are in it, or in the next one', async () => {
  const site = await app.addLocation()
  const orders = [soldOn(site, 2, 1)]
  await storeDays(app, site, { 2: orders })
  const late = soldOn(site, 2, 2, {
    items: [dish(1, 22, 2)],
    total: 22,
    totalTax: 2,
    payments: [{ ...card, paymentAmount: 22 }],
  })
  const z = zOn(site, 2, [...orders, late], { updatedAt: `${date(2)}T23:30:00.000Z` })
  const input = { until: date(10), after: 0, skip: true }
  const [issued] = await Promise.all([
    issueBatch(pool, site.id, { input, now, seen: 0 }),
    app.store([order(late), report(z)], site.key),
  ])
  await foldAll(app, site)
  const next = await issueBatch(pool, site.id, { input: { ...input, after: 1 }, now, seen: 0 })
  const entries = [...(issued?.batch.entries ?? []), ...(next?.batch.entries ?? [])]
  const card511 = entries.flatMap(({ lines }) => lines).filter(({ account }) => account === '511500')
  assert.equal(
    card511.reduce((sum, { debit, credit }) => sum + debit - credit, 0),
    3300,
  )
})

test('verify finds a changed or missing issued entry', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)], 3: [soldOn(site, 3, 1)] })
  await issueBatch(pool, site.id, { input: { until: date(10), after: 0, skip: true }, now, seen: 0 })
  assert.equal(await findBooksFault(pool, site.id), undefined)
  await pool`update book_batches set number = 2 where location_id = ${site.id}`
  assert.match(
    (await findBooksFault(pool, site.id)) ?? '',
    /^the batch at journal entry \d+ is not stored as the entry/,
  )
  await pool`update book_batches set number = 1 where location_id = ${site.id}`
  await pool`update book_entries set stands = false where location_id = ${site.id} and ordinal = 2`
  assert.match((await findBooksFault(pool, site.id)) ?? '', /CA-2026 2 differs from its batch/)
  await pool`delete from book_entries where location_id = ${site.id} and ordinal = 2`
  assert.match((await findBooksFault(pool, site.id)) ?? '', /CA-2026 2 is in a batch but not stored/)
})

test('days without a Z with more orders than the limit are split into several batches, without gaps or duplicates', async () => {
  const site = await app.addLocation()
  const numbered = (n: number) => ({ reportId: null, orderNumber: String(n) })
  const orders = [3, 4, 5, 6].flatMap((day) => [1, 2].map((n) => soldOn(site, day, n, numbered(day * 2 + n - 6))))
  // The first day has nothing to book, which must not block the days after it.
  const free = { items: [dish(1, 0, 0)], total: 0, totalTax: 0, payments: [] }
  const first = soldOn(site, 2, 1, { ...numbered(0), ...free })
  const end = '2026-03-20T00:00:00.000Z'
  const done = { deviceId: idOf('device', 1), at: end, completeUntil: end, lastNumber: 8 }
  const records = [...[first, ...orders].map(order), { type: 'device.status', data: done }]
  await app.store(records, site.key)
  await foldAll(app, site)
  const batches: (BookBatch | undefined)[] = []
  for (let after = 0; after < 5; after++) {
    const input = { until: date(10), after, skip: true }
    batches.push((await issueBatch(pool, site.id, { input, now, seen: 0, ordersAtOnce: 1 }))?.batch)
  }
  assert.deepEqual(
    batches.map(
      (batch) => batch && [batch.entries.map(({ pieceRef, totals }) => [pieceRef, totals.debit]), batch.hasMore],
    ),
    [
      [[['J20260303', 2200]], true],
      [[['J20260304', 2200]], true],
      [[['J20260305', 2200]], true],
      [[['J20260306', 2200]], false],
      undefined,
    ],
  )
})
