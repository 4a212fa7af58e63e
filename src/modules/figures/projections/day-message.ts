import { writeDayMessage, type Compared, type DayFacts } from '../domain/day-message.ts'
import { sumDeductions } from '../domain/deductions.ts'
import type { Comparison } from '../domain/sales-table.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import type { DayMessage, MessageLanguage } from '../schemas/day-message.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { SalesAtHead } from '../schemas/sales.ts'
import { snapshot, type Pool } from '../../../core/store/db/database.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { readTaken, TooManyDeducted } from './deductions.ts'
import { readDays } from './days-answer.ts'
import { daysProjection, readPendingDays } from './days.ts'
import { readExactly } from './exact.ts'
import { readSales } from './sales-answer.ts'

function comparedTo({ comparison, meta }: SalesAtHead): Compared {
  if (comparison === undefined || meta.firstDay === null || comparison.until < meta.firstDay) return undefined
  const { orders, salesInclTax } = comparison.totals
  if (orders === 0 || salesInclTax === null) return null
  return { salesInclTax, change: comparison.change.salesInclTax ?? null }
}

async function readDeductions(pool: Pool, location: LocationRow, date: string): Promise<DayFacts['deductions']> {
  const { dayStartsAt, currency } = location
  try {
    const taken = await snapshot(pool, (tx) => readTaken(tx, location, { since: date, until: date }))
    return sumDeductions(taken, { decimals: moneyOf(currency).decimals, dayStartsAt }).totals
  } catch (error) {
    if (error instanceof TooManyDeducted) return undefined
    throw error
  }
}

async function readFacts(pool: Pool, location: LocationRow, date: string, now: Date): Promise<DayFacts> {
  const { id, currency } = location
  const sales = async (by: string, compare?: Comparison) =>
    (await readSales(pool, id, { since: date, until: date, by, compare }, now)).sales
  const weekday = await sales('total', 'weekday')
  const [yearWeekday, fourWeeks] = [await sales('total', 'yearWeekday'), await sales('total', 'fourWeeks')]
  const [payments, taxes] = [await sales('payment'), await sales('tax')]
  const day = await readExactly(pool, id, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, id)
    if (!live) return undefined
    const [read] = await readDays(tx, id, live, { range: { since: date, until: date }, now })
    return read?.day
  })
  const { name, city } = JSON.parse(location.document) as Pick<Location, 'name' | 'city'>
  const { orders, guests, salesInclTax, tax, averagePerOrder } = weekday.totals
  return {
    name,
    city,
    currency,
    day,
    sales: { orders, guests, salesInclTax: salesInclTax ?? 0, tax: tax ?? 0, averagePerOrder },
    compared: {
      weekday: comparedTo(weekday),
      yearWeekday: comparedTo(yearWeekday),
      fourWeeks: comparedTo(fourWeeks),
    },
    payments: payments.data
      .map((row) => ({ name: row.name ?? row.key ?? '–', amount: row.salesInclTax ?? 0 }))
      .toSorted((a, b) => b.amount - a.amount),
    taxes: taxes.data.map((row) => ({
      rate: row.key === null || Number.isNaN(Number(row.key)) ? null : Number(row.key) / 10_000,
      salesExclTax: row.salesExclTax ?? 0,
      tax: row.tax ?? 0,
    })),
    deductions: await readDeductions(pool, location, date),
  }
}

/** Reads a business day of a location as a message. Throws `location_not_found` and `FiguresBuilding`. */
export async function readDayMessage(
  pool: Pool,
  locationId: string,
  { date, language }: { date: string; language: MessageLanguage },
  now: Date,
): Promise<DayMessage> {
  const location = await findLocation(pool, locationId)
  if (!location) throw new AppError('location_not_found', `location ${locationId} does not exist: check the id`)
  return writeDayMessage(await readFacts(pool, location, date, now), language)
}
