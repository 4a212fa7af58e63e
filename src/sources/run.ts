import { businessTime } from '../domain/days/business-time.ts'
import { reconcile } from '../domain/figures/reconciliation.ts'
import { standingOf, partedItems } from '../domain/money/counted.ts'
import { moneyOf } from '../domain/money/currency.ts'
import { sumToMinor } from '../domain/money/decimal.ts'
import { usualRules } from '../domain/money/paid.ts'
import type { Order } from '../schemas/orders.ts'
import type { Report } from '../schemas/reports.ts'
import type { Ticket } from '../schemas/tickets.ts'
import type { Adapter, Left, Profile, Refused, SourceFile } from './adapter.ts'
import { assembleTicket } from './ticket/assemble.ts'
import { assembleClosing } from './ticket/closing.ts'

/** A business day beside what the source itself says of it; amounts in minor units, null where the source says nothing. */
export type SourceDay = {
  day: string
  orders: number
  salesHere: number
  salesThere: number | null
  /** VAT there less VAT here; null where the source says nothing. */
  vat: number | null
  /** Closings of the day: number, and whether the orders make it. */
  closings: { number: number; state: 'balanced' | 'differs'; salesDifference: number }[]
  refused: number
}

export type SourceRun = {
  records: { type: 'order' | 'report'; data: Order | Report }[]
  left: Left[]
  refused: Refused[]
  notes: [string, number][]
  unmapped: [string, number][]
  days: SourceDay[]
}

type Settings = { locationId: string; profile: Profile & { dayStartsAt: string } }

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

/** Adds up days as the figures do, beside what the tickets said, also of those that were refused. */
function daysOf(
  made: readonly { ticket: Ticket; order: Order | undefined }[],
  reports: readonly Report[],
  { profile }: Settings,
): SourceDay[] {
  const money = moneyOf(profile.currency)
  const { dayOf } = businessTime(profile)
  const dayOfTicket = ({ closed, opened }: Ticket) => dayOf(Date.parse(closed ?? opened))
  const orders = made.flatMap(({ order }) => order ?? [])
  const byId = new Map(orders.map((order) => [order.id, order]))
  const rules = { ...usualRules, money }
  const closings = reports.map((report) => {
    const named = report.orders.flatMap((id) => byId.get(id) ?? [])
    const { balanced, figures } = reconcile(report, named, { rules })
    const last =
      named
        .flatMap(({ closedAt }) => closedAt ?? [])
        .toSorted()
        .at(-1) ?? report.finalizedAt
    const sales = figures.find(({ figure }) => figure === 'sales')?.difference ?? 0
    return {
      day: dayOf(Date.parse(last)),
      number: report.reportNumber,
      state: balanced ? ('balanced' as const) : ('differs' as const),
      salesDifference: sales,
    }
  })
  const byDay = Map.groupBy(made, ({ ticket }) => dayOfTicket(ticket))
  const days = [...new Set([...byDay.keys(), ...closings.map(({ day }) => day)])].toSorted()
  return days.map((day) => {
    const own = byDay.get(day) ?? []
    const counted = own.flatMap(({ order }) => (order && standingOf(order) === 'counted' ? [order] : []))
    const items = counted.flatMap((order) => Object.values(partedItems(order)).flat())
    const sales = own.filter(({ ticket }) => (ticket.state ?? 'sale') === 'sale' && ticket.closed)
    const said = sales.flatMap(({ ticket }) => ticket.said?.total ?? [])
    const taxes = sales.flatMap(({ ticket }) => ticket.said?.tax ?? [])
    const salesHere = sumToMinor(
      counted.map(({ total }) => total),
      money.decimals,
    )
    const taxHere = sumToMinor(
      items.map(({ tax }) => tax.taxAmount),
      money.decimals,
    )
    const isSaid = said.length > 0 && said.length === sales.length
    return {
      day,
      orders: own.filter(({ order }) => order).length,
      salesHere,
      salesThere: isSaid ? sumOf(said) : null,
      vat: isSaid && taxes.length === sales.length ? sumOf(taxes) - taxHere : null,
      closings: closings.flatMap(({ day: of, ...closing }) => (of === day ? [closing] : [])),
      refused: own.filter(({ order }) => !order).length,
    }
  })
}

const inOrder = (a: Order, b: Order) =>
  a.openedAt === b.openedAt ? (a.id < b.id ? -1 : 1) : a.openedAt < b.openedAt ? -1 : 1

const byCount = (counts: ReadonlyMap<string, number>) =>
  [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))

/** Reads the files of a source into records, orders by time and then reports, and tells what became of everything else. */
export function runSource(adapter: Adapter, files: readonly SourceFile[], settings: Settings): SourceRun {
  const { locationId, profile } = settings
  const { decimals } = moneyOf(profile.currency)
  const mapped = adapter.map(files, profile)
  const refused = [...mapped.refused]
  const made = mapped.tickets.map((ticket) => {
    const assembled = assembleTicket(ticket, { locationId, decimals })
    if ('order' in assembled) return { ticket, order: assembled.order }
    refused.push({ key: ticket.key, reason: assembled.refusal.detail })
    return { ticket, order: undefined }
  })
  const orders = made.flatMap(({ order }) => order ?? []).toSorted(inOrder)
  const reports = mapped.closings.map((closing) => assembleClosing(closing, locationId))
  return {
    records: [
      ...orders.map((data) => ({ type: 'order' as const, data })),
      ...reports.map((data) => ({ type: 'report' as const, data })),
    ],
    left: mapped.left,
    refused,
    notes: byCount(mapped.notes),
    unmapped: byCount(mapped.unmapped),
    days: daysOf(made, reports, settings),
  }
}
