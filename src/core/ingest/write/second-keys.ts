import type { Transaction } from '../../store/db/database.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import type { RecordOutcome, Refused } from './decide.ts'
import type { Incoming } from '../records.ts'

/** Returns the second key of a record, if its resource has one. */
const keyOf = ({ type, facts }: Incoming): string | null => resourceOf(type).secondKey?.of(facts) ?? null

/** The ids that hold the second keys of a batch, both stored and from earlier records of the batch. */
export class SecondKeys {
  readonly #owners: Map<string, string>
  readonly #keys: Map<string, string>
  readonly #released = new Set<string>()

  constructor(owners: Map<string, string>) {
    this.#owners = owners
    this.#keys = new Map([...owners].map(([key, id]) => [id, key]))
  }

  /** Reads the keys that records name. The caller locks the head first, so that no key is assigned concurrently. */
  static async read(tx: Transaction, locationId: string, records: readonly Incoming[]): Promise<SecondKeys> {
    const keys = [...new Set(records.flatMap((record) => keyOf(record) ?? []))].toSorted()
    return new SecondKeys((await resourceOf('order').secondKey?.find(tx, locationId, keys)) ?? new Map())
  }

  /** Returns the refusal of a record whose second key belongs to another record. */
  refusal(record: Incoming): Refused | undefined {
    const key = keyOf(record)
    const owner = key === null ? undefined : this.#owners.get(key)
    if (owner === undefined || owner === record.id) return undefined
    const detail = `the source's ${record.type} is already stored with the id ${owner}: send it with that id`
    return {
      status: 'rejected',
      fault: { in: 'body', pointer: '/data/externalOrderId', code: 'external_id_taken', detail },
    }
  }

  /** Notes the second key of a stored record, which gives up its former one. */
  note(record: Incoming, { status }: RecordOutcome): void {
    if (status !== 'accepted') return
    const [key, former] = [keyOf(record), this.#keys.get(record.id)]
    if (former !== undefined && former !== key) {
      this.#owners.delete(former)
      this.#keys.delete(record.id)
      this.#released.add(record.id)
    }
    if (key === null) return
    this.#owners.set(key, record.id)
    this.#keys.set(record.id, key)
  }
  /** Frees the keys that stored records gave up since the last call. The caller then writes these records. */
  async release(tx: Transaction, locationId: string): Promise<void> {
    const ids = [...this.#released]
    this.#released.clear()
    if (ids.length > 0) await resourceOf('order').secondKey?.release(tx, locationId, ids)
  }
}
