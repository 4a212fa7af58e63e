import assert from 'node:assert/strict'
import { randomOf } from '../../../simulator/random.ts'
import { findPull } from '../../../src/modules/sources/adapters/all.ts'
import type { Pull } from '../../../src/modules/sources/adapters/pull.ts'
import type { LiveSource } from '../../../src/modules/sources/schemas/sources.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { addLocation } from '../../support/app.ts'
import { FakeLightspeedK } from './fake-lightspeed-k.ts'
import { FakeLoyverse } from './fake-loyverse.ts'
import { FakeSquare } from './fake-square.ts'
import { FakeSumUp } from './fake-sumup.ts'
import { FakeToast } from './fake-toast.ts'
import { startFake, VirtualClock, type FakeShop } from './faults.ts'
import { inOrder, pollOf, recordsOf } from './polled.ts'

const hourMs = 3_600_000

type Fake = FakeShop & { account: string; settle(): void }

export const fakes: Record<LiveSource, (seed: number, clock: VirtualClock) => Fake> = {
  square: (seed, clock) => new FakeSquare(seed, clock),
  toast: (seed, clock) => new FakeToast(seed, clock),
  sumup: (seed, clock) => new FakeSumUp(seed, clock),
  loyverse: (seed, clock) => new FakeLoyverse(seed, clock),
  'lightspeed-k': (seed, clock) => new FakeLightspeedK(seed, clock),
}

/** Number of runs per seed in which the shop is active and every kind of fault occurs. */
const faultyRuns = 14

/**
 * Runs a shop whose system fails at random, and a poller that is killed at random points. After the last fault,
 * Tillgate must have the records of all the shop's documents.
 */
export async function checkSeed(pool: Pool, adapter: LiveSource, seed: number): Promise<Map<string, number>> {
  const clock = new VirtualClock('2026-03-27T11:00:00.000Z')
  const shop = fakes[adapter](seed, clock)
  const random = randomOf('days', seed)
  const fake = await startFake(shop, { seed, clock, isLogin: ({ path }) => path.includes('login') })
  const locationId = await addLocation(pool, undefined, {
    timeZone: 'Europe/London',
    currency: 'GBP',
    dayStartsAt: '04:00',
  })
  const skewMs = random.pick([0, 0, 180_000, -120_000])
  const { account } = shop
  const secretOf = (token: string) => (adapter === 'toast' ? `client:${token}` : token)
  const polled = await pollOf(pool, { adapter, account, locationId, fake, clock, seed, skewMs, secretOf })
  try {
    for (let i = 0; i < faultyRuns; i++) {
      for (let sold = random.int(0, 6); sold > 0; sold--) {
        clock.advance(random.int(0, 20) * 60_000)
        shop.act()
      }
      await polled.run({ mayDie: true })
      clock.advance(random.chance(0.2) ? random.int(1, 20) * hourMs : random.int(5, 15) * 60_000)
    }
    shop.settle()
    fake.calm()
    // After 25 hours, leases and delays have ended, and the next run reads as far back as `overlapMs.daily`.
    for (let i = 0; i < 3; i++) {
      clock.advance(25 * hourMs)
      assert.equal(await polled.run(), 'done', String((await polled.find()).lastError))
    }
    const expected = inOrder(recordsOf(findPull(adapter) as Pull, shop.state(), { locationId, account }))
    assert.ok(expected.size > 0)
    const stored = inOrder(await polled.stored())
    // Sales that the point-of-sale system deleted after they were stored are canceled in Tillgate.
    for (const [id, order] of stored) if (!expected.has(id) && order.isCanceled) stored.delete(id)
    assert.deepEqual(stored, expected)
    return fake.faults
  } catch (error) {
    throw new Error(`${adapter}, seed ${seed}: ${(error as Error).message}`, { cause: error })
  } finally {
    await fake.close()
    await polled.close()
  }
}
