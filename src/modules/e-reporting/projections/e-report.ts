import type { BusinessClock } from '../../../core/domain/days/business-time.ts'
import { categoriesOf, toEReport } from '../domain/e-reporting.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import type { EReport } from '../schemas/e-reporting.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { readExactly } from '../../figures/projections/exact.ts'
import { foldedOnRead } from '../../figures/projections/sales-answer.ts'
import { listSales, readPendingSales, salesProjection } from '../../figures/projections/sales.ts'

const kinds = ['serviceType', 'serviceTax', 'servicePaid'] as const

/**
 * Reads the e-report of a location, exact at the head of its journal. `daysOf` returns the requested business days, by
 * the clock of the figures. Throws `FiguresBuilding`.
 */
export async function readEReport(
  pool: Pool,
  locationId: string,
  daysOf: (clock: BusinessClock) => DayRange,
): Promise<EReport> {
  return readExactly(pool, locationId, salesProjection, async (tx) => {
    const location = await findLocation(tx, locationId)
    const live = await readPendingSales(tx, locationId, foldedOnRead)
    if (!location || !live) return undefined
    const range = daysOf(live.clock)
    const found = kinds.map((kind) => listSales(tx, live, { locationId, kind, grain: 'day', ...range }))
    const cells = (await Promise.all(found)).flat()
    const categories = categoriesOf(location.eReportingCategories)
    const { currency } = location
    return {
      ...toEReport(cells, categories, currency),
      meta: { ...range, currency, ...live.clock, categories, sequence: live.reached },
    }
  })
}
