import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlState } from '../../../../src/core/store/db/sql-state.ts'

/**
 * Messages of Citus 13.2 and PostgreSQL 15 with code XX000, recorded on clusters whose nodes were filled, killed and
 * moved.
 */
const messages: [message: string, state: string][] = [
  ['duplicate key value violates unique constraint "orders_pkey_102042"', '23505'],
  ['could not append to received file: No space left on device', '53100'],
  ['could not extend file "base/16384/17321": No space left on device', '53100'],
  ['could not write to file "base/pgsql_job_cache/1_0_2.data": No space left on device', '53100'],
  ['could not commit transaction for shard 102042 on at least 1 active node', '08006'],
  ['no connection to the server', '08006'],
  ['could not find valid entry for shard 102042', '40001'],
  ['unexpected chunk number 0', 'XX000'],
]

test('an internal error of Citus has the SQLSTATE of its cause', () => {
  for (const [message, state] of messages) assert.equal(sqlState({ code: 'XX000', message }), state, message)
  assert.equal(sqlState({ code: '42601', message: 'could not x: No space left on device' }), '42601')
  assert.equal(sqlState(undefined), undefined)
})
