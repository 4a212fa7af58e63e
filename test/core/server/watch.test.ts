import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseSettings, readConfig } from '../../../src/core/config.ts'
import { openDatabase } from '../../../src/core/server/database.ts'
import { createLog } from '../../../src/core/server/log.ts'
import { watchDatabase } from '../../../src/core/server/watch.ts'
import { createDataDir, findPostmaster, isAlive } from '../../support/cli.ts'
import { eventually } from '../../support/waiting.ts'

test('a killed embedded database is noticed within a second, and restarted', async (t) => {
  const dataDir = await createDataDir({ filled: true })
  const config = readConfig(databaseSettings, { dataDir }, {})
  const database = await openDatabase(config, { migrates: false })
  t.after(() => database.close())
  const killed = (await findPostmaster(dataDir)) as number
  process.kill(killed, 'SIGKILL')
  await eventually(() => !isAlive(killed), 'it is dead')

  const { promise: revived, resolve } = Promise.withResolvers<void>()
  const revive = t.mock.method(database, 'revive')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const stopWatching = watchDatabase(database, undefined, createLog('silent'), resolve)
  t.after(stopWatching)
  t.mock.timers.tick(999)
  assert.equal(revive.mock.callCount(), 0)
  t.mock.timers.tick(1)
  assert.equal(revive.mock.callCount(), 1)
  // The code that starts the database has its own timers.
  t.mock.timers.reset()
  await revived
  const [row] = await database.pool`select 42 as answer`
  assert.equal(row?.['answer'], 42)
  assert.notEqual(await findPostmaster(dataDir), killed)
})
