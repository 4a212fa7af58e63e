import { hash } from 'node:crypto'
import { moneyOf } from '../../domain/money/currency.ts'
import type { MoneyRules } from '../../domain/money/paid.ts'
import { kindsOf } from '../../domain/money/payment-kinds.ts'
import type { CatalogPayment } from '../../schemas/catalog.ts'
import type { LocationSettings } from '../../schemas/locations.ts'
import type { Sql } from '../db/database.ts'

type Settings = Pick<LocationSettings, 'currency' | 'paymentKinds'>

/** The stored catalog of payments. */
async function listPayments(sql: Sql, locationId: string): Promise<CatalogPayment[]> {
  const [row] = await sql<{ document: string }[]>`
    select document from catalog where location_id = ${locationId} and list = 'payments'`
  return row ? (JSON.parse(row.document) as CatalogPayment[]) : []
}

/** Reads the currency of a location and what its payments are, as its settings and its catalog say now. */
export async function readMoneyRules(
  sql: Sql,
  locationId: string,
  { currency, paymentKinds }: Settings,
): Promise<MoneyRules> {
  const catalog = await listPayments(sql, locationId)
  return { money: moneyOf(currency), kindOf: kindsOf({ byName: paymentKinds, catalog }) }
}

/**
 * Names the rules in a few characters without blanks between them: currency, settings and the kinds of the catalog. It begins with
 * what `listLagging` knows of it.
 */
export async function readMoneyVersion(
  sql: Sql,
  locationId: string,
  { currency, paymentKinds }: Settings,
): Promise<string> {
  const kinds = (await listPayments(sql, locationId)).flatMap(({ id, name, kind }) => (kind ? [[id, name, kind]] : []))
  return `${currency} ${hash('md5', JSON.stringify(paymentKinds))} ${hash('md5', JSON.stringify(kinds))}`
}
