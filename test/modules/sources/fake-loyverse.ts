import type { Random } from '../../../simulator/random.ts'
import type { Answer, Call, FakeShop, VirtualClock } from './faults.ts'
import { NeutralShop, type Refund, type Sale } from './neutral-shop.ts'

type Json = any

const iso = (ms: number) => new Date(ms).toISOString()

const major = (minor: number) => minor / 100

const shiftMs = 5 * 3_600_000

const types = { CARD: 'NONINTEGRATEDCARD', CASH: 'CASH', OTHER: 'OTHER' }

/** A shop on Loyverse: refunds are receipts with positive amounts, and shifts are closings that list nothing. */
export class FakeLoyverse implements FakeShop {
  readonly account = 'store-1'
  readonly #shop: NeutralShop
  readonly #shifts: Json[] = []
  #openedMs: number
  #isOver = false

  constructor(seed: number, clock: VirtualClock) {
    this.#shop = new NeutralShop('loyverse', seed, clock, ['edit', 'refund', 'cancel', 'offline'])
    this.#openedMs = clock.ms
  }

  act(): void {
    this.#closeShift()
    this.#shop.act()
  }

  settle(): void {
    this.#shop.settle()
    // No till remains to close the shift.
    this.#isOver = true
  }

  state(): Json[] {
    return [...this.#receipts(), ...this.#shifts]
  }

  spoil(body: Json, random: Random): void {
    const receipts: Json[] = body.receipts ?? []
    if (receipts.length === 0) return
    const at = random.int(0, receipts.length - 1)
    if (random.chance(0.5)) receipts[at] = null
    else receipts[at].line_items = null
  }

  answer({ path, query }: Call): Answer {
    this.#closeShift()
    const [, name = '', key] = /^\/v1\.0\/(receipts|shifts)(?:\/(.+))?$/.exec(path) ?? []
    if (name === '') return { status: 404, body: {} }
    const all = name === 'receipts' ? this.#receipts() : this.#shifts
    if (key !== undefined) {
      const found = all.find((one) => (one.receipt_number ?? one.id) === key)
      return found ? { status: 200, body: found } : { status: 404, body: {} }
    }
    if (Number(query.get('limit')) > 250) return { status: 400, body: {} }
    const within = (at: string, member: string) => {
      const [min, max] = [query.get(`${member}_min`), query.get(`${member}_max`)]
      return (min === null || at >= min) && (max === null || at <= max)
    }
    const found = all
      .filter(
        (one) =>
          within(one.updated_at ?? one.opened_at, 'updated_at') &&
          within(one.created_at ?? one.opened_at, 'created_at'),
      )
      .toReversed()
    const from = Number(query.get('cursor') ?? 0)
    // Pages may be much shorter than requested.
    const size = this.#shop.random.int(3, 12)
    const next = from + size < found.length ? { cursor: String(from + size) } : {}
    return { status: 200, body: { [name]: found.slice(from, from + size), ...next } }
  }

  #closeShift(): void {
    const { clock } = this.#shop
    if (this.#isOver || clock.ms - this.#openedMs < shiftMs) return
    const [opened_at, closed_at] = [iso(this.#openedMs), iso(clock.ms - 1)]
    const inShift = this.#receipts().filter(
      ({ receipt_date }) => receipt_date >= opened_at && receipt_date <= closed_at,
    )
    const paid = new Map<string, number>()
    for (const { payments, receipt_type } of inShift) {
      for (const one of payments) {
        const amount = Math.round(one.money_amount * 100) * (receipt_type === 'REFUND' ? -1 : 1)
        paid.set(one.payment_type_id, (paid.get(one.payment_type_id) ?? 0) + amount)
      }
    }
    this.#shifts.push({
      id: `shift-${this.#shifts.length + 1}`,
      store_id: this.account,
      pos_device_id: 'till',
      opened_at,
      closed_at,
      starting_cash: 100,
      expected_cash: 100,
      actual_cash: 101,
      tip: 0,
      payments: [...paid].map(([payment_type_id, amount]) => ({ payment_type_id, money_amount: major(amount) })),
      cash_movements: [],
    })
    this.#openedMs = clock.ms
  }

  #receipts(): Json[] {
    return this.#shop
      .list()
      .flatMap((sale) => [this.#receipt(sale), ...sale.refunds.map((refund) => this.#refund(sale, refund))])
      .toSorted((a, b) =>
        a.created_at < b.created_at
          ? -1
          : a.created_at > b.created_at
            ? 1
            : a.receipt_number < b.receipt_number
              ? -1
              : 1,
      )
  }

  #frame(number: string, atMs: number, changedMs: number): Json {
    return {
      receipt_number: number,
      store_id: this.account,
      pos_device_id: 'till',
      created_at: iso(atMs),
      receipt_date: iso(atMs),
      updated_at: iso(changedMs),
      employee_id: 'e1',
      surcharge: 0,
      tip: 0,
    }
  }

  #receipt(sale: Sale): Json {
    const lines = sale.lines.filter(({ isVoided }) => !isVoided)
    const total = lines.reduce((sum, { amount }) => sum + amount, 0)
    return {
      ...this.#frame(`R${sale.number}`, sale.closedMs as number, sale.changedMs),
      receipt_type: 'SALE',
      customer_id: `c${sale.table}`,
      cancelled_at: sale.isCanceled ? iso(sale.changedMs) : null,
      total_money: major(total),
      total_tax: major(lines.reduce((sum, { tax }) => sum + tax, 0)),
      line_items: lines.map((line) => ({
        item_id: line.key,
        item_name: line.name,
        quantity: line.quantity,
        total_money: major(line.amount),
        line_taxes: [{ id: 't', name: 'VAT', type: 'INCLUDED', rate: 10, money_amount: major(line.tax) }],
        a_new_member: 1,
      })),
      payments: sale.payments.map(({ type, amount }) => ({
        payment_type_id: type,
        type: types[type],
        name: type,
        money_amount: major(amount),
      })),
    }
  }

  #refund(sale: Sale, { atMs, amount, tax, line }: Refund): Json {
    const { key, name } = sale.lines[line] as Sale['lines'][number]
    const [payment] = sale.payments
    return {
      ...this.#frame(`R${sale.number}-back`, atMs, atMs),
      receipt_type: 'REFUND',
      refund_for: `R${sale.number}`,
      customer_id: '',
      total_money: major(amount),
      total_tax: major(tax),
      line_items: [
        {
          item_id: key,
          item_name: name,
          quantity: 1,
          total_money: major(amount),
          line_taxes: [{ id: 't', name: 'VAT', type: 'INCLUDED', rate: 10, money_amount: major(tax) }],
        },
      ],
      payments: [
        {
          payment_type_id: payment?.type,
          type: types[payment?.type ?? 'CASH'],
          name: payment?.type,
          money_amount: major(amount),
        },
      ],
    }
  }
}
