import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { refundFacts, type RefundFacts } from '../domain/refunds.ts'

/** Maximum number of refunds that are added up; a sale has only a few. */
const refundsRead = 1_000

/** Lists the refunds of these sales that count; ids in lower case. Index: orders_refunds. */
export async function listRefunds(sql: Sql, locationId: string, sales: readonly string[]): Promise<RefundFacts[]> {
  const rows = await sql<{ document: string }[]>`
    select document from orders
    where location_id = ${locationId} and strpos(document, '"refundOf":"') > 0
      and lower(substring(document from '"refundOf":"([^"]+)"')) = any(${[...sales]}::text[])
    limit ${refundsRead}`
  return rows.map(({ document }) => refundFacts(JSON.parse(document) as Order)).filter((refund) => refund !== undefined)
}
