import type { Transaction } from '../../store/db/database.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import type { RecordOutcome, Refused } from './decide.ts'
import type { Incoming } from '../records.ts'

/** The second key of a record, where its resource has any. */
const keyOf = ({ type, facts }: Incoming): string | null => resourceOf(type).secondKey?.of(facts) ?? null

/** Which ids the second keys of a batch are of, stored ones and those of records before in it. */
export class SecondKeys {
  readonly #owners: Map<string, string>

  constructor(owners: Map<string, string>) {
    this.#owners = owners
  }

  /** Asks for those that records name. The caller takes the head before, so that nobody takes one meanwhile. */
  static async read(tx: Transaction, locationId: string, records: readonly Incoming[]): Promise<SecondKeys> {
    const keys = [...new Set(records.flatMap((record) => keyOf(record) ?? []))].toSorted()
    return new SecondKeys((await resourceOf('order').secondKey?.find(tx, locationId, keys)) ?? new Map())
  }

  /** The refusal of a record whose key another one has. */
  refusal(record: Incoming): Refused | undefined {
    const key = keyOf(record)
    const owner = key === null ? undefined : this.#owners.get(key)
    if (owner === undefined || owner === record.id) return undefined
    const detail = `this ${record.type} of its source is already stored with the id ${owner}: send it with that id`
    return {
      status: 'rejected',
      fault: { in: 'body', pointer: '/data/externalOrderId', code: 'external_id_taken', detail },
    }
  }

  /** Notes what was stored. */
  note(record: Incoming, { status }: RecordOutcome): void {
    const key = keyOf(record)
    if (key !== null && status === 'accepted') this.#owners.set(key, record.id)
  }
}
