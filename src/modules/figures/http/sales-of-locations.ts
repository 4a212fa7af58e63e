import { installationId } from '../../../core/domain/accounts/keys.ts'
import { businessTime } from '../../../core/domain/days/business-time.ts'
import { changeOfAmount, rangeOfWord, sumTogether } from '../domain/sales-of-locations.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { FiguresBuilding } from '../projections/exact.ts'
import { figuresAtOnce } from '../projections/figures-at-once.ts'
import { readSales } from '../projections/sales-answer.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import { SalesOfLocationsQuery, type RangeWord, type SalesOfLocation } from '../schemas/sales-of-locations.ts'
import type { Sales } from '../schemas/sales.ts'
import { Semaphore } from '../../../core/store/db/semaphore.ts'
import { listSomeLocations, type LocationRow } from '../../../core/contract/location/rows.ts'
import type { Process } from '../../../core/http/context.ts'
import { rangeFaults } from '../../../core/contract/paging/day-range.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'
import type { App, Caller } from '../../../core/http/server-types.ts'

/** Maximum days of a range, the same as for one location. */
const longestDays = 3_660

const locationsAtOnce = 500

/** This many locations are read at the same time. */
const readAtOnce = 4

/** Lists the active locations that a caller may read: the locations of a session, or the location of a key. */
async function listReadable({ pool }: Process, { locationId, session }: Caller): Promise<LocationRow[]> {
  const ids = locationId === installationId ? (session?.locationIds ?? null) : [locationId]
  const found: LocationRow[] = []
  for (;;) {
    const after = found.at(-1)?.id ?? null
    const rows = await listSomeLocations(pool, { ids, after, limit: locationsAtOnce })
    found.push(...rows)
    if (rows.length < locationsAtOnce) return found.filter(({ deactivatedAt }) => !deactivatedAt)
  }
}

type RangeQuery = { range: RangeWord | undefined; since: string | undefined; until: string | undefined }

/**
 * Returns a function from the current business day to the requested days. A word such as `today` can mean a different
 * date at each location. Throws 400 for dates together with a word, and for too long a range.
 */
function toRangeOf({ range, since, until }: RangeQuery): (today: string) => DayRange {
  const from = since ?? until
  const to = until ?? since
  if (from === undefined || to === undefined) return (today) => rangeOfWord(range ?? 'today', today)
  const faults = rangeFaults({ since: from, until: to }, longestDays)
  const detail = 'range cannot be combined with since and until'
  const both = range === undefined ? [] : [{ in: 'query' as const, pointer: '/range', code: 'invalid_value' as const, detail }] // prettier-ignore
  if (faults.length + both.length > 0) throw validationFailed([...both, ...faults])
  return () => ({ since: from, until: to })
}

const sumsOf = ({ orders, guests, salesInclTax }: Sales['totals']) => ({
  orders,
  guests: guests ?? 0,
  salesInclTax: salesInclTax ?? 0,
})

async function readOne(
  { pool }: Process,
  location: LocationRow,
  { rangeOf, now }: { rangeOf: (today: string) => DayRange; now: Date },
): Promise<SalesOfLocation> {
  const { id, currency, timeZone } = location
  const { name, city } = JSON.parse(location.withoutDevices) as Location
  const place = { locationId: id, name, city, timeZone, currency }
  const days = rangeOf(businessTime(location).dayOf(now.getTime()))
  const salesRequest = { ...days, by: 'total', compare: 'weekday' as const, upToNow: true }
  try {
    const { sales } = await figuresAtOnce.run(id, () => readSales(pool, id, salesRequest, now))
    const { totals, comparison, open, meta } = sales
    const isKnown = comparison !== undefined && meta.firstDay !== null && comparison.since >= meta.firstDay
    const before = isKnown ? sumsOf(comparison.totals) : undefined
    const sums = sumsOf(totals)
    const compared = before &&
      comparison && {
        since: comparison.since,
        ...before,
        change: changeOfAmount(sums.salesInclTax, before.salesInclTax),
      }
    return { ...place, sales: { ...days, ...sums, open, comparison: compared ?? null } }
  } catch (error) {
    if (error instanceof FiguresBuilding) return { ...place, sales: null }
    throw error
  }
}

/**
 * Adds the operation that returns the sales of all of a caller's locations: each over its own business days, and the
 * total by currency.
 */
export function salesOfLocationsRoutes(app: App, context: Process): void {
  app.get(
    '/v1/sales/locations',
    {
      config: { scope: 'read', ofLocations: true },
      schema: operation({
        tags: ['Figures'],
        operationId: 'listSalesOfLocations',
        answer: 'Sales per location, and sums per currency.',
        summary: 'Read sales of several locations',
        description:
          'Returns all active locations of a session, or the location of a key. Each location is compared with the latest earlier range of as ' +
          'many days that begins on the same weekday. A total includes all locations with figures; its `comparison` includes only locations with a comparison.',
        query: SalesOfLocationsQuery,
        answers: { 200: named('SalesOfLocations') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { since, until, range } = request.query
      const rangeOf = toRangeOf({ since, until, range })
      const now = context.clock()
      const locations = await listReadable(context, request.key)
      if (locations.length === 0) throw new AppError('location_required')
      const places = new Semaphore(readAtOnce)
      const data = await Promise.all(
        locations.map(async (location) => {
          const end = await places.take()
          try {
            return await readOne(context, location, { rangeOf, now })
          } finally {
            end()
          }
        }),
      )
      request.handedOut = { documents: 0, locationIds: locations.map(({ id }) => id) }
      const isComplete = data.every(({ sales }) => sales !== null)
      return { data, totals: sumTogether(data), meta: { locations: data.length, isComplete } }
    },
  )
}
