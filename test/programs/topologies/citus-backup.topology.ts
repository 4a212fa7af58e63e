import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPool } from '../../../src/core/store/db/database.ts'
import { migrate } from '../../../src/core/store/db/migrations.ts'
import { assertRestoredAlike, days, openRestaurant } from '../backup/restaurant.ts'
import { atEnd, createDatabase, type TestDatabase } from '../../support/database.ts'
import { PostgresNode } from '../../support/matrix/postgres-node.ts'
import { freePort } from '../../support/ports.ts'

// Between the cluster and a separate PostgreSQL: `test/programs/backup/answers.test.ts` tests the embedded server.
const folder = await mkdtemp(join(tmpdir(), 'tillgate-own-'))
await chmod(folder, 0o777)
const node = new PostgresNode(join(folder, 'pg'), await freePort())
await node.create()
await node.start()
atEnd(async () => {
  await node.stop()
  await rm(folder, { recursive: true, force: true })
})

async function createOwn(name: string): Promise<TestDatabase> {
  await node.ask(`create database ${name}`)
  const connection = { ...node.connection, database: name }
  const pool = openPool(connection, { connections: 8, pipelining: true })
  const close = () => pool.end({ timeout: 1 })
  atEnd(close)
  await migrate(pool)
  return { connection, pool, server: 'external', close }
}

const [onCitus, onOwn] = [await createDatabase(), await createOwn('source')]
const [ofCitus, ofOwn] = [await openRestaurant(onCitus), await openRestaurant(onOwn)]
const [toCitus, toOwn] = [await createDatabase(), await createOwn('target')]

test(`${days} days of a restaurant on the cluster return the same bytes on an external PostgreSQL`, () =>
  assertRestoredAlike(ofCitus, toOwn))

test(`${days} days of a restaurant on an external PostgreSQL return the same bytes on the cluster`, () =>
  assertRestoredAlike(ofOwn, toCitus))
