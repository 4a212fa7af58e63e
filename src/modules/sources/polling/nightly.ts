import { hash } from 'node:crypto'
import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { isRejection, readRecord } from '../../../core/ingest/records.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { LiveSource, SourceDifference } from '../schemas/sources.ts'
import { keepComparedDays, listComparedDays, listOrdersOfShop, type ComparedDay } from '../store/days.ts'
import type { SourceRow } from '../store/sources.ts'
import { compareTotals, type DayTotals } from './compare.ts'
import type { Opened, Run, RunDeps } from './run.ts'
import { hourMs } from '../../../core/domain/days/time-units.ts'

/** Number of business days that are compared each night. */
const comparedDays = 7

/** A business day is compared at the earliest this long after its end. */
const overForMs = hourMs

/** Maximum documents that are read again because of differences. */
const mostDocuments = 500

/** The days from `first` to the end of `last`. */
type Span = { first: string; last: string }

/**
 * Reads the stored figures of some business days and the source's own figures, by day; a figure of a day without data
 * is 0.
 */
export async function totalsOf(
  source: SourceRow,
  { pull, profile, conversion, ask }: Opened,
  { first, last }: Span,
  stored: (span: { from: Date; until: Date }) => Promise<readonly Order[]>,
): Promise<DayTotals[]> {
  const { startOf, dayOf } = businessTime(profile)
  const { adapter, account } = source
  // A ticket may be paid the day before it is closed, or the day after.
  const wide = { from: new Date(startOf(addDays(first, -1))), until: new Date(startOf(addDays(last, 2))) }
  const said = await pull.totals(wide, { account, currency: profile.currency }, ask)
  const { decimals } = conversion.rules.money
  const shop = { source: adapter, account, decimals, states: pull.states, dayOf }
  const days = compareTotals(await stored(wide), said, shop)
  const wanted: DayTotals[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) {
    wanted.push(days.get(day) ?? { day, orders: 0, here: 0, there: 0, documents: [] })
  }
  return wanted
}

/** Returns the days of the due comparison, if any. */
function dueSpan(source: SourceRow, { profile }: Opened, now: Date): Span | undefined {
  const { startOf, dayOf } = businessTime(profile)
  const today = dayOf(now.getTime() - overForMs)
  const isDone = source.comparedAt !== null && source.comparedAt.getTime() - overForMs >= startOf(today)
  // The first day of reading is incomplete.
  const earliest = addDays(dayOf(source.readsFrom.getTime()), 1)
  const [first, last] = [addDays(today, -comparedDays), addDays(today, -1)]
  const from = first < earliest ? earliest : first
  return isDone || from > last ? undefined : { first: from, last }
}

function idOfDay(sourceId: string, day: string): string {
  const hex = hash('sha256', `${sourceId} ${day}`)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

const toDifference = ({ id, adapter, account }: SourceRow, { day, here, there }: DayTotals): SourceDifference => ({
  id: idOfDay(id, day),
  sourceId: id,
  source: adapter as LiveSource,
  account,
  date: day,
  here,
  there,
  difference: here - there,
})

/**
 * Reports for each till of the source the time until which its data is complete, like the status of a till. A system
 * without closings has no other way to complete a business day.
 */
async function reportStatuses(
  source: SourceRow,
  { pull, profile, conversion }: Opened,
  deps: RunDeps,
  { orders, days }: { orders: readonly Order[]; days: readonly DayTotals[] },
): Promise<void> {
  if (pull.latenessMs === null) return
  const now = deps.clock()
  // A day with differences cannot be reported as complete.
  const differing = days.find(({ here, there }) => here !== there)
  const untilMs = Math.min(
    now.getTime() - pull.latenessMs,
    differing ? businessTime(profile).startOf(differing.day) : Infinity,
  )
  const { adapter, account, locationId } = source
  const own = orders.filter((order) => order.source === adapter && order.externalLocationId === account)
  const completeUntil = new Date(untilMs).toISOString()
  const records = [...new Set(own.map(({ deviceId }) => deviceId))].map((deviceId, i) => {
    const data = { deviceId, at: now.toISOString(), completeUntil, lastNumber: null }
    const bytes = Buffer.from(JSON.stringify({ type: 'device.status', data }))
    return { read: readRecord(bytes, { line: i + 1, locationId, now }), length: bytes.length }
  })
  const good = records.flatMap(({ read }) => (isRejection(read) ? [] : [read]))
  const bytes = records.reduce((sum, { length }) => sum + length, 0)
  await deps.writer.write(conversion.locationId, { records: good, rejected: [], bytes, keyId: null })
}

/**
 * Compares the last business days with the totals of the source. If they differ, the documents are read again; each
 * remaining difference is reported once. Resolves to whether a comparison was due.
 */
export async function compareNightly(source: SourceRow, opened: Opened, run: Run, deps: RunDeps): Promise<boolean> {
  const { pool, clock } = deps
  const span = dueSpan(source, opened, clock())
  if (!span) return false
  let orders: Order[] = []
  const stored = async (of: { from: Date; until: Date }) => {
    orders = (await listOrdersOfShop(pool, source.locationId, of)).map((document) => JSON.parse(document) as Order)
    return orders
  }
  let days = await totalsOf(source, opened, span, stored)
  const documents = [...new Set(days.flatMap((day) => day.documents))].slice(0, mostDocuments)
  const reread = new Set(days.filter((day) => day.documents.length > 0).map(({ day }) => day))
  if (documents.length > 0) {
    await run.readKeys(documents, { isCheck: true })
    days = await totalsOf(source, opened, span, stored)
  }
  const now = clock()
  const known = new Map((await listComparedDays(pool, source, span.first)).map((one) => [one.day, one]))
  const isNews = ({ day, here, there }: DayTotals) => {
    const before = known.get(day)
    return here !== there && !(before?.toldAt && before.here === here && before.there === there)
  }
  const compared = days.map((one): ComparedDay => {
    const before = known.get(one.day)
    const toldAt = isNews(one) ? now : one.here === one.there ? null : (before?.toldAt ?? null)
    const rereadAt = reread.has(one.day) ? now : (before?.rereadAt ?? null)
    return { day: one.day, here: one.here, there: one.there, comparedAt: now, rereadAt, toldAt }
  })
  const differences = days.filter(isNews).map((day) => toDifference(source, day))
  await keepComparedDays(pool, source, { days: compared, differences, now })
  await reportStatuses(source, opened, deps, { orders, days })
  if (differences.length > 0) deps.onStored?.(source.locationId)
  return true
}
