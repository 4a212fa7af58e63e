import { randomOf, type Random } from '../../../simulator/random.ts'
import type { VirtualClock } from './faults.ts'

/** Amounts are minor units. */
export type Line = { key: string; name: string; quantity: number; amount: number; tax: number; isVoided: boolean }

export type Refund = { id: string; atMs: number; line: number; amount: number; tax: number }

export type Sale = {
  id: string
  number: number
  openedMs: number
  closedMs: number | null
  changedMs: number
  lines: Line[]
  payments: { id: string; type: 'CARD' | 'CASH' | 'OTHER'; amount: number; tip: number }[]
  refunds: Refund[]
  table: number
  isCanceled: boolean
  isDeleted: boolean
}

/**
 * A shop that sells, edits, refunds, cancels and deletes; a till without a network sends its sales later, with their
 * times.
 */
export class NeutralShop {
  readonly clock: VirtualClock
  readonly random: Random
  readonly sales = new Map<string, Sale>()
  /** What this system supports in addition to selling. */
  readonly #can: ReadonlySet<'open' | 'edit' | 'refund' | 'cancel' | 'delete' | 'offline'>
  #offline: { untilMs: number; sales: Sale[] } | undefined
  #count = 0

  constructor(
    name: string,
    seed: number,
    clock: VirtualClock,
    can: ('open' | 'edit' | 'refund' | 'cancel' | 'delete' | 'offline')[],
  ) {
    this.clock = clock
    this.random = randomOf(name, seed)
    this.#can = new Set(can)
  }

  act(): void {
    const { random, clock } = this
    if (this.#offline && clock.ms >= this.#offline.untilMs) this.settle()
    const kinds = [
      'sale',
      'sale',
      'sale',
      'sale',
      'sale',
      'rush',
      'edit',
      'edit',
      'open',
      'refund',
      'cancel',
      'delete',
      'offline',
    ] as const
    const kind = random.pick(kinds)
    if (kind === 'sale') this.#sell(true)
    else if (kind === 'rush') for (let i = 0; i < 4; i++) this.#sell(true)
    else if (!this.#can.has(kind)) return
    else if (kind === 'open') this.#sell(false)
    else if (kind === 'offline') this.#offline ??= { untilMs: clock.ms + random.int(1, 60) * 3_600_000, sales: [] }
    else this.#change(kind)
  }

  settle(): void {
    for (const sale of this.#offline?.sales ?? []) this.sales.set(sale.id, sale)
    this.#offline = undefined
  }

  list(): Sale[] {
    return [...this.sales.values()]
  }

  #sell(isClosed: boolean): void {
    const { random, clock } = this
    const number = ++this.#count
    const lines = Array.from({ length: random.int(1, 4) }, (_, i): Line => {
      const quantity = random.int(1, 3)
      const amount = quantity * random.int(90, 2_000)
      return {
        key: `p${random.int(1, 9)}`,
        name: random.pick(['Soup', 'Bread', 'Tea']),
        quantity,
        amount,
        tax: Math.round(amount / 11),
        isVoided: i > 0 && random.chance(0.1),
      }
    })
    const total = lines.filter(({ isVoided }) => !isVoided).reduce((sum, { amount }) => sum + amount, 0)
    const isSplit = random.chance(0.2)
    const parts = isSplit ? [Math.floor(total / 2), total - Math.floor(total / 2)] : [total]
    const types = ['CARD', 'CASH', 'OTHER'] as const
    const payments = parts.map((amount, i) => ({
      id: `pay-${number}-${i}`,
      type: random.pick(types),
      amount,
      tip: i === 0 && random.chance(0.3) ? random.int(10, 300) : 0,
    }))
    const sale: Sale = {
      id: `sale-${number}`,
      number,
      openedMs: clock.ms - 1_000,
      closedMs: isClosed ? clock.ms : null,
      changedMs: clock.ms,
      lines,
      payments: isClosed ? payments : [],
      refunds: [],
      table: random.int(1, 30),
      isCanceled: false,
      isDeleted: false,
    }
    if (this.#offline && random.chance(0.5)) this.#offline.sales.push(sale)
    else this.sales.set(sale.id, sale)
  }

  #change(kind: 'edit' | 'refund' | 'cancel' | 'delete'): void {
    const { random, clock } = this
    const fit = this.list().filter((sale) => {
      if (sale.isDeleted || sale.isCanceled) return false
      if (kind === 'refund') return sale.closedMs !== null && sale.refunds.length === 0 && sale.payments.length === 1
      return kind !== 'cancel' || sale.refunds.length === 0
    })
    if (fit.length === 0) return
    const sale = structuredClone(random.pick(fit))
    sale.changedMs = clock.ms
    if (kind === 'edit') sale.table = random.int(31, 99)
    else if (kind === 'cancel') sale.isCanceled = true
    else if (kind === 'delete') sale.isDeleted = true
    else {
      const [line] = sale.lines as [Line, ...Line[]]
      sale.refunds.push({ id: `refund-${sale.number}`, atMs: clock.ms, line: 0, amount: line.amount, tax: line.tax })
    }
    this.sales.set(sale.id, sale)
  }
}
