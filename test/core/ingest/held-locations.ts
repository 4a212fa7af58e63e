import { type Pool, transact } from '../../../src/core/store/db/database.ts'
import { gate } from '../../support/waiting.ts'

/** Locks the location until the returned function is called. */
export async function hold(pool: Pool, locationId: string): Promise<() => Promise<unknown>> {
  const [locked, released] = [gate(), gate()]
  const holder = transact(pool, async (tx) => {
    await tx`select 1 from location_seq where location_id = ${locationId} for update`
    locked.open()
    await released.opened
  })
  await locked.opened
  return () => {
    released.open()
    return holder
  }
}

/** Counts the entries in the journal of a location. */
export async function countStored(pool: Pool, locationId: string): Promise<number> {
  const [row] = await pool<{ n: number }[]>`select last_seq as n from location_seq where location_id = ${locationId}`
  return row?.n ?? 0
}
