import { idsOf, type KnownIds } from '../domain/known.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { toNamedOrder, type NamedOrder, type OtherReport, type ReportFacts } from '../domain/report-orders.ts'
import { kindsOf } from '../../../core/contract/money/payment-kinds.ts'
import type { CatalogList, CatalogPayment } from '../../../core/contract/catalog/schema.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import { rowsOfIds } from '../../../core/store/db/by-id.ts'
import type { Sql } from '../../../core/store/db/database.ts'

/**
 * Resolves to a text that changes with the known data: the journal numbers of the lists and of the location, its
 * currency, and its kinds of payment.
 */
export async function findKnownVersion(sql: Sql, locationId: string): Promise<string> {
  const rows = await sql<{ list: string; seq: string }[]>`
    select list, seq::text as seq from catalog where location_id = ${locationId}
    union all select currency || payment_kinds, seq::text from locations where id = ${locationId}`
  return rows
    .map(({ list, seq }) => `${list} ${seq}`)
    .toSorted()
    .join()
}

/**
 * Reads the data to which records of a location may refer, from its stored lists and settings. An empty list causes no
 * warnings.
 */
export async function readKnownIds(sql: Sql, locationId: string, nothing: KnownIds): Promise<KnownIds> {
  const [lists, locations] = await Promise.all([
    sql<{ list: CatalogList; document: string }[]>`
      select list, document from catalog where location_id = ${locationId} and list <> 'modifiers'`,
    sql<{ document: string; currency: string; paymentKinds: string }[]>`
      select document, currency, payment_kinds as "paymentKinds" from locations where id = ${locationId}`,
  ])
  const parts = [
    ...lists.map(({ list, document }) => idsOf(`catalog.${list}`, JSON.parse(document))),
    ...locations.map(({ document }) => idsOf('location', JSON.parse(document))),
    ...locations.map(({ currency, paymentKinds }) => {
      const byName = JSON.parse(paymentKinds) as KnownIds['paymentKinds']
      const catalog = lists.find(({ list }) => list === 'payments')?.document ?? '[]'
      const kindOf = kindsOf({ byName, catalog: JSON.parse(catalog) as CatalogPayment[] })
      return { money: moneyOf(currency), paymentKinds: byName, kindOf }
    }),
  ]
  return Object.assign({}, nothing, ...parts) as KnownIds
}

/**
 * Finds the stored orders with these ids, by id in lower case. It reads each document: it is called only for reports
 * and refunds, which are rare.
 */
export async function findNamedOrders(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
): Promise<Map<string, NamedOrder>> {
  const rows = await sql<{ id: string; document: string }[]>`
    select id, document from ${rowsOfIds(sql, 'orders', locationId, ids)}`
  return new Map(rows.map(({ id, document }) => [id, toNamedOrder(JSON.parse(document) as Order)]))
}

/** How long after its close a report may be created. */
const createdWithinMs = 86_400_000

/** The last moment that a document can contain: PostgreSQL does not read years of five digits as they are written. */
const lastMs = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Lists other reports to compare: the newest ones with the same number, and those created between its start and a day
 * after its end.
 */
export async function listOtherReports(sql: Sql, locationId: string, report: ReportFacts): Promise<OtherReport[]> {
  const until = new Date(Math.min(Date.parse(report.finalizedAt) + createdWithinMs, lastMs))
  const found = await Promise.all([
    sql<{ document: string }[]>`
      select document from reports where location_id = ${locationId} and number = ${report.reportNumber}
      order by created_at desc limit 20`,
    sql<{ document: string }[]>`
      select document from reports where location_id = ${locationId}
        and created_at > ${new Date(report.startedAt)} and created_at <= ${until}
      order by created_at limit 20`,
  ])
  return found.flat().map(({ document }) => JSON.parse(document) as OtherReport)
}
