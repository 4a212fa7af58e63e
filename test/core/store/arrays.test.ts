import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createDatabase } from '../../support/database.ts'

const { pool } = await createDatabase()

test('lists of texts are read from the database as they were written, whatever they contain', async () => {
  const text = fc.string().filter((value) => !value.includes('\0'))
  await fc.assert(
    fc.asyncProperty(fc.array(text.filter((value) => value !== '')), async (values) => {
      const [row] = await pool<{ back: string[] }[]>`select ${values}::text[] as back`
      assert.deepEqual(row?.back, values)
    }),
    { numRuns: 100 },
  )
})

test('a list of ids finds its rows', async () => {
  const ids = ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11', '00000000-0000-4000-8000-000000000001']
  const rows = await pool<{ id: string }[]>`
    select id from (values (${ids[0] as string}::uuid), (gen_random_uuid())) as t (id) where id = any(${ids}::uuid[])`
  assert.deepEqual(
    rows.map(({ id }) => id),
    [ids[0]],
  )
})
