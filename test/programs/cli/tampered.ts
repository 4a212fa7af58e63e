import assert from 'node:assert/strict'
import { type Sql, type Pool, transact } from '../../../src/core/store/db/database.ts'
import { idOf } from '../../support/records.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'

export const deviceStatus = {
  type: 'device.status',
  data: {
    deviceId: idOf('device', 1),
    at: '2026-03-14T20:00:00.000Z',
    completeUntil: '2026-03-14T20:00:00.000Z',
    lastNumber: 3,
  },
}

/** Changes the database as only its administrator could; `locationOf` names the location to verify. */
export function tamperer(pool: Pool, locationOf: () => string) {
  /** Finds the fault after a change that is rolled back, so that each change is tested separately. */
  async function faultAfter(
    change: (sql: Pool) => Promise<unknown>,
    find: (sql: Sql, locationId: string) => Promise<string | undefined>,
  ): Promise<string> {
    const undone = new Error('undone')
    let reason = ''
    await transact(pool, async (tx) => {
      await change(tx as never)
      reason = (await find(tx, locationOf())) ?? ''
      throw undone
    }).catch((error: unknown) => assert.equal(error, undone))
    return reason
  }

  /** Checks that a location with 20 entries verifies, changes it, and resolves to the new verdict. */
  async function after(tamper: () => Promise<unknown>) {
    assert.deepEqual(await verifyLocation(pool, locationOf()), { entries: 20, verified: true })
    await tamper()
    const verdict = await verifyLocation(pool, locationOf())
    assert.equal(verdict.verified, false)
    return verdict as Extract<typeof verdict, { verified: false }>
  }
  return { faultAfter, after }
}
