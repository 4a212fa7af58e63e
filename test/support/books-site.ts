import { announceDays } from '../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../src/modules/figures/projections/projection.ts'
import type { Order, OrderItem } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'
import type { Answer, Site, TestApp } from './app.ts'
import { idOf, itemOf, order, orderOf, report } from './records.ts'
import { zReportOf } from './z-reports.ts'

export const card = { paymentName: 'Carte bancaire', paymentCatalogId: idOf('payment', 1) }
export const cash = { paymentName: 'Espèces', paymentCatalogId: idOf('payment', 2) }

const pad = (n: number) => String(n).padStart(2, '0')
export const date = (day: number) => `2026-03-${pad(day)}`
const at = (day: number, time: string) => `${date(day)}T${time}:00.000Z`

/** Returns an item with 10 % tax, which `total` includes. */
export const dish = (n: number, total: number, tax: number, changes: Partial<OrderItem> = {}): OrderItem =>
  itemOf(n, {
    quantity: 1,
    total,
    category: 'Plats',
    discountsApplied: [],
    tax: { ...itemOf(n).tax, taxName: 'TVA 10 %', taxRate: 0.1, taxAmount: tax },
    ...changes,
  })

/** Returns an order of one dish of 11.00, paid by card and closed on a day of March 2026, in the report of that day. */
export function soldOn(site: Site, day: number, n: number, changes: Partial<Order> = {}): Order {
  return orderOf(site.id, day * 100 + n, {
    openedAt: at(day, '18:00'),
    closedAt: at(day, '19:00'),
    createdAt: at(day, '18:00'),
    updatedAt: at(day, '19:00'),
    deviceId: idOf('device', 1),
    reportId: idOf('report', day),
    items: [dish(1, 11, 1)],
    total: 11,
    totalTax: 1,
    totalDiscount: 0,
    payments: [{ ...card, paymentAmount: 11 }],
    tips: null,
    guests: 1,
    ...changes,
  })
}

export const zOn = (site: Site, day: number, orders: readonly Order[], changes: Partial<Report> = {}): Report =>
  zReportOf(site.id, day, orders, {
    createdAt: at(day, '22:30'),
    updatedAt: at(day, '22:30'),
    finalizedAt: at(day, '22:30'),
    deviceIdentifier: idOf('device', 1),
    ...changes,
  })

/** Stores days of March, each with its orders and their Z. */
export async function storeDays(app: TestApp, site: Site, days: Record<number, Order[]>): Promise<void> {
  const records = Object.entries(days).flatMap(([day, orders]) => [
    ...orders.map(order),
    report(zOn(site, Number(day), orders)),
  ])
  await app.store(records, site.key)
  await foldAll(app, site)
}

/** Updates the projection of days and announces days, like the worker of projections. */
export async function foldAll(app: TestApp, site: Site): Promise<void> {
  while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
  await announceDays(app.pool, site.id, app.context.clock())
}

export function put(app: TestApp, site: Site, own: object, ifMatch = '*'): Promise<Answer> {
  return app.request('PUT', '/v1/books/accounts', {
    key: site.key,
    headers: { 'content-type': 'application/json', 'if-match': ifMatch },
    body: JSON.stringify(own),
  })
}

export function issue(app: TestApp, site: Site, input: object): Promise<Answer> {
  return app.request('POST', '/v1/books/batches/', {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
}

/** Returns the lines as account, debit and credit. */
export const linesOf = (entry: {
  lines: { account: string; debit: number; credit: number }[]
}): [string, number, number][] => entry.lines.map(({ account, debit, credit }) => [account, debit, credit])
