import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefused, isUnavailable, openPool } from '../../../../../src/core/store/db/database.ts'
import { Reader } from '../../../../../src/core/store/db/reader/reader.ts'
import { atEnd, createDatabase } from '../../../../support/database.ts'

const { connection, pool: owner } = await createDatabase({ server: 'embedded' })
const name = owner.opener.target.database

const open = (more: object = {}) => {
  const pool = openPool({ ...connection, ...more }, { connections: 2, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  return pool
}

test('a session reads and writes times and lists correctly, whatever the defaults of the database', async () => {
  await owner.unsafe(`alter database ${name} set datestyle = 'SQL, DMY'`)
  await owner.unsafe(`alter database ${name} set timezone = 'Asia/Tokyo'`)
  await owner.unsafe(`alter database ${name} set array_nulls = off`)
  await owner.unsafe(`alter database ${name} set intervalstyle = 'sql_standard'`)
  try {
    const pool = open()
    const at = new Date('2026-03-04T05:06:07.089Z')
    const [row] = await pool<[{ at: Date; text: string; some: string[]; holes: boolean }]>`
      select ${at} as at, ${at}::text as text, ${['null', 'b']}::text[] as some, '{null,1}'::int[] = array[null, 1] as holes`
    // As a number, because a reporter fails for an invalid date.
    assert.equal(Number(row.at), at.getTime(), 'a time is read as it was written')
    const { text, some, holes } = row
    assert.deepEqual({ text, some, holes }, { text: '2026-03-04 05:06:07.089+00', some: ['null', 'b'], holes: true })
    const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
    assert.equal(
      String(await reader.first('select $1::timestamptz::text', [at.toISOString()])),
      '2026-03-04 05:06:07.089+00',
    )
    reader.end()
  } finally {
    await owner.unsafe(`alter database ${name} reset all`)
  }
})

test('environment variables do not affect a server that is given by its parts, on any connection', async () => {
  const variables = {
    PGOPTIONS: '-c search_path=app -c statement_timeout=1ms',
    PGSSLNEGOTIATION: 'direct',
    PGSSLMODE: 'require',
    PGTARGETSESSIONATTRS: 'standby',
    PGUSER: 'nobody',
    PGPASSWORD: 'wrong',
    PGHOST: 'nowhere.invalid',
    PGPORT: '1',
    PGDATABASE: 'nowhere',
    PGAPPNAME: 'other',
    PGREPLICATION: 'database',
    PGCLIENTENCODING: 'LATIN1',
    PGTZ: 'Asia/Tokyo',
    PGDATESTYLE: 'German',
  }
  Object.assign(process.env, variables)
  try {
    const pool = open()
    const text = `select current_setting('search_path') || ' ' || current_setting('statement_timeout') || ' ' ||
      current_setting('TimeZone') || ' ' || current_setting('application_name') as is`
    const expected = '"$user", public 0 UTC tillgate'
    assert.deepEqual([...(await pool.unsafe(text))], [{ is: expected }])
    const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
    assert.equal(String(await reader.first(text, [])), expected)
    reader.end()
  } finally {
    for (const variable of Object.keys(variables)) delete process.env[variable]
  }
})

test('a wrong password, a missing permission and a missing database count as unavailable, with the cause', async () => {
  const causes: [string, () => Promise<unknown>][] = [
    ['28P01', async () => open({ password: 'wrong' })`select 1`],
    ['28P01', async () => open({ password: '' })`select 1`],
    ['3D000', async () => open({ database: 'there_is_none' })`select 1`],
    ['42501', async () => open()`select 1 from pg_authid`],
  ]
  for (const [code, connect] of causes) {
    await assert.rejects(connect, (error: Error) => {
      assert.deepEqual([(error as { code?: unknown }).code, isUnavailable(error), isRefused(error)], [code, true, true])
      return true
    })
  }
  for (const code of ['42P01', '23505', '22012']) assert.ok(!isUnavailable({ code }), code)
})
