import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findClosingsFault } from '../../../../src/modules/proofs/projections/verify-closings.ts'
import type { Closing } from '../../../../src/modules/proofs/schemas/closings.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { dish } from '../../../support/books-site.ts'
import { idOf, order, orderOf } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-04-30T12:00:00.000Z') })

/** Returns a generator of pseudo-random numbers that are the same in every run (mulberry32). */
function drawing(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

const dayMs = 86_400_000
const firstMs = Date.parse('2026-01-02T00:00:00.000Z')
const dateAt = (day: number) => new Date(firstMs + day * dayMs).toISOString().slice(0, 10)

const rates = [
  ['TVA 5,5 %', 0.055],
  ['TVA 10 %', 0.1],
  ['TVA 20 %', 0.2],
] as const

const means = ['Carte bancaire', 'Espèces', 'Titre-restaurant', 'Chèque']

/** Orders of a restaurant with many corrections: closed late, canceled, refunded, reopened, training. */
class Till {
  readonly #draw: (below: number) => number
  readonly #site: Site
  readonly orders: Order[] = []
  #version = 0

  constructor(site: Site, seed: number) {
    this.#site = site
    this.#draw = drawing(seed)
  }

  below(n: number): number {
    return this.#draw(n)
  }

  #items(sign: number): OrderItem[] {
    return Array.from({ length: 1 + this.below(3) }, (_, n) => {
      const cents = sign * (100 + this.below(5_000))
      const [taxName, taxRate] = rates[this.below(3)] as (typeof rates)[number]
      const tax = Math.round((cents * taxRate) / (1 + taxRate))
      const discount = this.below(4) === 0 ? [{ ...dishDiscount, discountValue: (1 + this.below(300)) / 100 }] : []
      return dish(n + 1, cents / 100, tax / 100, {
        tax: { taxName, taxRate, taxAmount: tax / 100, taxCatalogId: idOf('tax', 1 + Math.round(taxRate * 1_000)) },
        discountsApplied: discount,
        isLoss: this.below(25) === 0,
        isCanceled: this.below(25) === 0,
      })
    })
  }

  /** Returns a sale with a total that is the sum of its counted items. */
  #sold(sign: number): Partial<Order> {
    const items = this.#items(sign)
    const counted = items.filter(({ isCanceled, isLoss }) => !isCanceled && !isLoss)
    const cents = counted.reduce((sum, { total }) => sum + Math.round(total * 100), 0)
    const tax = counted.reduce((sum, { tax: { taxAmount } }) => sum + Math.round(taxAmount * 100), 0)
    const part = this.below(3) === 0 ? Math.trunc(cents / 3) : 0
    const pay = (amount: number) => {
      const n = this.below(means.length)
      return { paymentName: means[n] as string, paymentAmount: amount / 100, paymentCatalogId: idOf('payment', n + 1) }
    }
    const tips = this.below(5) === 0 ? [{ amount: this.below(900) / 100, paymentCatalogId: idOf('payment', 1) }] : null
    return {
      items,
      total: cents / 100,
      totalTax: tax / 100,
      payments: part === 0 ? [pay(cents)] : [pay(part), pay(cents - part)],
      tips: tips as never,
    }
  }

  /** Returns the next version: a new order of today or of one of the last days, or a change of an existing one. */
  next(day: number): Order {
    this.#version += 1
    const updatedAt = new Date(firstMs + 60 * dayMs + this.#version * 1_000).toISOString()
    if (this.orders.length > 5 && this.below(3) === 0) {
      const at = this.below(this.orders.length)
      const changed = { ...(this.orders[at] as Order), updatedAt, ...this.#change() }
      this.orders[at] = changed
      return changed
    }
    const of = Math.max(0, day - (this.below(4) === 0 ? this.below(9) : 0))
    const closedAt = new Date(firstMs + of * dayMs + this.below(24 * 60) * 60_000).toISOString()
    const made = orderOf(this.#site.id, 10_000 + this.orders.length, {
      createdAt: closedAt,
      openedAt: closedAt,
      updatedAt,
      closedAt: this.below(12) === 0 ? null : closedAt,
      reportId: null,
      isTraining: this.below(20) === 0,
      totalDiscount: 0,
      ...this.#sold(this.below(9) === 0 ? -1 : 1),
    })
    this.orders.push(made)
    return made
  }

  #change(): Partial<Order> {
    switch (this.below(5)) {
      case 0:
        return {
          isCanceled: true,
          cancelReason: 'x',
          closedAt: new Date(firstMs + this.below(40) * dayMs).toISOString(),
        }
      case 1:
        return { closedAt: null, isCanceled: false, cancelReason: null }
      case 2:
        return { isTraining: this.below(2) === 0 }
      case 3:
        return { closedAt: new Date(firstMs + this.below(40) * dayMs + this.below(1_440) * 60_000).toISOString() }
      default:
        return this.#sold(1)
    }
  }
}

const dishDiscount = { discountName: 'Happy hour', discountCatalogId: idOf('discount', 1) }

/** Converts an amount to hundredths, exactly, by its decimal text. */
function cents(amount: number): bigint {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(JSON.stringify(amount)) ?? assert.fail()
  const value = BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'))
  return sign === '-' ? -value : value
}

/** Returns the business day of a moment in the Paris winter; it begins at 05:00, which is 04:00 in UTC. */
const businessDay = (moment: string) => new Date(Date.parse(moment) - 4 * 3_600_000).toISOString().slice(0, 10)

type Sums = Map<string, bigint>

/** Returns the expected closings of orders up to a business day, computed from the records only; sums by key. */
function stateOf(orders: readonly Order[], until: string): Sums {
  const sums: Sums = new Map()
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount)
  for (const { closedAt, isCanceled, isTraining, total, items, payments, tips } of orders) {
    if (closedAt === null || isTraining || isCanceled) continue
    const day = businessDay(closedAt)
    if (day > until) continue
    add('orders', 1n)
    add('salesInclTax', cents(total))
    add(`day ${day} sales`, cents(total))
    if (total < 0) add('refunds', -cents(total))
    for (const tip of tips ?? []) add('tips', cents(tip.amount))
    for (const { paymentName, paymentAmount } of payments) add(`payment ${paymentName}`, cents(paymentAmount))
    for (const { isCanceled: isOff, isLoss, total: of, tax, discountsApplied } of items) {
      if (isOff || isLoss) continue
      add('tax', cents(tax.taxAmount))
      add(`day ${day} tax`, cents(tax.taxAmount))
      add(`rate ${Math.round(tax.taxRate * 10_000)} taxable`, cents(of) - cents(tax.taxAmount))
      add(`rate ${Math.round(tax.taxRate * 10_000)} tax`, cents(tax.taxAmount))
      for (const { discountValue } of discountsApplied) add('discounts', cents(discountValue))
    }
  }
  return sums
}

/** Returns the sums of a closing as `stateOf` does; missing ones are zero. */
function sumsOf({ totals, taxes, payments, days }: Closing): Sums {
  const listed: [string, number][] = [
    ['orders', totals.orders],
    ['salesInclTax', totals.salesInclTax],
    ['tax', totals.tax],
    ['discounts', totals.discounts],
    ['tips', totals.tips],
    ['refunds', totals.refunds],
    ...taxes.flatMap(({ rate, taxable, tax }): [string, number][] => [
      [`rate ${rate} taxable`, taxable],
      [`rate ${rate} tax`, tax],
    ]),
    ...payments.map(({ name, amount }): [string, number] => [`payment ${name}`, amount]),
    ...days.flatMap(({ date, salesInclTax, tax }): [string, number][] => [
      [`day ${date} sales`, salesInclTax],
      [`day ${date} tax`, tax],
    ]),
  ]
  return new Map(listed.map(([name, amount]) => [name, BigInt(amount)]))
}

const differences = (after: Sums, before: Sums): Sums => {
  const names = new Set([...after.keys(), ...before.keys()])
  return new Map([...names].map((name) => [name, (after.get(name) ?? 0n) - (before.get(name) ?? 0n)]))
}

const written = (sums: Sums) =>
  [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([name, amount]) => `${name} = ${amount}`)
    .toSorted()

const add = (all: readonly Sums[]): Sums => {
  const sum: Sums = new Map()
  for (const one of all) for (const [name, amount] of one) sum.set(name, (sum.get(name) ?? 0n) + amount)
  return sum
}

async function close(site: Site, until: string, after: number): Promise<Closing[]> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ until, after })
  const answer = await app.request('POST', '/v1/closings/', { key: site.key, headers, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data
}

test('at 36 random sequences of the journal closings equal the sums of the records, and perpetual totals the sales', async () => {
  const site = await app.addLocation()
  const till = new Till(site, 37)
  let before: Sums = new Map()
  const days: Closing[] = []
  const periods: Closing[] = []
  for (let day = 0; day < 36; day++) {
    const records = Array.from({ length: 1 + till.below(14) }, () => till.next(day))
    const cut = till.below(records.length + 1)
    for (const part of [records.slice(0, cut), records.slice(cut)])
      if (part.length > 0) await app.store(part.map(order), site.key)
    const sales = await app.get(`/v1/sales/?since=2025-12-01&until=${dateAt(day)}`, { key: site.key })
    const made = await close(site, dateAt(day), day)
    const closing = made.at(-1) as Closing
    periods.push(...made.slice(0, -1))
    const state = stateOf(till.orders, dateAt(day))
    assert.deepEqual(written(sumsOf(closing)), written(differences(state, before)), `closing ${day + 1}`)
    const perpetual = Object.entries(closing.perpetual).map(([name, amount]) => [name, BigInt(amount)] as const)
    for (const [name, amount] of perpetual) assert.equal(amount, state.get(name) ?? 0n, `${name} ${day + 1}`)
    const { totals } = sales.json
    for (const name of ['orders', 'salesInclTax', 'tax', 'discounts', 'tips', 'refunds'] as const)
      assert.equal(BigInt(totals[name]), state.get(name) ?? 0n, `sales: ${name} ${day + 1}`)
    assert.equal(closing.toSequence, Number(sales.headers['tillgate-sequence']))
    assert.equal(closing.fromSequence, (days.at(-1)?.toSequence ?? 0) + 1)
    assert.equal(closing.entries, closing.toSequence - closing.fromSequence + 1)
    assert.equal(closing.totals.salesExclTax, closing.totals.salesInclTax - closing.totals.tax)
    days.push(closing)
    before = state
  }
  assert.deepEqual(
    days.map(({ number }) => number),
    Array.from({ length: 36 }, (_, i) => i + 1),
  )
  const [month, ...none] = periods
  assert.deepEqual([month?.period, month?.date, none], ['month', '2026-01-31', []])
  const own = days.filter(({ date }) => date <= '2026-01-31')
  assert.ok(own.length > 25)
  assert.deepEqual([month?.first, month?.last], [1, own.length])
  assert.deepEqual(written(sumsOf(month as Closing)), written(add(own.map(sumsOf))))
  assert.deepEqual(month?.perpetual, own.at(-1)?.perpetual)
  assert.ok(days.some(({ totals }) => totals.salesInclTax < 0) || days.some(({ totals }) => totals.orders < 0))
  assert.equal(await findClosingsFault(app.pool, site.id), undefined)
})
