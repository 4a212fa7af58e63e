import { moneyOf } from '../../../core/contract/money/currency.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Adapter, Left, Mapped, Profile, Refused, SourceFile } from './adapter.ts'
import { Days, type SourceDay } from './days.ts'
import type { Scratch } from './scratch.ts'
import { assembleTicket } from './ticket/assemble.ts'
import { assembleClosing } from './ticket/closing.ts'
import { ReasonTally } from './reason-tally.ts'

export type SourceRun = {
  /** Lines of NDJSON: orders by time, then reports. */
  lines(): Generator<Buffer>
  orders: number
  reports: number
  left: ReasonTally<Left>
  refused: ReasonTally<Refused>
  notes: [string, number][]
  unmapped: [string, number][]
  days: SourceDay[]
  /** The position from which the source may continue once all is stored; undefined if it has none. */
  state: unknown
}

type Settings = { locationId: string; profile: Profile & { dayStartsAt: string } }

const byCount = (counts: ReadonlyMap<string, number>) =>
  [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))

function addCounts(from: ReadonlyMap<string, number>, to: Map<string, number>): void {
  for (const [what, count] of from) to.set(what, (to.get(what) ?? 0) + count)
}

/** Begins the sort key of reports: it sorts after every time of an order. */
const afterOrders = '~'

const lineOf = (type: 'order' | 'report', data: object) => Buffer.from(`${JSON.stringify({ type, data })}\n`)

/** Makes records from mapped documents, and stores them until they can be returned in order. */
class Assembly {
  readonly #settings: Settings
  readonly #scratch: Scratch
  readonly #days: Days
  readonly #decimals: number
  readonly left = new ReasonTally<Left>()
  readonly refused = new ReasonTally<Refused>()
  readonly notes = new Map<string, number>()
  readonly unmapped = new Map<string, number>()
  orders = 0
  reports = 0

  constructor(settings: Settings, scratch: Scratch) {
    this.#settings = settings
    this.#scratch = scratch
    this.#days = new Days(settings.profile)
    this.#decimals = moneyOf(settings.profile.currency).decimals
  }

  take({ tickets, closings, left, refused, notes, unmapped }: Mapped): void {
    for (const one of left) this.left.add(one)
    for (const one of refused) this.refused.add(one)
    addCounts(notes, this.notes)
    addCounts(unmapped, this.unmapped)
    for (const ticket of tickets) this.#takeTicket(ticket)
    for (const closing of closings) this.#takeClosing(closing)
  }

  #takeTicket(ticket: Mapped['tickets'][number]): void {
    const { locationId } = this.#settings
    const made = assembleTicket(ticket, { locationId, decimals: this.#decimals })
    if ('order' in made) {
      const { order } = made
      this.#days.addTicket(ticket, order)
      this.#scratch.addRecord(order.id, order.openedAt, lineOf('order', order))
      this.orders += 1
      return
    }
    this.#days.addTicket(ticket, undefined)
    this.refused.add({ key: ticket.key, reason: made.refusal.detail })
  }

  #takeClosing(closing: Mapped['closings'][number]): void {
    const report = assembleClosing(closing, this.#settings.locationId)
    const orders = report.orders.flatMap((id): Order[] => {
      const bytes = this.#scratch.findRecord(id)
      return bytes ? [(JSON.parse(bytes.toString()) as { data: Order }).data] : []
    })
    this.#days.addClosing(report, orders)
    const place = String(this.reports).padStart(9, '0')
    this.#scratch.addRecord(report.id, `${afterOrders}${place}`, lineOf('report', report))
    this.reports += 1
  }

  finish(): Omit<SourceRun, 'state'> {
    const { orders, reports, left, refused, notes, unmapped } = this
    return {
      lines: () => this.#scratch.records(),
      orders,
      reports,
      left,
      refused,
      notes: byCount(notes),
      unmapped: byCount(unmapped),
      days: this.#days.list(),
    }
  }
}

/**
 * Reads the files of a source into records, and reports everything else. Memory does not grow with them: waiting data
 * is in `scratch`, which the caller closes after reading the records. Throws `Unreadable`.
 */
export async function runSource(
  adapter: Adapter,
  files: readonly SourceFile[],
  settings: Settings,
  scratch: Scratch,
): Promise<SourceRun> {
  const assembly = new Assembly(settings, scratch)
  let state: unknown
  const keepState = (kept: unknown) => (state = kept)
  await adapter.map(files, settings.profile, { scratch, hand: (mapped) => assembly.take(mapped), keepState })
  return { ...assembly.finish(), state }
}
