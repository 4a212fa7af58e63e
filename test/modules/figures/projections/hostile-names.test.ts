import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import type { Sales } from '../../../../src/modules/figures/schemas/sales.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { startApp } from '../../../support/app.ts'
import { orderOf } from '../../../support/records.ts'

const app = await startApp()
const { pool } = app.context

/** Returns an order of 50.00, paid by 500 payments of 0.10 with different names. */
const manyNames = (locationId: string, n: number): Order => {
  const [payment] = orderOf(locationId, n).payments
  const payments = Array.from({ length: 500 }, (_, i) => ({
    ...(payment as Order['payments'][number]),
    paymentName: `Name ${n} ${i}`,
    paymentAmount: 0.1,
  }))
  return orderOf(locationId, n, { payments })
}

const answer = async (key: string, query: string): Promise<Sales> => {
  const { status, json } = await app.get(`/v1/sales/?${query}`, { key })
  assert.equal(status, 200)
  return json as Sales
}

describe('a location with 30,000 payment names', async () => {
  const site = await app.addLocation()
  const orders = Array.from({ length: 60 }, (_, i) => manyNames(site.id, i + 1))
  for (let at = 0; at < orders.length; at += 20) {
    await app.store(
      orders.slice(at, at + 20).map((data) => ({ type: 'order', data })),
      site.key,
    )
  }

  test('is processed in steps of few rows', async () => {
    const written: number[] = []
    const watched = {
      ...salesProjection,
      fold: async (...args: Parameters<typeof salesProjection.fold>) => {
        const fold = await salesProjection.fold(...args)
        return {
          ...fold,
          write: (tx: Parameters<typeof fold.write>[0]) => {
            written.push(fold.rows)
            return fold.write(tx)
          },
        }
      },
    }
    while ((await stepProjection(pool, watched, site.id)) === 'behind');
    assert.ok(written.length > 5, String(written.length))
    assert.ok(Math.max(...written) <= 20_000, String(Math.max(...written)))
  })

  test('has figures, with the names after the first 5,000 in one row that keeps the sum', async () => {
    const { data } = await answer(site.key, 'since=2026-01-01&until=2026-12-31&by=payment')
    assert.equal(data.length, 5_001)
    const others = data.filter(({ key }) => key === null)
    assert.deepEqual(
      others.map(({ name, salesInclTax }) => [name, salesInclTax]),
      [['others', (30_000 - 5_000) * 10]],
    )
    const paid = data.reduce((sum, { salesInclTax }) => sum + (salesInclTax ?? 0), 0)
    assert.equal(paid, 60 * 500 * 10)
  })

  test('has the correct sum of each day too', async () => {
    const { data } = await answer(site.key, 'since=2026-01-01&until=2026-12-31&by=day,payment')
    const paid = data.reduce((sum, { salesInclTax }) => sum + (salesInclTax ?? 0), 0)
    assert.equal(paid, 60 * 500 * 10)
    assert.ok(data.length < 200_000)
  })
})

test('a failed step is retried with half of its entries', async () => {
  const site = await app.addLocation()
  await app.store(
    Array.from({ length: 40 }, (_, i) => ({ type: 'order', data: orderOf(site.id, i + 1) })),
    site.key,
  )
  const sizes: number[] = []
  const slow = {
    ...salesProjection,
    fold: async (...args: Parameters<typeof salesProjection.fold>) => {
      const fold = await salesProjection.fold(...args)
      const { entries } = args[2]
      return {
        ...fold,
        write: async (tx: Parameters<typeof fold.write>[0]) => {
          sizes.push(entries)
          if (entries > 10) throw new Error('the deadline is over')
          await fold.write(tx)
        },
      }
    },
  }
  for (;;) {
    const step = await stepProjection(pool, slow, site.id).catch(() => 'failed')
    if (step === 'caught-up') break
  }
  assert.deepEqual(sizes.slice(0, 4), [40, 20, 10, 20])
})

test('an order with more payments than the limit is refused with an explanation', async () => {
  const site = await app.addLocation()
  const order = manyNames(site.id, 1)
  const body = { type: 'order', data: { ...order, payments: [...order.payments, ...order.payments] } }
  const { status, text } = await app.push([body], { key: site.key })
  assert.equal(status, 400)
  assert.match(text, /payments must have 500 elements or fewer/)
})
