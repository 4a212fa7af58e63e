import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openReplica } from '../../../src/core/server/replica.ts'
import { createLog } from '../../../src/core/server/log.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { migrate } from '../../../src/core/store/db/migrations.ts'
import { startApp, type LogLine, type Site, type TestApp } from '../../support/app.ts'
import { atEnd, type TestDatabase } from '../../support/database.ts'
import { Leading } from '../../support/matrix/leading.ts'
import { noPostgres, type PostgresNode } from '../../support/matrix/postgres-node.ts'
import { startNetwork, type Network } from '../../support/network.ts'
import { idOf, order, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

type Scene = {
  app: TestApp
  site: Site
  leading: Leading
  /** The network that leads to the replica. */
  network: Network
  lines: LogLine[]
  push(n: number, v: number): Promise<void>
  /** Resolves to the visible version of an order; null if there is none. */
  shown(n: number): Promise<number | null>
  has(node: PostgresNode, n: number, v: number): Promise<void>
}

const opened: (() => Promise<unknown>)[] = []
atEnd(async () => {
  for (const end of opened.toReversed()) await end()
})

/** Sets up an installation with a replica that serves reads. Both servers can be replaced behind their addresses. */
async function setScene(): Promise<Scene & { replica: PostgresNode }> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-lines-'))
  opened.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o777)
  const leading = await Leading.open(folder)
  opened.push(() => leading.stop())
  const connection: Connection = leading.network.connection
  const pool = openPool(connection, { connections: 4, pipelining: true })
  opened.push(() => pool.end({ timeout: 1 }))
  await migrate(pool)
  const replica = await leading.replicate()
  const network = await startNetwork(replica.connection)
  opened.push(() => network.close())
  const lines: LogLine[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const config = { dbPipelining: true, databasePooler: null, deadlineMs: 10_000 }
  const reading = openReplica(network.connection.url, pool, config, log)
  opened.push(() => reading.close())
  const database: TestDatabase = { connection, pool, server: 'external', close: async () => {} }
  const app = await startApp({ database, replica: reading.replica })
  const site = await app.addLocation()
  const shown = async (n: number) => {
    const answer = await app.get(`/v1/orders/${idOf('order', n)}`, { key: site.key })
    return answer.status === 404 ? null : (answer.json.guests as number)
  }
  const push = async (n: number, v: number) => {
    await eventually(
      async () => (await app.push([order(versionOf(site.id, n, v))], { key: site.key })).status === 200,
      'the push is stored',
    )
  }
  const has = (node: PostgresNode, n: number, v: number) =>
    eventually(
      async () =>
        (await node.ask(`select 1 from orders where id = '${idOf('order', n)}' and document like '%"guests":${v},%'`))
          .length === 1,
      `the replica has version ${v}`,
    )
  await push(1, 1)
  await has(replica, 1, 1)
  assert.equal(await shown(1), 1)
  return { app, site, leading, network, lines, replica, push, shown, has }
}

const refusals = (lines: readonly LogLine[]) => lines.filter(({ msg }) => msg.includes('cannot be used'))

describe('a read replica', { skip: noPostgres }, () => {
  test('that ends is skipped, and used again when it is back', async () => {
    const { replica, lines, push, shown, has } = await setScene()
    await replica.stop()
    await push(1, 2)
    assert.equal(await shown(1), 2)
    assert.equal(await shown(1), 2)
    await replica.start()
    await has(replica, 1, 2)
    await eventually(async () => {
      assert.equal(await shown(1), 2)
      return lines.some(({ msg }) => msg.includes('answers again'))
    }, 'the replica is used again')
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 1, JSON.stringify(lines))
  })

  test('that was promoted is not read, and the primary still accepts pushes', async () => {
    const { app, site, replica, lines, push, shown } = await setScene()
    await replica.promote()
    // After the restart, every process connects to the replica in its current role.
    await replica.stop()
    await replica.start()
    await push(1, 2)
    // What is known about a replica is cached for two seconds.
    await eventually(async () => (await shown(1)) === 2 && refusals(lines).length > 0, 'the replica is refused')
    for (let v = 3; v <= 6; v++) {
      const answer = await app.push([order(versionOf(site.id, 1, v))], { key: site.key })
      assert.equal(answer.status, 200, answer.text)
      assert.equal(await shown(1), v)
    }
    assert.match(JSON.stringify(refusals(lines)), /accepts writes/)
  })

  test('with a state that the database has left is not read; one that follows the new state is', async () => {
    const { leading, network, lines, push, shown, has, replica } = await setScene()
    const next = await leading.replicate()
    await leading.cutReplica(next)
    await eventually(
      async () => (await leading.current.node.ask('select 1 from pg_stat_replication')).length === 1,
      'one replica is cut off',
    )
    await push(1, 2)
    await push(2, 1)
    await has(replica, 2, 1)
    await leading.promote(next)
    // Lost entries are not shown, although the replica still has them.
    await eventually(async () => (await shown(2)) === null && (await shown(1)) === 1, 'the new primary is read')
    await push(1, 3)
    assert.equal(await shown(1), 3)
    assert.match(JSON.stringify(refusals(lines)[0]), /is not in the database: the replica belongs to another database/)
    const follower = await leading.replicate()
    network.redirect(follower.connection)
    await has(follower, 1, 3)
    await eventually(async () => {
      assert.equal(await shown(1), 3)
      return lines.some(({ msg }) => msg.includes('answers again'))
    }, 'the replica is used again')
  })
})
