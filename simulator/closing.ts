import type { Location } from '../src/core/contract/location/schema.ts'
import type { Report } from '../src/core/contract/reports/schema.ts'
import { daysBetween } from '../src/core/domain/days/business-time.ts'
import type { CivilDate } from './calendar.ts'
import { keepDrawer } from './drawer.ts'
import { discountOf, dueOf, isCounted, netOf, taxOf, type Draft, type DraftItem } from './drafts.ts'
import { randomOf } from './random.ts'
import { reportIdOf, type Restaurant } from './restaurant.ts'
import type { Shift } from './staff.ts'

const iso = (ms: number) => new Date(ms).toISOString()

function headerOf(location: Location): Report['reportHeaderInfo'] {
  return {
    headerAddress: location.address,
    headerCity: location.city,
    headerCountry: location.country,
    headerName: location.name,
    headerPhone: location.phone,
    headerNaf: location.naf,
    headerSiret: location.siret,
    headerText: location.text,
    headerTva: location.tva,
    headerUrl: location.url,
    headerZip: location.zip,
  }
}

/** Groups rows by key: the first entry of a key makes the row, and every entry is added to it. */
function group<T, R>(
  entries: readonly T[],
  keyOf: (entry: T) => unknown,
  make: (entry: T) => R,
  add: (row: R, entry: T) => void,
): R[] {
  const rows = new Map<unknown, R>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const row = rows.get(key) ?? make(entry)
    rows.set(key, row)
    add(row, entry)
  }
  return [...rows.values()]
}

function productRows(restaurant: Restaurant, lines: readonly DraftItem[]): Report['reportProducts'] {
  const places = new Map(restaurant.catalog.dishes.map((dish, index) => [dish.id, index]))
  const rows = group(
    lines,
    (line) => line.dish,
    ({ dish }) => ({
      productName: dish.name,
      productSales: 0,
      category: dish.category,
      subCategory: dish.subCategory,
      productQuantity: 0,
      productCatalogId: dish.id,
    }),
    (row, line) => {
      row.productSales += netOf(line)
      row.productQuantity += line.quantity
    },
  )
  const place = (row: (typeof rows)[number]) => places.get(row.productCatalogId) ?? 0
  return rows.toSorted((one, other) => place(one) - place(other))
}

function taxRows(lines: readonly DraftItem[]): Report['reportTaxes'] {
  const rows = group(
    lines,
    (line) => line.price.tax,
    ({ price: { tax } }) => ({ taxName: tax.name, taxRate: tax.rate, taxAmount: 0, taxableAmount: 0 }),
    (row, line) => {
      row.taxAmount += taxOf(line)
      row.taxableAmount += netOf(line) - taxOf(line)
    },
  )
  return rows.toSorted((one, other) => other.taxRate - one.taxRate)
}

function discountRows(lines: readonly DraftItem[]): Report['reportDiscounts'] {
  return group(
    lines.filter((line) => discountOf(line) > 0).flatMap((line) => line.discounts),
    ({ discount }) => discount,
    ({ discount }) => ({ discountName: discount.name, discountValue: 0, discountCatalogId: discount.id }),
    (row, { cents }) => {
      row.discountValue += cents
    },
  )
}

function paymentRows(drafts: readonly Draft[]): Report['reportPayments'] {
  return group(
    drafts.flatMap((draft) => draft.payments),
    ({ method }) => method,
    ({ method }) => ({ paymentName: method.name, paymentAmount: 0 }),
    (row, { cents }) => {
      row.paymentAmount += cents
    },
  )
}

const sum = <T>(entries: readonly T[], of: (entry: T) => number) =>
  entries.reduce((total, entry) => total + of(entry), 0)

export type DayBook = {
  date: CivilDate
  startedAt: number
  finalizedAt: number
  shifts: readonly Shift[]
  closedBy: Shift['operator']
  /** Every order of the day in the order of closing, training orders too. */
  drafts: readonly Draft[]
}

/**
 * Makes the Z report of a business day. The formulas are those of src/modules/figures/domain/reconciled-figures.ts,
 * which this file does not use.
 */
export function closeDay(restaurant: Restaurant, book: DayBook): Report {
  const { location, devices, catalog, floatCents } = restaurant
  const named = book.drafts.filter((draft) => !draft.isTraining)
  const counted = named.filter((draft) => draft.cancelReason === null)
  const lines = counted.flatMap((draft) => draft.lines.filter(isCounted))
  const { card, cash } = catalog.payments
  const cashCents = sum(
    counted.flatMap((draft) => draft.payments),
    ({ method, cents }) => (method === cash ? cents : 0),
  )
  const cardTips = sum(
    counted.flatMap((draft) => draft.tips),
    ({ method, cents }) => (method === card ? cents : 0),
  )
  const drawer = keepDrawer(randomOf(restaurant.seed, 'drawer', book.date), floatCents, cashCents, cardTips)
  const finalizedAt = iso(book.finalizedAt)
  return {
    id: reportIdOf(restaurant, book.date),
    createdAt: finalizedAt,
    updatedAt: finalizedAt,
    locationId: location.id,
    startedAt: iso(book.startedAt),
    finalizedAt,
    deviceName: devices.main.name,
    deviceIdentifier: devices.main.id,
    reportNumber: daysBetween(restaurant.openedOn, book.date).length,
    guestsNumber: sum(counted, (draft) => draft.guests),
    totalSales: sum(counted, dueOf),
    reportHeaderInfo: headerOf(location),
    reportProducts: productRows(restaurant, lines),
    reportClerksShift: book.shifts
      .toSorted((one, other) => one.from - other.from)
      .map(({ operator, from, until, toClose }) => ({
        name: operator.name,
        id: operator.id,
        clockInDate: iso(from),
        clockOutDate: toClose ? finalizedAt : iso(until),
      })),
    clerkName: book.closedBy.name,
    clerkId: book.closedBy.id,
    reportDiscounts: discountRows(lines),
    reportTaxes: taxRows(lines),
    reportPayments: paymentRows(counted),
    initialCashBalance: drawer.initialCents,
    finalCashBalance: drawer.finalCents,
    reportEntries: drawer.entries,
    orders: named.map((draft) => draft.id),
  }
}
