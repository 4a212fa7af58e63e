import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNoRoom } from '../../../src/core/embedded/error.ts'

test('full shared memory is distinguished from a full disk', () => {
  // PostgreSQL's own messages, recorded with a /dev/shm of 1 MiB and on a full disk.
  const memory =
    'FATAL:  could not resize shared memory segment "/PostgreSQL.1862439316" to 1048576 bytes: No space left on device'
  assert.match(findNoRoom(memory) ?? '', /\/dev\/shm.*--shm-size/)
  const disk = 'FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device'
  assert.match(findNoRoom(disk) ?? '', /^the disk is full/)
  assert.equal(findNoRoom('LOG:  database system is ready to accept connections'), undefined)
})
