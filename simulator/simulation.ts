import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../src/core/contract/catalog/schema.ts'
import type { Location } from '../src/core/contract/location/schema.ts'
import type { Order } from '../src/core/contract/orders/schema.ts'
import type { Report } from '../src/core/contract/reports/schema.ts'
import { liveDay, type DayEvent } from './business-days.ts'
import { addDays } from '../src/core/domain/days/business-time.ts'
import { businessDateAt, businessDay } from './calendar.ts'
import { toHostile } from './hostile.ts'
import type { Restaurant } from './restaurant.ts'
import { closeOf, plannedClose, type Rush } from './rushes.ts'

/** A record line as tills push it (docs/contract/ingest.md). */
export type TillRecord =
  | { type: 'location'; data: Location }
  | { type: 'catalog.products'; data: CatalogProduct[] }
  | { type: 'catalog.modifiers'; data: CatalogModifierGroup[] }
  | { type: 'catalog.payments'; data: CatalogPayment[] }
  | { type: 'catalog.taxes'; data: CatalogTax[] }
  | { type: 'order'; data: Order }
  | { type: 'report'; data: Report }

/** A record and the moment the till sends it. */
export type Occurrence = { at: Date; record: TillRecord }

export type Span = {
  from: Date
  /** Excluded; without it the simulation never ends. */
  to?: Date
  /** Yields only the last version of each order, which is the fastest way to fill a history. */
  finalOnly?: boolean
  /** Whether the location and the catalog lists come first, at `from`; default true. */
  setup?: boolean
  rushes?: readonly Rush[]
}

/** Returns the location and its four catalog lists. */
export function setupRecords(restaurant: Restaurant): TillRecord[] {
  const { products, modifiers, payments, taxes } = restaurant.catalog.lists
  const lists: TillRecord[] = [
    { type: 'catalog.taxes', data: taxes },
    { type: 'catalog.payments', data: payments },
    { type: 'catalog.modifiers', data: modifiers },
    { type: 'catalog.products', data: products },
  ]
  return [{ type: 'location', data: restaurant.location }, ...lists.map((record) => spokenBy(restaurant, record))]
}

/** Makes the texts of a record hostile if the restaurant is of that kind. */
function spokenBy({ kind }: Restaurant, record: TillRecord): TillRecord {
  return kind === 'hostile' ? ({ type: record.type, data: toHostile<unknown>(record.data) } as TillRecord) : record
}

type Ahead = { next: DayEvent; rest: Iterator<DayEvent> }

function lookAhead(rest: Iterator<DayEvent>): Ahead[] {
  const { done, value } = rest.next()
  return done ? [] : [{ next: value, rest }]
}

/**
 * Yields successive business days. A day that closes after the next one has begun is merged with it, from its planned
 * close on.
 */
function* dayEvents(restaurant: Restaurant, span: Span): Generator<DayEvent> {
  const { timeZone, openedOn } = restaurant
  const [from, to] = [span.from.getTime(), span.to?.getTime() ?? Infinity]
  const { rushes = [] } = span
  const daySpan = { from, finalOnly: span.finalOnly ?? false }
  const dayBefore = addDays(businessDateAt(timeZone, from), -1)
  let open: Ahead[] = []
  for (let date = dayBefore < openedOn ? openedOn : dayBefore; ; date = addDays(date, 1)) {
    const day = businessDay(timeZone, date)
    const nextBegins = plannedClose(restaurant, day)
    if (closeOf(restaurant, day, rushes) < from) continue
    open.push(...lookAhead(liveDay(restaurant, date, rushes, daySpan)))
    for (;;) {
      const first = open.reduce<Ahead | undefined>(
        (best, day) => (best && best.next.at <= day.next.at ? best : day),
        undefined,
      )
      if (!first || first.next.at >= Math.min(nextBegins, to)) break
      yield first.next
      open = open.flatMap((day) => (day === first ? lookAhead(day.rest) : [day]))
    }
    if (nextBegins >= to) return
  }
}

function checkRushes(rushes: readonly Rush[]): void {
  for (const { perMinute } of rushes) {
    if (!(perMinute > 0 && perMinute <= 60)) throw new RangeError('perMinute of a rush must be above 0 and at most 60')
  }
}

/**
 * Yields the records that the restaurant's tills send in `[from, to)`, in the order of time. Each business day is
 * generated from the seed and its date, so any interval equals that part of a longer interval, except for the set-up
 * records. Continuing later with the same seed and rushes continues the same restaurant.
 */
export function* simulate(restaurant: Restaurant, span: Span): Generator<Occurrence> {
  checkRushes(span.rushes ?? [])
  if (span.setup ?? true) for (const record of setupRecords(restaurant)) yield { at: new Date(span.from), record }
  for (const { at, type, data } of dayEvents(restaurant, span)) {
    yield { at: new Date(at), record: spokenBy(restaurant, { type, data } as TillRecord) }
  }
}

/**
 * Yields the records of the last complete business days before `until` (a day is complete after 05:00), final versions
 * only, set-up first: every order is in one of the reports.
 */
export function* sampleRecords(restaurant: Restaurant, days: number, until: Date): Generator<TillRecord> {
  const { timeZone } = restaurant
  const end = businessDateAt(timeZone, until.getTime())
  const from = new Date(businessDay(timeZone, addDays(end, -days)).startsAt)
  const to = new Date(businessDay(timeZone, end).startsAt)
  for (const { record } of simulate(restaurant, { from, to, finalOnly: true })) yield record
}
