import { hash } from 'node:crypto'
import { moneyOf } from '../money/currency.ts'
import type { MoneyRules } from '../money/paid.ts'
import { kindsOf } from '../money/payment-kinds.ts'
import type { CatalogPayment } from '../catalog/schema.ts'
import type { LocationSettings } from './schema.ts'
import { dataParts } from '../../modules.ts'
import type { Sql } from '../../store/db/database.ts'

declare module '../../modules.ts' {
  interface ModuleData {
    /** Names of payments that are cash at a location. */
    cashNames?(sql: Sql, locationId: string): Promise<string[]>
  }
}

type Settings = Pick<LocationSettings, 'currency' | 'paymentKinds'>

async function listPayments(sql: Sql, locationId: string): Promise<CatalogPayment[]> {
  const [row] = await sql<{ document: string }[]>`
    select document from catalog where location_id = ${locationId} and list = 'payments'`
  return row ? (JSON.parse(row.document) as CatalogPayment[]) : []
}

/** Lists names of payments that modules know to be cash, such as those of the accounts of the books. */
async function listCashNames(sql: Sql, locationId: string): Promise<string[]> {
  const names = await Promise.all(dataParts().map(async (part) => part.cashNames?.(sql, locationId) ?? []))
  return names.flat()
}

/** Maps payment names to kinds. A name that a module knows to be cash is cash, unless the location's setting says otherwise. */
async function readKindsByName(
  sql: Sql,
  locationId: string,
  paymentKinds: Settings['paymentKinds'],
): Promise<Settings['paymentKinds']> {
  const cash = await listCashNames(sql, locationId)
  return { ...Object.fromEntries(cash.map((name) => [name, 'cash' as const])), ...paymentKinds }
}

/** Reads the currency of a location and the kinds of its payments, by its current settings and catalog. */
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
 * Returns a short text that changes with the rules: the currency, and hashes of the settings and of the catalog's
 * kinds. Begins with the part that `listLagging` compares.
 */
export async function readMoneyVersion(
  sql: Sql,
  locationId: string,
  { currency, paymentKinds }: Settings,
): Promise<string> {
  const [catalog, cash] = await Promise.all([listPayments(sql, locationId), listCashNames(sql, locationId)])
  const kinds = [...catalog.flatMap(({ id, name, kind }) => (kind ? [[id, name, kind]] : [])), ...cash]
  return `${currency} ${hash('md5', JSON.stringify(paymentKinds))} ${hash('md5', JSON.stringify(kinds))}`
}

/** Returns a hash of the names of the catalog's payments; tips are summed by these names. */
export async function readPaymentNamesVersion(sql: Sql, locationId: string): Promise<string> {
  const catalog = await listPayments(sql, locationId)
  return hash('md5', JSON.stringify(catalog.map(({ id, name }) => [id, name])))
}
