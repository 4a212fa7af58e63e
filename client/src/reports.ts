import type {
  GetReportReconciliationQuery,
  ListReportChecksQuery,
  ListReportsQuery,
  Reconciliation,
  Report,
  ReportCheck,
  ReportCheckPage,
  ReportHistoryEntry,
  ReportPage,
} from './api.ts'
import type { Caching } from './etags.ts'
import { listOf, type List } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Lists the Z reports of the location, oldest first unless `sort` is set. */
export function listReports(
  transport: Transport,
  { signal, ...query }: ListReportsQuery & Options = {},
): List<Report, ReportPage> {
  return listOf<Report, ReportPage>(transport, '/v1/reports/', query, signal)
}

/** Gets the latest version of a Z report. Throws `TillgateError` with the code `report_not_found`. */
export function getReport(caching: Caching, id: string, { signal }: Options = {}): Promise<Report> {
  return caching.json<Report>({ path: `/v1/reports/${encodeURIComponent(id)}`, signal })
}

/** Lists every version of a Z report, oldest first, each with its events. */
export function getReportHistory(
  transport: Transport,
  id: string,
  { signal }: Options = {},
): Promise<(Omit<ReportHistoryEntry, 'data'> & { data: Report })[]> {
  return transport.json({ path: `/v1/reports/${encodeURIComponent(id)}/history`, signal })
}

/** Recomputes the report from its orders, with every figure that differs. */
export function reconcileReport(
  transport: Transport,
  id: string,
  { signal, ...query }: GetReportReconciliationQuery & Options = {},
): Promise<Reconciliation> {
  return transport.json({ path: `/v1/reports/${encodeURIComponent(id)}/reconciliation`, query, signal })
}

/** Lists the verdict on each report of some business days, by default the last 31. */
export function listReportChecks(
  transport: Transport,
  { signal, ...query }: ListReportChecksQuery & Options = {},
): List<ReportCheck, ReportCheckPage> {
  return listOf<ReportCheck, ReportCheckPage>(transport, '/v1/reports/checks/', query, signal)
}
