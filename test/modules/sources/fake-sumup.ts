import type { Random } from '../../../simulator/random.ts'
import type { Answer, Call, FakeShop, VirtualClock } from './faults.ts'
import { NeutralShop, type Line, type Refund, type Sale } from './neutral-shop.ts'

type Json = any

const iso = (ms: number) => new Date(ms).toISOString()

/** The size of a page of either list. */
const pageSize = 10

const methods = { CARD: 'card', CASH: 'cash', OTHER: 'external' }

/** A shop on SumUp: only paid sales exist, lists have the newest first, and a payment contains its tip. */
export class FakeSumUp implements FakeShop {
  readonly account = 'MTEST1'
  readonly #shop: NeutralShop
  /** The last time something happened with a sale, by its id: when it became visible. */
  readonly #happenedMs = new Map<string, number>()

  constructor(seed: number, clock: VirtualClock) {
    this.#shop = new NeutralShop('sumup', seed, clock, ['refund', 'offline'])
  }

  act(): void {
    this.#shop.act()
    this.#look()
  }

  settle(): void {
    this.#shop.settle()
    this.#look()
  }

  state(): Json[] {
    return this.#shop
      .list()
      .flatMap((sale) => [this.#sale(sale), ...sale.refunds.map((refund) => this.#refund(sale, refund))])
  }

  spoil(body: Json, random: Random): void {
    if (Array.isArray(body.items) && body.id === undefined && body.items.length > 0) {
      const at = random.int(0, body.items.length - 1)
      if (random.chance(0.5)) body.items[at] = null
      else if (body.items[at].payments) body.items[at].payments = null
      else body.items[at].id = null
    } else if (body.price) body.price = null
  }

  answer({ method, path, query, body }: Call): Answer {
    const place = `/v1.0/merchants/${this.account}/sales`
    if (method === 'GET' && path === place) {
      const happened = ({ id }: Json) => this.#happenedMs.get(id) ?? 0
      return this.#page(
        this.state().toSorted((a, b) => happened(b) - happened(a)),
        query.get('page'),
      )
    }
    if (method === 'POST' && path === `${place}/search`) {
      const { start_date, end_date } = body
      const rows = this.state()
        .filter(({ created_at }) => created_at >= start_date && created_at <= end_date)
        .toSorted((a, b) => (a.closed_at < b.closed_at ? 1 : -1))
        .map(({ id, state, tax_mode, currency, name, price, created_at, closed_at }) => ({
          id,
          state,
          tax_mode,
          currency,
          name,
          total_amount: price.gross_amount,
          created_at,
          closed_at,
        }))
      return this.#page(rows, body.page)
    }
    const found = this.state().find(({ id }) => path === `${place}/${id}`)
    return found && method === 'GET' ? { status: 200, body: found } : { status: 404, body: {} }
  }

  #page(all: readonly Json[], token: string | null | undefined): Answer {
    const from = Number(token ?? 0)
    const next = from + pageSize < all.length ? { next_page: String(from + pageSize) } : {}
    return { status: 200, body: { items: all.slice(from, from + pageSize), ...next } }
  }

  #look(): void {
    for (const { id } of this.state()) {
      if (!this.#happenedMs.has(id)) this.#happenedMs.set(id, this.#shop.clock.ms + this.#happenedMs.size / 10_000)
    }
  }

  #line({ key, name, quantity, amount, tax }: Omit<Line, 'isVoided'>, i: number): Json {
    const taxes = [{ id: 'vat', net_amount: amount - tax, gross_amount: amount, tax_amount: tax, percentage: 10_000 }]
    const [net, gross] = [amount - tax, amount]
    return {
      id: `line-${i}`,
      type: 'CATALOG',
      name,
      quantity,
      price: {
        unit_amount: Math.round(Math.abs(amount) / quantity),
        total_net_amount: net,
        total_gross_amount: gross,
        taxes,
        total_net_amount_final: net,
        total_gross_amount_final: gross,
        taxes_final: taxes,
      },
      features: [{ name: 'item_id', value_type: 'TEXT', value: key }],
      a_new_member: { of: 'a line' },
    }
  }

  #frame(id: string, openedMs: number, closedMs: number, lines: Json[]): Json {
    const sum = (of: (price: Json) => number) => lines.reduce((all, { price }) => all + of(price), 0)
    const net = sum((price) => price.total_net_amount_final)
    const gross = sum((price) => price.total_gross_amount_final)
    return {
      id,
      state: 'CLOSED',
      currency: { code: 'GBP', scale: 2 },
      tax_mode: 'GROSS',
      created_at: iso(openedMs),
      closed_at: iso(closedMs),
      source: { channel: 'POS' },
      items: lines,
      price: {
        net_amount: net,
        gross_amount: gross,
        taxes: [{ id: 'vat', net_amount: net, gross_amount: gross, tax_amount: gross - net, percentage: 10_000 }],
      },
    }
  }

  #sale(sale: Sale): Json {
    const closedMs = sale.closedMs as number
    const lines = sale.lines.filter(({ isVoided }) => !isVoided).map((line, i) => this.#line(line, i))
    // Every fifth table stays for hours, and no two sales begin in the same millisecond.
    const openedMs = sale.openedMs - (sale.number % 5 === 0 ? (sale.number % 9) * 3_600_000 : 0) + (sale.number % 900)
    return {
      ...this.#frame(sale.id, openedMs, closedMs, lines),
      name: `Table ${sale.table}`,
      payments: sale.payments.map(({ id, type, amount, tip }) => ({
        method: methods[type],
        reference: id,
        type: 'purchase',
        amount: amount + tip,
        status: 'SUCCESSFUL',
        processed_at: iso(closedMs),
      })),
    }
  }

  #refund(sale: Sale, { id, atMs, amount, tax, line }: Refund): Json {
    const { key, name } = sale.lines[line] as Line
    const [payment] = sale.payments
    const paid = { method: methods[payment?.type ?? 'CASH'], reference: id, type: 'unreferenced_refund' }
    return {
      ...this.#frame(id, atMs - 1_000 - (sale.number % 900), atMs, [
        this.#line({ key, name, quantity: 1, amount: -amount, tax: -tax }, 0),
      ]),
      payments: [{ ...paid, amount, status: 'SUCCESSFUL', processed_at: iso(atMs) }],
    }
  }
}
