import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  appendAccess,
  findAccessFault,
  findAccessHead,
  listAccess,
  recordAct,
} from '../../../../src/core/store/accounts/access.ts'
import { addLocation } from '../../../support/app.ts'
import { createDatabase } from '../../../support/database.ts'
import { dayMs } from '../../../../src/core/domain/days/time-units.ts'

const { pool } = await createDatabase()
const now = new Date('2026-03-01T10:00:00.000Z')

async function filled(n: number): Promise<string> {
  const location = await addLocation(pool)
  for (let i = 0; i < n; i++) {
    const at = new Date(now.getTime() + i * dayMs)
    await recordAct(pool, location, { act: 'key.created', by: 'cli', subject: String(i) }, at)
  }
  return location
}

const all = { after: 0, since: null, limit: 10_000 }

describe('the access log', () => {
  test('is numbered without gaps, also when many write at once', async () => {
    const location = await addLocation(pool)
    const acts = Array.from({ length: 30 }, (_, i) =>
      recordAct(pool, location, { act: 'webhook.created', by: 'cli', subject: String(i) }, now),
    )
    await Promise.all(acts)
    const entries = await listAccess(pool, location, all)
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      Array.from({ length: 30 }, (_, i) => i + 1),
    )
    assert.equal(await findAccessFault(pool, location), undefined)
  })

  test('never goes back in time, whatever the clocks show', async () => {
    const location = await addLocation(pool)
    for (const at of [now, new Date(now.getTime() - dayMs), new Date(now.getTime() + 1)]) {
      await recordAct(pool, location, { act: 'key.created', by: 'cli', subject: null }, at)
    }
    const times = (await listAccess(pool, location, all)).map(({ at }) => at.getTime() - now.getTime())
    assert.deepEqual(times, [0, 0, 1])
    assert.equal(await findAccessFault(pool, location), undefined)
  })

  const tamperings: [what: string, (location: string) => Promise<unknown>, sequence: number][] = [
    [
      'changed',
      (l) =>
        pool`update access_entries set document = replace(document, '"2"', '"9"') where location_id = ${l} and seq = 3`,
      3,
    ],
    [
      'set to another time',
      (l) => pool`update access_entries set at = ${new Date(0)} where location_id = ${l} and seq = 2`,
      2,
    ],
    ['removed', (l) => pool`delete from access_entries where location_id = ${l} and seq = 3`, 3],
    ['removed at the end', (l) => pool`delete from access_entries where location_id = ${l} and seq = 5`, 4],
    ['removed at the beginning', (l) => pool`delete from access_entries where location_id = ${l} and seq = 1`, 1],
    ['removed completely', (l) => pool`delete from access_entries where location_id = ${l}`, 0],
  ]
  for (const [what, tamper, sequence] of tamperings) {
    test(`shows the first fault if entries were ${what}`, async () => {
      const location = await filled(5)
      assert.equal(await findAccessFault(pool, location), undefined)
      await tamper(location)
      assert.equal((await findAccessFault(pool, location))?.sequence, sequence)
    })
  }

  test('shows a fault without its head', async () => {
    const location = await filled(2)
    await pool`delete from access_heads where location_id = ${location}`
    assert.equal((await findAccessFault(pool, location))?.sequence, 1)
  })

  test('deletes old entries, and the remaining ones can still be verified', async () => {
    const location = await filled(6)
    const end = new Date(now.getTime() + 6 * dayMs)
    const act = { kind: 'act' as const, act: 'data.exported' as const, by: 'cli', subject: null }
    await appendAccess(pool, location, [act], { now: end, keepFrom: new Date(now.getTime() + 4 * dayMs) })
    assert.deepEqual(
      (await listAccess(pool, location, all)).map(({ seq }) => seq),
      [5, 6, 7],
    )
    assert.equal((await findAccessHead(pool, location))?.baseSeq, 4)
    assert.equal(await findAccessFault(pool, location), undefined)
    await pool`delete from access_entries where location_id = ${location} and seq = 5`
    assert.equal((await findAccessFault(pool, location))?.sequence, 5)
  })
})
