import type { CatalogProduct } from '../../schemas/catalog.ts'
import type { RecordType } from '../../schemas/resources.ts'
import type { Warning, WarningCode } from '../../schemas/warnings.ts'
import type { Delay } from './delays.ts'

/** Ids in lower case of what a location has stored; null where it has stored none, which warns of nothing. */
export type KnownIds = {
  /** Prices in cents by product. */
  products: ReadonlyMap<string, readonly number[]> | null
  taxes: ReadonlySet<string> | null
  payments: ReadonlySet<string> | null
  devices: ReadonlySet<string> | null
}

export const nothingKnown: KnownIds = { products: null, taxes: null, payments: null, devices: null }

/**
 * What the rules are asked with: what is known of the location, the moment of the push in milliseconds, and what the
 * device pushed before, when it was always as late.
 */
export type Circumstances = { known: KnownIds; nowMs: number; delayOf?: (deviceId: string) => Delay | undefined }

/** The largest number of warnings for one record. */
const warningLimit = 20

/** The warnings of one record, as the rules give them. */
export class Warnings {
  readonly list: Warning[] = []

  add(pointer: string, code: WarningCode, detail: string): void {
    if (this.list.length < warningLimit) this.list.push({ pointer: `/data${pointer}`, code, detail })
  }
}

/** By how much a till's clock may be ahead without a warning. */
const clockMs = 10 * 60_000

/** The times that lie ahead, by their whole hours where a zone explains them. Absent times are passed over. */
export function warnOfTimes(
  found: Warnings,
  record: Readonly<Record<string, unknown>>,
  names: readonly string[],
  nowMs: number,
): void {
  for (const name of names) {
    const text = record[name]
    // Times in this form are in order as text is; years before 0 and after 9999 do not pass the schema.
    if (typeof text !== 'string') continue
    const aheadMs = Date.parse(text) - nowMs
    if (aheadMs <= clockMs) continue
    const minutes = Math.round(aheadMs / 60_000)
    found.add(`/${name}`, 'time_ahead', `${name} is ${minutes} minutes ahead of now: it must be UTC, not local time`)
  }
}

type Identified = { id: string }

const setOf = (entries: readonly Identified[]): Set<string> | null =>
  entries.length === 0 ? null : new Set(entries.map(({ id }) => id.toLowerCase()))

/** What a stored or pushed record makes known; nothing for records of other types. */
export function idsOf(type: RecordType, data: unknown): Partial<KnownIds> {
  switch (type) {
    case 'catalog.products': {
      const products = data as CatalogProduct[]
      const prices = products.map(
        ({ id, priceList }) => [id.toLowerCase(), priceList.map(({ unitPrice }) => unitPrice)] as const,
      )
      return { products: products.length === 0 ? null : new Map(prices) }
    }
    case 'catalog.taxes':
      return { taxes: setOf(data as Identified[]) }
    case 'catalog.payments':
      return { payments: setOf(data as Identified[]) }
    case 'location': {
      // A push without devices leaves them as they are.
      const { deviceList } = data as { deviceList?: Identified[] }
      return deviceList === undefined ? {} : { devices: setOf(deviceList) }
    }
    default:
      return {}
  }
}
