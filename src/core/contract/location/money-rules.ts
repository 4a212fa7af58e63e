import { hash } from 'node:crypto'
import { cashNamesOf } from '../../../modules/books/domain/accounts.ts'
import { moneyOf } from '../money/currency.ts'
import type { MoneyRules } from '../money/paid.ts'
import { kindsOf } from '../money/payment-kinds.ts'
import type { CatalogPayment } from '../catalog/schema.ts'
import type { LocationSettings } from './schema.ts'
import { getBookAccounts } from '../../../modules/books/store/book-accounts.ts'
import type { Sql } from '../../store/db/database.ts'

type Settings = Pick<LocationSettings, 'currency' | 'paymentKinds'>

/** The stored catalog of payments. */
async function listPayments(sql: Sql, locationId: string): Promise<CatalogPayment[]> {
  const [row] = await sql<{ document: string }[]>`
    select document from catalog where location_id = ${locationId} and list = 'payments'`
  return row ? (JSON.parse(row.document) as CatalogPayment[]) : []
}

/** Kinds of payments by name: what the books of the location call cash is cash, unless its setting says otherwise. */
async function readKindsByName(
  sql: Sql,
  locationId: string,
  paymentKinds: Settings['paymentKinds'],
): Promise<Settings['paymentKinds']> {
  const { own } = await getBookAccounts(sql, locationId)
  return { ...Object.fromEntries(cashNamesOf(own).map((name) => [name, 'cash' as const])), ...paymentKinds }
}

/** Reads the currency of a location and what its payments are, as its settings and its catalog say now. */
export async function readMoneyRules(
  sql: Sql,
  locationId: string,
  { currency, paymentKinds }: Settings,
): Promise<MoneyRules> {
  const [catalog, byName] = await Promise.all([
    listPayments(sql, locationId),
    readKindsByName(sql, locationId, paymentKinds),
  ])
  const names = new Map(catalog.map(({ id, name }) => [id.toLowerCase(), name.normalize()]))
  return {
    money: moneyOf(currency),
    kindOf: kindsOf({ byName, catalog }),
    nameOf: (id) => names.get(id.toLowerCase()),
  }
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
  const [catalog, { own }] = await Promise.all([listPayments(sql, locationId), getBookAccounts(sql, locationId)])
  const kinds = [...catalog.flatMap(({ id, name, kind }) => (kind ? [[id, name, kind]] : [])), ...cashNamesOf(own)]
  return `${currency} ${hash('md5', JSON.stringify(paymentKinds))} ${hash('md5', JSON.stringify(kinds))}`
}

/** Names the payments of the catalog in a few characters: by their names tips are told apart. */
export async function readPaymentNamesVersion(sql: Sql, locationId: string): Promise<string> {
  const catalog = await listPayments(sql, locationId)
  return hash('md5', JSON.stringify(catalog.map(({ id, name }) => [id, name])))
}
