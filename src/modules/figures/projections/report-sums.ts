import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import { dataParts } from '../../../core/modules.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import type { Reconciliation } from '../domain/reconciliation.ts'
import type { ReportCheck } from '../domain/report-checks.ts'

type Generation = { locationId: string; generation: number }

/** A module's sums of a report and its orders; `attached` are the days of its orders. */
export type ReportSums = { attached: readonly { day: string }[] }

/** Stores sums of reports in the transaction in which figures fold them. */
export type SumsOfReports = {
  of(
    read: { report: Report; sequence: number; isComplete: boolean },
    orders: readonly Order[],
    judged: { reconciliation: Reconciliation; check: ReportCheck },
    made: { time: BusinessTime; rules: MoneyRules },
  ): ReportSums
  /** Finds the stored sums of these reports, as they were written. */
  find(sql: Sql, place: Generation, reportIds: readonly string[]): Promise<Map<string, string>>
  put(sql: Sql, place: Generation, sums: readonly ReportSums[], seq: number): Promise<void>
  /** Records days whose set of orders without a Z may have changed. */
  putDays(sql: Sql, place: Generation, days: readonly string[], seq: number): Promise<void>
}

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** Stores sums of reports beside their checks. */
    sumsOfReports?: SumsOfReports
  }
}

/** Returns the functions of the module that stores sums of reports; undefined while it is off. */
export const sumsOfReports = (): SumsOfReports | undefined =>
  dataParts().find((part) => part.sumsOfReports)?.sumsOfReports
