import { daysProjection } from './projections/days.ts'
import { salesProjection } from './projections/sales.ts'
import { Watermarks } from './projections/watermarks.ts'
import { ProjectionWorker } from './projections/worker.ts'
import { requireComplete } from './http/complete.ts'
import { businessDayRoutes } from './http/business-days.ts'
import { dayMessageRoutes } from './http/day-message.ts'
import { deviceRoutes } from './http/devices.ts'
import { deductionRoutes } from './http/deductions.ts'
import { reconciliationRoutes } from './http/reconciliation.ts'
import { reportCheckRoutes } from './http/report-checks.ts'
import { salesOfLocationsRoutes } from './http/sales-of-locations.ts'
import { salesRoutes } from './http/sales.ts'
import { BusinessDay, BusinessDayList, DayRevisionList } from './schemas/business-days.ts'
import { DayMessage } from './schemas/day-message.ts'
import { Deductions } from './schemas/deductions.ts'
import { Completeness } from './schemas/completeness.ts'
import { ReportCheckPage } from './schemas/report-checks.ts'
import { Reconciliation } from './schemas/reconciliation.ts'
import { SalesOfLocations } from './schemas/sales-of-locations.ts'
import { Sales } from './schemas/sales.ts'
import { DeviceList } from './schemas/devices.ts'
import { serverParts, type ModuleServer } from '../../core/modules.ts'

export const server: ModuleServer = {
  open: (context) => ({
    watermarks: new Watermarks(context.pool, context.clock),
    requireComplete: (request, range) => requireComplete(context, request, range),
  }),
  close: ({ watermarks }) => (watermarks as Watermarks).end(),
  service(context, log) {
    const { pool, hints } = context
    return new ProjectionWorker({
      pool,
      hints,
      projections: [salesProjection, daysProjection],
      followers: serverParts().flatMap((part) => part.follow?.(context) ?? []),
      onError: (err) => log.warn({ err }, 'projections failed: they are retried'),
    })
  },
  routes(app, context) {
    reportCheckRoutes(app, context)
    reconciliationRoutes(app, context)
    salesRoutes(app, context)
    salesOfLocationsRoutes(app, context)
    businessDayRoutes(app, context)
    dayMessageRoutes(app, context)
    deviceRoutes(app, context)
    deductionRoutes(app, context)
  },
  schemas: {
    BusinessDay,
    BusinessDayList,
    DayRevisionList,
    DayMessage,
    Deductions,
    Completeness,
    ReportCheckPage,
    Reconciliation,
    SalesOfLocations,
    Sales,
    DeviceList,
  },
}
