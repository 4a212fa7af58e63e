import type { Order } from '../../src/core/contract/orders/schema.ts'
import { addDays } from '../../src/core/domain/days/business-time.ts'
import { businessDay } from '../../simulator/calendar.ts'
import { createRestaurant } from '../../simulator/restaurant.ts'
import { setupRecords, simulate } from '../../simulator/simulation.ts'

const dayMs = 86_400_000

const restaurant = createRestaurant({ seed: 'bench' })

/** Returns realistic orders to copy: the closed ones with up to five items from two weeks of a simulated restaurant. */
function simulateOrders(): Order[] {
  const from = new Date('2026-03-02T05:00:00.000Z')
  const span = { from, to: new Date(from.getTime() + 14 * dayMs), finalOnly: true, setup: false }
  const orders: Order[] = []
  for (const { record } of simulate(restaurant, span)) if (record.type === 'order') orders.push(record.data)
  return orders.filter(({ closedAt, isTraining, items }) => closedAt !== null && !isTraining && items.length <= 5)
}

let templates: Order[] | undefined

/** Returns the id of the order `n`, from 0. */
export const orderIdOf = (n: number, salt = 1) =>
  `${n.toString(16).padStart(8, '0')}-${salt.toString(16).padStart(4, '0')}-4000-8000-${n.toString(16).padStart(12, '0')}`

/** `skip` omits this many orders at the beginning; the other orders stay the same. */
export type Spread = { locationId: string; count: number; perDay: number; from: string; salt?: number; skip?: number }

/** Yields NDJSON lines of `count` orders, `perDay` on each day from a date on, oldest first. Deterministic. */
export function* orderLines({ locationId, count, perDay, from, salt = 1, skip = 0 }: Spread): Generator<string> {
  const pool = (templates ??= simulateOrders())
  const start = Date.parse(`${from}T10:00:00.000Z`)
  for (let i = skip; i < count; i++) {
    const at = start + Math.floor(i / perDay) * dayMs + Math.floor(((i % perDay) / perDay) * 12 * 3_600_000)
    const createdAt = new Date(at).toISOString()
    const closedAt = new Date(at + 45 * 60_000).toISOString()
    const template = pool[i % pool.length] as Order
    const times = { createdAt, updatedAt: closedAt, openedAt: createdAt, closedAt }
    // The source's number is a second key of an order: each copy has its own.
    const externalOrderId = template.externalOrderId && `${template.externalOrderId}-${salt}-${i}`
    const numbers = { reportId: null, orderNumber: String(i + 1), externalOrderId }
    const data = { ...template, id: orderIdOf(i, salt), locationId, ...times, ...numbers }
    yield `${JSON.stringify({ type: 'order', data })}\n`
  }
}

/** Returns the restaurant's four catalog lists as NDJSON lines. */
export function catalogLines(): string[] {
  const records = setupRecords(restaurant).filter(({ type }) => type.startsWith('catalog.'))
  return records.map((record) => `${JSON.stringify(record)}\n`)
}

/** The month of `monthLines`, after the years of `orderLines`. */
export const month = { first: '2026-03-01', last: '2026-03-31', name: '2026-03' }

/** Yields NDJSON lines of a month of orders with the Z reports of their tills. Deterministic. */
export function* monthLines(locationId: string, ordersPerDay: number): Generator<string> {
  const simulated = createRestaurant({ seed: 'bench books', ordersPerDay })
  const from = new Date(businessDay('Europe/Paris', month.first).startsAt)
  const to = new Date(businessDay('Europe/Paris', addDays(month.last, 1)).startsAt)
  for (const { record } of simulate(simulated, { from, to, finalOnly: true })) {
    if (record.type === 'location') continue
    const data = Array.isArray(record.data) ? record.data : { ...record.data, locationId }
    yield `${JSON.stringify({ type: record.type, data })}\n`
  }
}
