import { LRUCache } from 'lru-cache'
import { findLocation } from '../contract/location/rows.ts'
import { readMoneyRules } from '../contract/location/money-rules.ts'
import { usualRules, type MoneyRules } from '../contract/money/paid.ts'
import type { Pool } from '../store/db/database.ts'
import type { Incoming, Warns } from './records.ts'

/** Looks at the records of one push. */
export type PushWatch = Warns & {
  /** Adds warnings that a record alone does not show. Called after the commit; never rejects. */
  compare(records: readonly Incoming[]): Promise<void>
  /** Keeps the warnings of a batch, of which `accepted` were new. Never rejects. */
  keep(keyId: string | null, records: readonly Incoming[], accepted: readonly Incoming[]): Promise<void>
  /** The push has come to its end. */
  end(): void
}

export type PushKind = { dryRun?: boolean; isHistory?: boolean }

/** Prepares what looks at the records of a push: a module that warns, or `RulesOnly`. */
export type Watcher = { begin(locationId: string, push: PushKind): Promise<PushWatch> }

/** Milliseconds for which the rules of a location are remembered: its settings change seldom. */
const rememberedMs = 5_000

/** Warns of nothing: a push has the money rules of its location. */
export class RulesOnly implements Watcher {
  readonly #pool: Pool
  readonly #rules = new LRUCache<string, MoneyRules>({ max: 1_000, ttl: rememberedMs })

  constructor(pool: Pool) {
    this.#pool = pool
  }

  async begin(locationId: string): Promise<PushWatch> {
    return {
      rules: this.#rules.get(locationId) ?? (await this.#read(locationId)),
      warn: () => [],
      compared: () => undefined,
      warnOfEntry: () => [],
      compare: async () => {},
      keep: async () => {},
      end: () => {},
    }
  }

  async #read(locationId: string): Promise<MoneyRules> {
    const location = await findLocation(this.#pool, locationId)
    if (!location) return usualRules
    const rules = await readMoneyRules(this.#pool, locationId, location)
    this.#rules.set(locationId, rules)
    return rules
  }
}
