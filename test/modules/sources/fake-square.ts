import { randomOf, type Random } from '../../../simulator/random.ts'
import type { Answer, Call, FakeShop, VirtualClock } from './faults.ts'

type Json = any

/** Lifetime of a cursor of Square. */
const cursorMs = 5 * 60_000

/** A restaurant on Square: orders, refunds as separate orders, separate payments, and a till that loses its network. */
export class FakeSquare implements FakeShop {
  readonly account = 'L1'
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #orders = new Map<string, Json>()
  readonly #payments: Json[] = []
  readonly #refunds: Json[] = []
  /** Orders of a till without a network connection, and the time when it is back. */
  #offline: { until: number; orders: Json[]; payments: Json[] } | undefined
  #count = 0
  readonly #hidden = new Map<string, boolean>()

  readonly #currency: string
  /** Maximum orders per page; occasionally fewer. */
  readonly #largestPage: number

  constructor(seed: number, clock: VirtualClock, currency = 'GBP', largestPage = 12) {
    this.#currency = currency
    this.#largestPage = largestPage
    this.#clock = clock
    this.#random = randomOf('square', seed)
  }

  #money(amount: number): Json {
    return { amount, currency: this.#currency }
  }

  act(): void {
    const random = this.#random
    if (this.#offline && this.#clock.ms >= this.#offline.until) this.#comeBack()
    const kind = random.weighted(['sale', 'sale-open', 'edit', 'refund', 'cancel', 'offline', 'same-moment'], (one) =>
      one === 'sale' ? 8 : one === 'edit' ? 4 : one === 'sale-open' ? 2 : 1,
    )
    if (kind === 'sale') this.#sell('COMPLETED')
    else if (kind === 'sale-open') this.#sell('OPEN')
    else if (kind === 'edit') this.#edit()
    else if (kind === 'refund') this.#refund()
    else if (kind === 'cancel') this.#cancel()
    else if (kind === 'offline')
      this.#offline ??= { until: this.#clock.ms + random.int(1, 71) * 3_600_000, orders: [], payments: [] }
    else for (let i = 0; i < 3; i++) this.#sell('COMPLETED')
  }

  /** Reconnects every till to the network. */
  settle(): void {
    if (this.#offline) this.#comeBack()
  }

  /** Stores a version of an order, with its new payments. */
  put(order: Json, payments: readonly Json[]): void {
    this.#orders.set(order.id, order)
    this.#payments.push(...payments)
  }

  state(): Json[] {
    return [...this.#orders.values()]
  }

  payments(): Json[] {
    return this.#payments
  }

  /** Omits an order from the lists. With `isGone` the order cannot be read, and only its payments refer to it. */
  hide(id: string, isGone: boolean): void {
    this.#hidden.set(id, isGone)
  }

  spoil(body: Json, random: Random): void {
    const orders: Json[] = body.orders ?? []
    if (orders.length === 0) return
    const at = random.int(0, orders.length - 1)
    const kind = random.int(0, 3)
    if (kind === 0) orders[at] = null
    else if (kind === 1) orders[at].line_items = null
    else if (kind === 2) orders[at].total_money = null
    else orders[at].net_amounts = null
  }

  answer({ path, query, body }: Call): Answer {
    if (path === '/v2/orders/search') return this.#search(body)
    if (path === '/v2/orders/batch-retrieve') {
      if (body.order_ids.length > 100) return bad('too many')
      const orders = body.order_ids.flatMap((id: string) => (this.#hidden.get(id) ? [] : (this.#orders.get(id) ?? [])))
      return { status: 200, body: orders.length === 0 ? {} : { orders } }
    }
    const list = path === '/v2/payments' ? this.#payments : path === '/v2/refunds' ? this.#refunds : undefined
    if (!list) return { status: 404, body: { errors: [{ code: 'NOT_FOUND' }] } }
    const [begin, end] = [query.get('begin_time') ?? '', query.get('end_time') ?? ''].map((text) => Date.parse(text))
    const found = list.filter(
      ({ created_at }) => Date.parse(created_at) >= (begin as number) && Date.parse(created_at) <= (end as number),
    )
    const from = Number(query.get('cursor') ?? 0)
    const size = Math.min(Number(query.get('limit') ?? 100), 25)
    const page = found.slice(from, from + size)
    const next = from + size < found.length ? { cursor: String(from + size) } : {}
    return { status: 200, body: { [path.slice(4)]: page, ...next } }
  }

  #search({ location_ids, limit, query, cursor }: Json): Answer {
    if (location_ids.length > 10) return bad('more than 10 locations')
    if (query.sort.sort_field !== 'UPDATED_AT') return bad('sort field must be that of the filter')
    const { start_at, end_at } = query.filter.date_time_filter.updated_at
    const [start, end] = [Date.parse(start_at), Date.parse(end_at)]
    const from = cursor === undefined ? { at: 0, madeMs: this.#clock.ms } : JSON.parse(cursor)
    if (this.#clock.ms - from.madeMs > cursorMs) return bad('cursor expired')
    const found = this.state()
      .filter(({ id }) => !this.#hidden.has(id))
      .filter(({ updated_at }) => Date.parse(updated_at) >= start && Date.parse(updated_at) <= end)
      .toSorted((a, b) => Date.parse(a.updated_at) - Date.parse(b.updated_at) || (a.id < b.id ? -1 : 1))
    // Pages may be shorter than requested, and an announced next page may be empty.
    const size = Math.max(1, Math.min(limit, this.#random.int(1, this.#largestPage)))
    const orders = structuredClone(found.slice(from.at, from.at + size))
    const isMore = from.at + size < found.length || this.#random.chance(0.1)
    const next = isMore ? { cursor: JSON.stringify({ at: from.at + orders.length, madeMs: this.#clock.ms }) } : {}
    return { status: 200, body: orders.length === 0 ? next : { orders, ...next } }
  }

  /** Returns a time as Square writes it, with microseconds or none; several changes have the same time. */
  #stamp(backMs = 0): string {
    const iso = this.#clock.iso(backMs)
    return this.#random.chance(0.3) ? `${iso.slice(0, 19)}Z` : iso.replace('Z', '123Z')
  }

  #sell(state: 'COMPLETED' | 'OPEN'): void {
    const random = this.#random
    const id = `ord-${++this.#count}`
    const at = this.#stamp()
    const isLarge = random.chance(0.01)
    const lines = Array.from({ length: isLarge ? 400 : random.int(1, 5) }, (_, i) => this.#line(i, isLarge))
    const sum = lines.reduce((all, line) => all + line.total_money.amount, 0)
    const tax = lines.reduce((all, line) => all + line.total_tax_money.amount, 0)
    const tip = state === 'COMPLETED' && random.chance(0.3) ? random.int(50, 500) : 0
    const gratuity = state === 'COMPLETED' && random.chance(0.1) ? 100 : 0
    const paid = sum + gratuity + tip
    const isSplit = random.chance(0.2)
    const parts = isSplit ? [Math.floor(paid / 2), paid - Math.floor(paid / 2)] : [paid]
    const tenders =
      state === 'OPEN'
        ? []
        : parts.map((amount, i) => ({
            id: `${id}-t${i}`,
            type: random.pick(['CARD', 'CASH', 'OTHER', 'SQUARE_GIFT_CARD', 'A_NEW_ENUM']),
            amount_money: this.#money(amount),
            tip_money: this.#money(i === parts.length - 1 ? Math.min(tip, amount) : 0),
          }))
    const order: Json = {
      id,
      location_id: random.chance(0.02) ? 'L2' : this.account,
      state,
      created_at: at,
      updated_at: at,
      ...(state === 'OPEN' ? {} : { closed_at: at }),
      version: 1,
      line_items: lines,
      taxes: [{ uid: 'v', name: 'VAT', percentage: '20', type: 'INCLUSIVE' }],
      ...(gratuity > 0
        ? { service_charges: [{ uid: 'g', type: 'AUTO_GRATUITY', total_money: this.#money(gratuity) }] }
        : {}),
      tenders,
      net_amounts: {
        total_money: this.#money(sum + gratuity + tip),
        tax_money: this.#money(tax),
        tip_money: this.#money(tip),
      },
      total_money: this.#money(sum + gratuity + tip),
      a_new_member: { of: 'Square' },
    }
    const payments = tenders.map(({ id: payment, amount_money, tip_money }: Json) => ({
      id: payment,
      order_id: id,
      created_at: at,
      status: 'COMPLETED',
      amount_money: this.#money(amount_money.amount - tip_money.amount),
      tip_money,
    }))
    if (this.#offline && random.chance(0.5)) {
      this.#offline.orders.push(order)
      this.#offline.payments.push(...payments)
      return
    }
    this.#orders.set(id, order)
    if (order.location_id === this.account) this.#payments.push(...payments)
  }

  #line(i: number, isLong: boolean): Json {
    const random = this.#random
    const quantity = random.int(1, 3)
    const each = random.int(100, 2_500)
    const discount = random.chance(0.2) ? random.int(1, 99) : 0
    const total = quantity * each - discount
    const tax = Math.round(total / 6)
    return {
      uid: `l${i}`,
      catalog_object_id: `VAR-${random.int(1, 20)}`,
      name: random.pick(['Stout', 'Brie', 'Pie']) + (isLong ? 'x'.repeat(300) : ''),
      quantity: String(quantity),
      item_type: 'ITEM',
      total_money: this.#money(total),
      total_tax_money: this.#money(tax),
      applied_taxes: [{ uid: `l${i}t`, tax_uid: 'v', applied_money: this.#money(tax) }],
      ...(discount > 0
        ? { applied_discounts: [{ uid: `l${i}d`, discount_uid: 'd', applied_money: this.#money(discount) }] }
        : {}),
    }
  }

  #pickOrder(isGood: (order: Json) => boolean): Json {
    const good = this.state().filter(isGood)
    return good.length === 0 ? undefined : this.#random.pick(good)
  }

  #touch(order: Json, changes: Json): void {
    this.#orders.set(order.id, { ...order, ...changes, updated_at: this.#stamp(), version: order.version + 1 })
  }

  #edit(): void {
    const order = this.#pickOrder(({ line_items }) => line_items !== undefined)
    if (order) this.#touch(order, { ticket_name: `Table ${this.#random.int(1, 40)}` })
  }

  #cancel(): void {
    const order = this.#pickOrder(({ state }) => state === 'OPEN')
    if (order) this.#touch(order, { state: 'CANCELED' })
  }

  #refund(): void {
    const of = this.#pickOrder(({ state, tenders }) => state === 'COMPLETED' && tenders?.length === 1)
    if (!of || of.location_id !== this.account) return
    const id = `ref-${++this.#count}`
    const at = this.#stamp()
    const amount = of.line_items[0].total_money.amount
    this.#orders.set(id, {
      id,
      location_id: this.account,
      state: 'COMPLETED',
      created_at: at,
      updated_at: at,
      closed_at: at,
      version: 1,
      returns: [
        {
          uid: 'r',
          source_order_id: of.id,
          return_line_items: [
            { uid: 'rl', name: 'Refund', quantity: '1', item_type: 'CUSTOM_AMOUNT', total_money: this.#money(amount) },
          ],
        },
      ],
      refunds: [{ id: `${id}-r`, tender_id: of.tenders[0].id, status: 'APPROVED', amount_money: this.#money(amount) }],
      return_amounts: { total_money: this.#money(amount), tax_money: this.#money(0) },
      net_amounts: { total_money: this.#money(-amount), tax_money: this.#money(0), tip_money: this.#money(0) },
    })
    this.#refunds.push({
      id: `${id}-r`,
      order_id: id,
      created_at: at,
      status: 'COMPLETED',
      amount_money: this.#money(amount),
    })
  }

  /** Adds sales made offline, with their original times. */
  #comeBack(): void {
    const { orders, payments } = this.#offline as { orders: Json[]; payments: Json[] }
    for (const order of orders) this.#orders.set(order.id, order)
    this.#payments.push(...payments.filter(({ order_id }) => this.#orders.get(order_id)?.location_id === this.account))
    this.#offline = undefined
  }
}

const bad = (detail: string): Answer => ({ status: 400, body: { errors: [{ code: 'BAD_REQUEST', detail }] } })
