import type { Closing, Ticket } from '../../schemas/tickets.ts'
import { mapOne, Unreadable, type Mapping } from '../adapter.ts'
import type { Scratch } from '../scratch.ts'
import type { Cells, Context, Line } from './cells.ts'
import type { CsvMap } from './schema.ts'
import { dayMs } from '../../../../core/domain/days/time-units.ts'

function closingOf(row: Line, key: string, context: Context): Closing {
  const { map, profile, cells } = context
  const report = map.report as NonNullable<CsvMap['report']>
  const at = (name: string) => `/report/${name}`
  const minor = (cell: Parameters<Cells['minor']>[1], name: string) => cells.minor(row, cell, at(name))
  const device = cells.text(row, report.device, at('device'))
  const [from, to] = [cells.time(row, report.opened, at('opened')), cells.time(row, report.closed, at('closed'))]
  if (from === undefined || to === undefined)
    throw new Unreadable(`${row.file}, line ${row.line}: the closing has no time`)
  const number = cells.number(row, report.number, at('number'))
  return {
    source: map.source ?? 'csv',
    account: profile.account,
    key,
    ...(report.number === undefined ? {} : { number }),
    device: { key: device, name: profile.devices?.[device] ?? device },
    from,
    to,
    said: {
      total: minor(report.total, 'total'),
      ...(report.guests === undefined ? {} : { guests: Math.round(cells.number(row, report.guests, at('guests'))) }),
      ...(report.taxes === undefined
        ? {}
        : {
            taxes: report.taxes.map(({ name, rate, amount, base }) => ({
              name,
              rate: Math.round(rate * 100) / 10_000,
              amount: minor(amount, 'taxes'),
              base: base === undefined ? 0 : minor(base, 'taxes'),
            })),
          }),
      ...(report.payments === undefined
        ? {}
        : { payments: report.payments.columns.map((name) => ({ name, amount: minor(name, 'payments') })) }),
      ...(report.cash === undefined
        ? {}
        : { cash: { initial: minor(report.cash.initial, 'cash'), final: minor(report.cash.final, 'cash') } }),
    },
  }
}

const dateOf = (time: string) => time.slice(0, 10)

/** Longest closing, in days, whose tickets are matched by their times. */
const longestDays = 1_000

/** Returns the UTC dates that a closing touches. */
function datesOf({ from, to }: Closing): string[] {
  const dates: string[] = []
  const last = dateOf(to)
  for (let ms = Date.parse(dateOf(from)); dates.length < longestDays; ms += dayMs) {
    const date = dateOf(new Date(ms).toISOString())
    if (date > last) break
    dates.push(date)
  }
  return dates
}

/**
 * The closings in the rows of reports. A closing has the tickets that name it, and the tickets that name no closing and
 * were closed at its device between its start and end. Closings are in memory, about one per day; their tickets are on
 * disk.
 */
export class Closings {
  readonly #context: Context
  readonly #scratch: Scratch
  readonly #all: Closing[] = []
  readonly #byDate = new Map<string, Closing[]>()

  constructor(context: Context, scratch: Scratch) {
    this.#context = context
    this.#scratch = scratch
  }

  add(key: string, rows: readonly Line[], { mapped }: Mapping): void {
    for (const row of rows) {
      mapOne(
        mapped,
        () => `${row.file}:${row.line}`,
        () => {
          const closing = closingOf(row, key, this.#context)
          this.#all.push(closing)
          for (const date of datesOf(closing)) {
            const known = this.#byDate.get(date)
            if (known) known.push(closing)
            else this.#byDate.set(date, [closing])
          }
        },
      )
    }
  }

  /** Assigns a ticket that names no closing to the closing of its device and time; records it there. */
  take(ticket: Ticket): void {
    const { closed, device } = ticket
    if (ticket.closing === undefined && closed) {
      const found = (this.#byDate.get(dateOf(closed)) ?? []).find(
        (one) => closed >= one.from && closed <= one.to && (one.device.key === '' || one.device.key === device?.key),
      )
      if (found) ticket.closing = found.key
    }
    if (ticket.closing !== undefined) this.#scratch.addTicket(ticket.closing, closed ?? ticket.opened, ticket.key)
  }

  *list(): Generator<Closing> {
    for (const closing of this.#all.toSorted((a, b) => (a.to < b.to ? -1 : 1))) {
      yield { ...closing, tickets: this.#scratch.ticketsOf(closing.key) }
    }
  }
}
