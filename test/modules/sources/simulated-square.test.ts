import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { randomOf } from '../../../simulator/random.ts'
import { addLocation } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { startFake, VirtualClock } from './faults.ts'
import { pollOf } from './polled.ts'
import { SimulatedSquare, tenderTypes } from './simulated-square.ts'

const hourMs = 3_600_000

const { pool } = await createDatabase()

/** The names of the payment methods here. */
const names: Record<string, string> = { CASH: 'Cash', CARD: 'Card', SQUARE_GIFT_CARD: 'Gift card' }

/** Returns the business day in Paris, which begins at five. */
const dayOf = (time: string) =>
  new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Paris' }).format(Date.parse(time) - 5 * hourMs)

const cents = (amount: number) => Math.round(amount * 100)

/** Returns cents by day and figure: gross, VAT by rate, tips, payments by name. */
function sumsOf(orders: Iterable<Order>, nameOf: (name: string) => string): Map<string, number> {
  const sums = new Map<string, number>()
  const add = (word: string, amount: number) => {
    if (amount !== 0) sums.set(word, (sums.get(word) ?? 0) + amount)
  }
  for (const { closedAt, isCanceled, isTraining, total, items, payments, tips } of orders) {
    if (closedAt === null || isCanceled || isTraining) continue
    const day = dayOf(closedAt)
    add(`${day} gross`, cents(total))
    for (const { tax, isCanceled: isVoided, isLoss } of items)
      if (!isVoided && !isLoss) add(`${day} VAT ${tax.taxRate}`, cents(tax.taxAmount))
    for (const { paymentName, paymentAmount } of payments) add(`${day} by ${nameOf(paymentName)}`, cents(paymentAmount))
    for (const { amount } of tips ?? []) add(`${day} tips`, cents(amount))
  }
  return new Map([...sums].filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

test('simulated months, written as Square pages and read through every fault, equal the months to the cent', async () => {
  const seed = 7
  const clock = new VirtualClock('2026-02-01T04:00:00.000Z')
  const end = new Date('2026-03-31T03:00:00.000Z')
  const random = randomOf('months', seed)
  const shop = new SimulatedSquare(createRestaurant({ seed: 'square', ordersPerDay: 10 }), clock, { seed, to: end })
  const fake = await startFake(shop, { seed, clock })
  const place = { timeZone: 'Europe/Paris', currency: 'EUR', dayStartsAt: '05:00' }
  const locationId = await addLocation(pool, undefined, place)
  const polled = await pollOf(pool, { adapter: 'square', account: shop.account, locationId, fake, clock, seed })
  try {
    while (clock.ms < end.getTime()) {
      shop.act()
      await polled.run({ mayDie: true })
      clock.advance(random.int(2, 20) * hourMs)
    }
    shop.act()
    fake.calm()
    for (let i = 0; i < 3; i++) {
      clock.advance(25 * hourMs)
      assert.equal(await polled.run(), 'done', String((await polled.find()).lastError))
    }
    assert.equal(fake.faults.size, 8, [...fake.faults.keys()].join(', '))
    const sold = sumsOf(shop.sold.values(), (name) => names[tenderTypes[name] ?? ''] ?? name)
    assert.equal(new Set([...sold.keys()].map((word) => word.slice(0, 10))).size, 58)
    assert.ok([...sold.keys()].some((word) => word.endsWith('tips')))
    assert.deepEqual(
      sumsOf(await polled.stored(), (name) => name),
      sold,
    )
  } finally {
    await fake.close()
    await polled.close()
  }
})
