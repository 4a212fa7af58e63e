import type { CatalogPayment, CatalogProduct, CatalogTax } from '../../../core/contract/catalog/schema.ts'
import type { Device } from '../../../core/contract/location/schema.ts'
import type { RecordType } from '../../../core/contract/resources.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import type { WarningCode } from '../schemas/warnings.ts'
import type { Delay } from './delays.ts'
import { usualRules, type MoneyRules } from '../../../core/contract/money/paid.ts'
import { kindsOf } from '../../../core/contract/money/payment-kinds.ts'
import type { PaymentKind } from '../../../core/contract/money/payment-kinds-schema.ts'
import type { Sightings } from './sightings.ts'

export type KnownProduct = {
  name: string
  /** Every price of the product, in minor units. */ prices: readonly number[]
}

/**
 * The stored data of a location, by id in lower case; null if none is stored, which causes no warnings. Taxes are
 * hundredths of a percent, payments and devices are names.
 */
export type KnownIds = {
  products: ReadonlyMap<string, KnownProduct> | null
  taxes: ReadonlyMap<string, number> | null
  payments: ReadonlyMap<string, string> | null
  devices: ReadonlyMap<string, string> | null
  /** The kinds of payment in the location's settings, by name. */
  paymentKinds: Readonly<Record<string, PaymentKind>>
} & MoneyRules

export const nothingKnown: KnownIds = {
  products: null,
  taxes: null,
  payments: null,
  devices: null,
  paymentKinds: {},
  // A getter, because a spread would create the currency at every start.
  get money() {
    return usualRules.money
  },
  kindOf: usualRules.kindOf,
}

/**
 * The input of the rules: the stored data of the location, the time of the push in milliseconds, the constant delay of
 * each device's last pushes, if any, and recent pushes.
 */
export type Circumstances = {
  known: KnownIds
  nowMs: number
  /** Whether the pushed records are current sales, according to the till. */
  isLive?: boolean
  delayOf?: (deviceId: string) => Delay | undefined
  sightings?: Sightings
}

/** A record has at most this many warnings. */
const warningLimit = 20

/** Collects the warnings of one record, as the rules give them. */
export class Warnings {
  readonly list: Warning[] = []

  add(pointer: string, code: WarningCode, detail: string): void {
    if (this.list.length < warningLimit) this.list.push({ pointer: `/data${pointer}`, code, detail })
  }
}

/** Maps entries by id; the last one of an id counts. */
function mapOf<T extends { id: string }, V>(entries: readonly T[], of: (entry: T) => V): Map<string, V> | null {
  return entries.length === 0 ? null : new Map(entries.map((entry) => [entry.id.toLowerCase(), of(entry)]))
}

/** Returns whether a record of this type can change the known data of its location. */
export const makesKnown = (type: RecordType): boolean => type === 'location' || type.startsWith('catalog.')

/** Returns the known data in a stored or pushed record; empty for other types. */
export function idsOf(type: RecordType, data: unknown): Partial<KnownIds> {
  switch (type) {
    case 'catalog.products': {
      const known = ({ name, priceList }: CatalogProduct) => ({
        name,
        prices: priceList.map((price) => price.unitPrice),
      })
      return { products: mapOf(data as CatalogProduct[], known) }
    }
    case 'catalog.taxes':
      return { taxes: mapOf(data as CatalogTax[], ({ percentage }) => percentage) }
    case 'catalog.payments':
      return { payments: mapOf(data as CatalogPayment[], ({ name }) => name) }
    case 'location': {
      // A push without devices leaves them unchanged.
      const { deviceList } = data as { deviceList?: Device[] }
      return deviceList === undefined ? {} : { devices: mapOf(deviceList, ({ name }) => name) }
    }
    default:
      return {}
  }
}

/** Returns the known data as it is after this record. */
export function knowing(known: KnownIds, type: RecordType, data: unknown): KnownIds {
  const next = { ...known, ...idsOf(type, data) }
  if (type !== 'catalog.payments') return next
  return { ...next, kindOf: kindsOf({ byName: known.paymentKinds, catalog: data as CatalogPayment[] }) }
}

const both = <V>(one: ReadonlyMap<string, V> | null, other: ReadonlyMap<string, V> | null) =>
  other === null ? one : new Map([...(one ?? []), ...other])

/** Returns the known data as it is after one entry of a list; `type` is the type of the list. */
export function knowingOneMore(known: KnownIds, type: RecordType, entry: unknown): KnownIds {
  const { products, taxes, payments, devices } = idsOf(type, type === 'location' ? { deviceList: [entry] } : [entry])
  if (products) return { ...known, products: both(known.products, products) }
  if (taxes) return { ...known, taxes: both(known.taxes, taxes) }
  if (devices) return { ...known, devices: both(known.devices, devices) }
  return payments ? { ...known, payments: both(known.payments, payments) } : known
}
