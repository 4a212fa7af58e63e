import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { businessTime } from '../../../core/domain/days/business-time.ts'
import { cuts, isByTimeOnly, isOfEveryWeek, readCut, singleCuts } from '../domain/sales-table.ts'
import { validationFailed, type Fault } from '../../../core/contract/errors/errors.ts'
import { hourlyOrders, TooManyOrders } from '../projections/hours.ts'
import { AtOnce } from '../../../core/projections/at-once.ts'
import { figuresAtOnce } from '../projections/figures-at-once.ts'
import { readSales, type SalesRequest } from '../projections/sales-answer.ts'
import { clockOf } from '../projections/projection.ts'
import { salesProjection } from '../projections/sales.ts'
import { completeUntil } from '../../../core/schemas/freshness.ts'
import { SalesQuery, type Sales } from '../schemas/sales.ts'
import { findProjectionMark, type ProjectionMark } from '../store/projections.ts'
import { requireComplete } from './complete.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { csvType, toCsv } from '../../../core/domain/documents/csv.ts'
import { rangeFaults } from '../../../core/contract/paging/day-range.ts'
import { whenBuilt } from './figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { varyByForm } from '../../../core/http/answers/headers.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { preferredType } from '../../../core/http/answers/negotiation.ts'
import { isKnown } from '../../../core/http/answers/replies.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** A range has at most this many days: ten years with their leap days. A table by day of that length is still small. */
const longestDays = 3_660

/** Maximum days of a table by hour and dimension, which is computed from the orders themselves. */
const longestHourly = 31

/** Converts `TooManyOrders` to a 400: the range has more orders than are added up on request. Rethrows other errors. */
function tooMany(error: unknown): never {
  if (!(error instanceof TooManyOrders)) throw error
  const detail = `until: a table by hour and dimension can cover at most ${hourlyOrders} orders, and the range has ${error.message}; choose a shorter range`
  throw validationFailed([{ in: 'query', pointer: '/until', code: 'range_too_long', detail }])
}

/** Returns the faults of a request: its range, a table that does not exist, parameters that exclude each other. */
function faultsOf(requested: SalesRequest): Fault[] {
  const inRange = rangeFaults(requested, requested.by.startsWith('hour,') ? longestHourly : longestDays)
  const fault = (field: string, code: Fault['code'], detail: string): Fault => ({
    in: 'query',
    pointer: `/${field}`,
    code,
    detail: `${field}: ${detail}`,
  })
  if (cuts.includes(requested.by)) {
    const cut = readCut(requested.by)
    const part = requested.before === undefined ? (requested.from === undefined ? null : 'from') : 'before'
    const isByHours = cut.grain === 'hour' && cut.dimension !== null
    const coversFullDays = part === null && !isByHours
    const isCompared = requested.compare !== 'fourWeeks' || isOfEveryWeek(cut)
    return [
      ...inRange,
      ...(part === null || isByTimeOnly(cut)
        ? []
        : [
            fault(
              part,
              'invalid_value',
              'cannot be combined with a dimension in by; use, for example, by=total or by=day',
            ),
          ]),
      ...(requested.weekday === undefined || !isByHours
        ? []
        : [fault('weekday', 'invalid_value', 'cannot be combined with hour and a dimension')]),
      ...(isCompared
        ? []
        : [fault('compare', 'invalid_value', 'fourWeeks requires rows without dates, such as by=total or by=weekday')]),
      ...(requested.upToNow && requested.compare === undefined
        ? [fault('upToNow', 'invalid_value', 'requires compare')]
        : []),
      ...(requested.upToNow && !coversFullDays
        ? [fault('upToNow', 'invalid_value', 'cannot be combined with from or before, or with hour and a dimension')]
        : []),
    ]
  }
  const detail = `by: ${JSON.stringify(requested.by)} is not possible; use ${singleCuts.join(', ')}, or a pair such as day,product or weekday,halfHour`
  return [{ in: 'query', pointer: '/by', code: 'invalid_value', detail }, ...inRange]
}

/** Lists the columns of the CSV in their order. The compiler checks that every member of a row is present. */
const csvFields = Object.keys({
  period: 0,
  key: 0,
  name: 0,
  orders: 0,
  guests: 0,
  items: 0,
  listInclTax: 0,
  discounts: 0,
  salesInclTax: 0,
  tax: 0,
  salesExclTax: 0,
  tips: 0,
  refunds: 0,
  averagePerOrder: 0,
  averagePerGuest: 0,
} satisfies Record<keyof Sales['data'][number], 0>)

/** Sets the header with the time until which the location is complete, if known. */
function setCompleteUntil(reply: FastifyReply, until: string | null): void {
  if (until !== null) reply.header(completeUntil, until)
}

/** Limits how many tables of one location are computed at once. Further requests wait without a connection. */
function tablesAtOnce({ pool }: Pick<Process, 'pool'>) {
  // A table by hour and dimension reads up to 20,000 orders, which takes a second; other tables have up to 5,000 names
  // a day.
  const hourly = new AtOnce(1)
  return (locationId: string, requested: SalesRequest, now: Date) => {
    const { grain, dimension } = readCut(requested.by)
    const make = () => readSales(pool, locationId, requested, now)
    return (grain === 'hour' && dimension ? hourly : figuresAtOnce).run(locationId, make)
  }
}

type RequestedSales = {
  requested: SalesRequest
  form: { asCsv: boolean; isFile: boolean }
  now: Date
  until: string | null
}

/** Returns the ETag of a table: a hash over everything that the table depends on. */
function tagOf(
  { requested, form, now, until }: RequestedSales,
  { epoch, seq, version, currency }: ProjectionMark,
): string {
  // Without a requested day, the table is that of the current day at the location.
  const today = requested.since ?? requested.until ?? businessTime(clockOf(version)).dayOf(now.getTime())
  const minute = requested.upToNow ? Math.floor(now.getTime() / 60_000) : null
  const facts = [requested, form.asCsv, form.isFile, epoch, seq, version, currency, today, minute, until]
  return `"${hash('sha1', JSON.stringify(facts), 'base64url')}"`
}

const salesOperation = operation({
  tags: ['Figures'],
  operationId: 'getSales',
  headers: ['ETag', 'CompleteUntil'],
  answer: 'Figures of each group, and their total.',
  forms: { 'text/csv': 'Rows of `data` with a header line (RFC 4180).' },
  summary: 'Read sales figures',
  description:
    'Returns sales by business day of the location, up to the last accepted order: `meta.sequence` is the journal sequence of ' +
    'the figures. Amounts are integers in minor units. `Accept: text/csv` returns the table as CSV. The ' +
    '`ETag` changes only if the figures may have changed.',
  query: SalesQuery,
  isNumbered: true,
  answers: { 200: named('Sales') },
  problems: ['scope_missing', 'incomplete', 'figures_building'],
})

/**
 * Adds the operation that returns sales by business days (docs/modules/figures.md). The sums are those of a projection
 * plus the entries after its cursor, so the answer is exact at the journal number in it.
 */
export function salesRoutes(app: App, context: Reading & Process): void {
  const { reader, watermarks } = context
  const read = tablesAtOnce(context)
  app.get(
    '/v1/sales/',
    {
      config: { scope: 'read' },
      schema: salesOperation,
    },
    async (request, reply): Promise<Sales | FastifyReply> => {
      const { query, key } = request
      const requested: SalesRequest = {
        since: query.since,
        until: query.until,
        by: query.by ?? 'total',
        compare: query.compare,
        before: query.before,
        from: query.from,
        weekday: query.weekday,
        upToNow: query.upToNow,
      }
      const faults = faultsOf(requested)
      if (faults.length > 0) throw validationFailed(faults)
      const isFile = query.format === 'csv'
      const asCsv = isFile || (query.format === undefined && preferredType(request, [jsonType, csvType]) === csvType)
      const now = context.clock()
      const [from, to] = [requested.since ?? requested.until, requested.until ?? requested.since]
      const days = from !== undefined && to !== undefined ? { since: from, until: to } : undefined
      await reachNumber(context, request)
      await requireComplete(context, request, days ?? { first: now.getTime(), last: now.getTime() })
      await watermarks.warm(key.locationId)
      const form = { asCsv, isFile }
      const etagOf = (mark: ProjectionMark) =>
        tagOf({ requested, form, now, until: watermarks.at(key.locationId, mark.seq) }, mark)
      reply.header('cache-control', 'private, no-cache')
      varyByForm(reply)
      const asksAgain = request.headers['if-none-match'] !== undefined
      const mark = asksAgain ? await findProjectionMark(reader, key.locationId, salesProjection.name) : undefined
      const etag = mark && etagOf(mark)
      if (mark && etag !== undefined && isKnown(request, etag)) {
        reply.header('etag', etag).header('tillgate-sequence', mark.seq)
        setCompleteUntil(reply, watermarks.at(key.locationId, mark.seq))
        return reply.code(304).send()
      }
      const { sales, epoch, version } = await whenBuilt(read(key.locationId, requested, now)).catch(tooMany)
      const { sequence, currency } = sales.meta
      reply.header('etag', etagOf({ epoch, seq: sequence, version, currency })).header('tillgate-sequence', sequence)
      const until = watermarks.at(key.locationId, sequence)
      setCompleteUntil(reply, until)
      if (!asCsv) return { ...sales, meta: { ...sales.meta, completeUntil: until } }
      if (isFile)
        reply.header('content-disposition', `attachment; filename="sales-${sales.meta.since}-${sales.meta.until}.csv"`)
      // Spreadsheets need the byte order mark to detect UTF-8; programs, which request the type, do not want it.
      return reply.header('content-type', csvType).send((isFile ? '\ufeff' : '') + toCsv(csvFields, sales.data))
    },
  )
}
