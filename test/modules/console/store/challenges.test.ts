import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepChallenge, takeChallenge } from '../../../../src/modules/console/store/passkeys.ts'
import { createDatabase } from '../../../support/database.ts'

const { pool } = await createDatabase()
const origin = 'https://pos.example'
const now = new Date('2026-11-28T12:00:00.000Z')
const challenge = (n: number) => ({
  hash: String(n).padStart(64, '0'),
  sessionId: null,
  origin,
  endsAt: new Date(now.getTime() + 60_000 + n),
})

test('if too many challenges wait, the oldest are dropped, so that everyone can still sign in', async () => {
  for (let n = 0; n < 30; n++) await keepChallenge(pool, challenge(n), 10)
  const [row] = await pool<{ n: number }[]>`select count(*)::int as n from console_challenges`
  assert.equal(row?.n, 10)
  assert.equal(await takeChallenge(pool, challenge(19), now), false)
  for (let n = 20; n < 30; n++) assert.equal(await takeChallenge(pool, challenge(n), now), true, `${n}`)
})
