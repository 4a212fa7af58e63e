import type { CatalogPayment } from '../contract/catalog/schema.ts'
import { findLocation } from '../contract/location/rows.ts'
import { readMoneyRules } from '../contract/location/money-rules.ts'
import { usualRules } from '../contract/money/paid.ts'
import { kindsOf } from '../contract/money/payment-kinds.ts'
import type { Pool } from '../store/db/database.ts'
import type { Incoming, Warns } from './records.ts'

/** Checks the records of one push. */
export type PushWatch = Warns & {
  /** Adds the warnings that follow from a comparison with other records. Called after the commit; never rejects. */
  compare(records: readonly Incoming[]): Promise<void>
  /** Stores the warnings of a batch, of which the `accepted` records were new. Never rejects. */
  keep(keyId: string | null, records: readonly Incoming[], accepted: readonly Incoming[]): Promise<void>
  /** Called at the end of the push. */
  end(): void
}

export type PushKind = { dryRun?: boolean; isHistory?: boolean }

/** Starts the check of a push's records: a module that warns, or `RulesOnly`. */
export type Watcher = {
  begin(locationId: string, push: PushKind): Promise<PushWatch>
  /** Forgets the location's data and settings, which changed. */
  forget?(locationId: string): void
}

/** Gives no warnings. Provides a push with the money rules of its location, including payments of catalogs in the push. */
export class RulesOnly implements Watcher {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async begin(locationId: string): Promise<PushWatch> {
    const location = await findLocation(this.#pool, locationId)
    let rules = location ? await readMoneyRules(this.#pool, locationId, location) : usualRules
    const byName = location?.paymentKinds ?? {}
    return {
      get rules() {
        return rules
      },
      warn(type, data) {
        if (type === 'catalog.payments')
          rules = { ...rules, kindOf: kindsOf({ byName, catalog: data as CatalogPayment[] }) }
        return []
      },
      compared: () => undefined,
      warnOfEntry: () => [],
      compare: async () => {},
      keep: async () => {},
      end: () => {},
    }
  }
}
