import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { hashKey, newKey } from '../../../src/core/domain/accounts/keys.ts'
import { AppError } from '../../../src/core/contract/errors/errors.ts'
import { KeyRing } from '../../../src/core/http/guard/key-ring.ts'
import { Lookups, type LookupOptions } from '../../../src/core/http/guard/lookups.ts'
import { revokeApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { addKey, addLocation } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'

const { pool } = await createDatabase()
const location = await addLocation(pool)
const clock = () => new Date('2026-03-01T10:00:00.000Z')

/** Returns the pool with a hook for each look-up of a key. */
function watched(onLookUp: () => Promise<never> | undefined): Pool {
  return new Proxy(pool, {
    apply(target, self, args: unknown[]) {
      const [texts] = args
      const isLookUp = Array.isArray(texts) && texts.join('').includes('from api_keys where hash')
      return (isLookUp ? onLookUp() : undefined) ?? (Reflect.apply(target, self, args) as unknown)
    },
  })
}

/** Returns a key ring with a clock that the test advances, and a counter of its look-ups. */
function ringOf(options: LookupOptions = {}) {
  const time = { ms: 1_000_000 }
  let lookUps = 0
  const counting = watched(() => {
    lookUps += 1
    return undefined
  })
  const ring = new KeyRing(counting, clock, { monotonic: () => time.ms, ...options })
  return { ring, time, lookUps: () => lookUps }
}

const refused = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

/** Resolves to the code of the refusal of a key, or to `admitted`. */
async function fate(ring: KeyRing, key: string): Promise<string> {
  try {
    await ring.authenticate(key)
    return 'admitted'
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.code
  }
}

test('concurrent requests with one key share one look-up, which is valid for three seconds', async () => {
  const { ring, time, lookUps } = ringOf()
  const { key } = await addKey(pool, location)
  await Promise.all(Array.from({ length: 50 }, async () => ring.authenticate(key)))
  assert.equal(lookUps(), 1)
  time.ms += 2_999
  assert.ok(!(ring.authenticate(key) instanceof Promise))
  time.ms += 1
  await ring.authenticate(key)
  assert.equal(lookUps(), 2)
})

test('setting the machine’s clock does not change how long a key stays cached', async (t) => {
  const ring = new KeyRing(pool, clock)
  const { key } = await addKey(pool, location)
  await ring.authenticate(key)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  assert.ok(!(ring.authenticate(key) instanceof Promise), 'an hour later by that clock it is known still')
})

test('thousands of unknown keys do not displace a valid one', async () => {
  const { ring, lookUps } = ringOf({ unknownPerSecond: 0 })
  const { key } = await addKey(pool, location)
  await ring.authenticate(key)
  for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 1_000 }, () => fate(ring, newKey('test'))))
  assert.equal(lookUps(), 12_001)
  assert.ok(!(ring.authenticate(key) instanceof Promise), 'the good key is still there')
})

test('ten thousand keys are cached, and one more evicts the least recently used', async () => {
  const lookups = new Lookups(async (hash) => ({ hash }), { monotonic: () => 0 })
  for (let n = 0; n < 10_000; n++) await lookups.lookUp(String(n))
  assert.deepEqual(lookups.fresh('0'), { hash: '0' })
  await lookups.lookUp('one more')
  assert.deepEqual([lookups.fresh('0'), lookups.fresh('1')], [{ hash: '0' }, undefined])
})

test('unknown keys have a budget of look-ups, which known keys do not use', async () => {
  const { ring, time, lookUps } = ringOf({ unknownPerSecond: 10 })
  const [seen, unseen] = [await addKey(pool, location), await addKey(pool, location)]
  await ring.authenticate(seen.key)
  const fates: string[] = []
  for (let i = 0; i < 30; i++) fates.push(await fate(ring, newKey('test')))
  assert.deepEqual(fates, [...Array(10).fill('key_unknown'), ...Array(20).fill('rate_limited')])
  assert.equal(lookUps(), 11)
  time.ms += 2_999
  assert.equal(await fate(ring, seen.key), 'admitted')
  time.ms += 1
  for (let i = 0; i < 30; i++) await fate(ring, newKey('test'))
  assert.equal(await fate(ring, seen.key), 'admitted', 'one that was seen is looked up all the same')
  assert.equal(await fate(ring, unseen.key), 'rate_limited')
  time.ms += 3_000
  assert.equal(await fate(ring, unseen.key), 'admitted')
})

test('of a burst of unknown keys 500 are looked up at once, and the others get 429', async () => {
  const { ring, lookUps } = ringOf({ unknownPerSecond: 1 })
  const { key } = await addKey(pool, location)
  await ring.authenticate(key)
  const fates = await Promise.all(Array.from({ length: 600 }, () => fate(ring, newKey('test'))))
  const waiting = fates.filter((one) => one === 'rate_limited').length
  assert.deepEqual([fates.filter((one) => one === 'key_unknown').length, waiting, lookUps()], [500, 100, 501])
  assert.ok(!(ring.authenticate(key) instanceof Promise))
})

test('valid keys that return all at once after a restart do not use the budget', async () => {
  const { ring } = ringOf({ unknownPerSecond: 1 })
  const keys = await Promise.all(Array.from({ length: 40 }, () => addKey(pool, location)))
  const fates = await Promise.all(keys.map(({ key }) => fate(ring, key)))
  assert.deepEqual([...new Set(fates)], ['admitted'])
})

test('an unknown key that is sent again is refused without a look-up, and accepted if it was created meanwhile', async () => {
  const { ring, time, lookUps } = ringOf()
  const key = newKey('test')
  assert.equal(await fate(ring, key), 'key_unknown')
  assert.equal(await fate(ring, key), 'key_unknown')
  assert.equal(lookUps(), 1)
  const { id } = await addKey(pool, location)
  await pool`update api_keys set hash = ${hashKey(key)} where id = ${id}`
  time.ms += 3_001
  assert.equal(await fate(ring, key), 'admitted')
})

test('a key that is checked again is refused if it was revoked, deleted or expired meanwhile', async () => {
  for (const [code, end] of [
    ['key_revoked', (id: string) => revokeApiKey(pool, id, clock())],
    ['key_expired', (id: string) => pool`update api_keys set expires_at = ${clock()} where id = ${id}`],
    ['key_unknown', (id: string) => pool`delete from api_keys where id = ${id}`],
  ] as const) {
    const { ring, time } = ringOf()
    const { id, key } = await addKey(pool, location)
    const admitted = await ring.authenticate(key)
    await end(id)
    await ring.confirm(admitted)
    time.ms += 3_000
    await assert.rejects(async () => ring.confirm(admitted), refused(code))
  }
})

test('a failed look-up is retried by the next request', async () => {
  const { key } = await addKey(pool, location)
  let broken = true
  const failing = watched(() => (broken ? Promise.reject(new Error('away')) : undefined))
  const ring = new KeyRing(failing, clock, { unknownPerSecond: 1 })
  for (let i = 0; i < 5; i++) await assert.rejects(async () => ring.authenticate(key), /away/)
  broken = false
  assert.equal((await ring.authenticate(key)).locationId, location)
})

test('the last use of a key is written, and text that is not a key is ignored', async () => {
  const { ring } = ringOf()
  const { id, key } = await addKey(pool, location)
  await ring.authenticate(key)
  await fate(ring, newKey('test'))
  await ring.flush()
  const [row] = await pool<{ lastUsedAt: Date }[]>`select last_used_at as "lastUsedAt" from api_keys where id = ${id}`
  assert.deepEqual(row?.lastUsedAt, clock())
  assert.equal((await pool`select 1 from api_keys where id = ${randomUUID()}`).length, 0)
})
