import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkDatabase, type Check } from '../../../src/modules/operations/cli/checks.ts'
import { checkReplica } from '../../../src/modules/operations/cli/replica-checks.ts'
import { openReplica } from '../../../src/core/server/replica.ts'
import { createLog } from '../../../src/core/server/log.ts'
import { openPool, type Connection, transact } from '../../../src/core/store/db/database.ts'
import { startApp, type LogLine, type Site } from '../../support/app.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase, type TestDatabase } from '../../support/database.ts'
import { startNetwork } from '../../support/network.ts'
import { everyRecord, idOf, order, versionOf } from '../../support/records.ts'
import { noReplica, startPair } from '../../support/standby.ts'
import { eventually } from '../../support/waiting.ts'

const urlOf = (connection: Connection) =>
  'url' in connection ? connection.url : `postgres://postgres@127.0.0.1:${connection.port}/postgres`

describe('a replica that answers reads', { skip: noReplica }, async () => {
  if (noReplica) return
  const pair = await startPair()
  const pool = openPool(pair.primary, { connections: 8, pipelining: true })
  const standby = openPool(pair.standby, { connections: 1, pipelining: true })
  const network = await startNetwork(pair.standby)
  const lines: LogLine[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  // The deadline is long enough for a busy machine: if the replica is too late, the primary answers.
  const config = { dbPipelining: true, databasePooler: null, deadlineMs: 10_000 }
  const opened = openReplica(urlOf(network.connection), pool, config, log)
  const database: TestDatabase = { connection: pair.primary, pool, server: 'external', close: async () => {} }
  // Keys are looked up once and cached: a look-up waits for `locations`, which a test locks for as long as a busy
  // machine needs.
  const app = await startApp({ database, replica: opened.replica, keyRing: { monotonic: () => 0 } })
  atEnd(async () => {
    await opened.close()
    await standby.end({ timeout: 1 })
    await pool.end({ timeout: 1 })
    await network.close()
  })
  const site = await app.addLocation()
  const get = (path: string, least?: number, of: Site = site) =>
    app.get(path, { key: of.key, headers: least === undefined ? {} : { 'tillgate-min-sequence': String(least) } })
  const store = async (n: number, v = 1) => (await app.store([order(versionOf(site.id, n, v))], site.key)).results[0]
  const path = (n: number) => `/v1/orders/${idOf('order', n)}`
  /** Retries, because PostgreSQL may end sessions of the replica that conflict with replay. */
  const surely = (work: () => Promise<boolean>, what: string) => eventually(() => work().catch(() => false), what)
  /** Pauses the replica, which first finishes the current record. */
  const pause = async () => {
    await standby`select pg_wal_replay_pause()`
    await eventually(async () => {
      const [row] = await standby`select pg_get_wal_replay_pause_state() as state`
      return row?.['state'] === 'paused'
    }, 'the replica has paused')
  }
  /** Sets how long the replica waits for reads that block it. */
  const setDelay = (delay: string) =>
    surely(async () => {
      await standby.unsafe(`alter system set max_standby_streaming_delay = '${delay}'`)
      await standby`select pg_reload_conf()`
      const [row] = await standby`select current_setting('max_standby_streaming_delay') as delay`
      return row?.['delay'] === delay
    }, `the replica waits ${delay}`)
  const resume = () => standby`select pg_wal_replay_resume()`

  test('serves orders, reports, catalog and location, and the primary serves none of these reads', async () => {
    await app.store(everyRecord(site.id), site.key)
    await pair.caughtUp()
    const paths = [
      path(1),
      '/v1/orders/',
      `/v1/reports/${idOf('report', 1)}`,
      '/v1/reports/',
      '/v1/catalog/',
      '/v1/locations/own',
    ]
    const head = (await app.get('/v1/events/', { key: site.key })).json.meta.head
    const expected = await Promise.all(paths.map((one) => get(one)))
    // The lock is not replicated: a query for one of these would wait on the primary, but not on the replica.
    await pause()
    await transact(pool, async (tx) => {
      await tx`lock table orders, reports, catalog, locations in access exclusive mode`
      for (const [i, one] of paths.entries()) {
        const answer = await get(one)
        assert.equal(answer.status, 200, one)
        assert.equal(answer.text, expected[i]?.text, one)
        assert.equal(answer.headers['tillgate-sequence'], String(head), one)
      }
    })
    await resume()
    await pair.caughtUp()
  })

  test('that lags returns what it has, or waits for a requested sequence', async () => {
    await store(100)
    await pair.caughtUp()
    const first = Number((await get(path(100))).headers['tillgate-sequence'])
    await pause()
    const pushed = await store(100, 2)
    const behind = await get(path(100))
    assert.equal(behind.headers['tillgate-sequence'], String(first), 'the replica has not heard of it')
    assert.equal(behind.json.guests, 1)
    const fresh = await get(path(100), pushed?.sequence)
    assert.equal(fresh.headers['tillgate-sequence'], String(pushed?.sequence))
    assert.equal(fresh.json.guests, 2)
    const page = await get('/v1/orders/?size=100&sort=-createdAt', pushed?.sequence)
    assert.equal(page.headers['tillgate-sequence'], String(pushed?.sequence))
    await resume()
    await pair.caughtUp()
    assert.equal((await get(path(100))).json.guests, 2)
  })

  test('that does not have an order yet does not return 404 for it', async () => {
    await pause()
    await store(200)
    assert.equal((await get(path(200))).status, 200)
    assert.equal((await get(path(201))).status, 404)
    await resume()
    await pair.caughtUp()
  })

  test('counts pages by its own journal: a page and its total match, whichever server answers', async () => {
    const other = await app.addLocation()
    const push = (n: number) => app.store([order(versionOf(other.id, n, 1))], other.key)
    for (let n = 1; n <= 5; n++) await push(n)
    await pair.caughtUp()
    await get('/v1/orders/?size=100', undefined, other)
    await pause()
    for (let n = 6; n <= 9; n++) await push(n)
    const old = await get('/v1/orders/?size=100', undefined, other)
    assert.deepEqual([old.json.data.length, old.json.meta.totalCount, old.headers['tillgate-sequence']], [5, 5, '5'])
    const fresh = await get('/v1/orders/?size=100', 9, other)
    assert.deepEqual(
      [fresh.json.data.length, fresh.json.meta.totalCount, fresh.headers['tillgate-sequence']],
      [9, 9, '9'],
    )
    const again = await get('/v1/orders/?size=100', undefined, other)
    assert.deepEqual([again.json.data.length, again.json.meta.totalCount], [5, 5])
    await resume()
    await pair.caughtUp()
  })

  test('that cancels a read to follow its primary passes the read to the primary', async () => {
    await setDelay('0')
    lines.length = 0
    let failure: unknown
    // Holds rows that the primary is about to remove.
    const reading = opened.replica.read(async ({ pool: of }) => {
      try {
        return await of`select count(*) from orders, pg_sleep(60)`
      } catch (error) {
        failure = error
        throw error
      }
    })
    await surely(async () => {
      const rows =
        await standby`select 1 from pg_stat_activity where query like '%pg_sleep%' and pid <> pg_backend_pid()`
      return rows.length === 1
    }, 'the read goes on')
    await pool`update orders set paid = not paid`
    await pool`update orders set paid = not paid`
    await pool.unsafe('vacuum orders')
    assert.equal(await reading, undefined)
    assert.equal((failure as { code: string }).code, '40001')
    assert.equal(lines.length, 0, 'a conflict is nothing to log')
    assert.equal((await get(path(1))).status, 200)
    await setDelay('30s')
    await pair.caughtUp()
  })

  for (const state of ['closes', 'silent'] as const) {
    test(`that is unavailable (${state}) is skipped, logged once, and used again when it is back`, async () => {
      lines.length = 0
      network.become(state)
      const answers = await Promise.all(Array.from({ length: 20 }, () => get(path(1))))
      for (const { status } of answers) assert.equal(status, 200)
      assert.equal((await get('/v1/orders/')).status, 200)
      assert.equal(lines.filter(({ level }) => level === 'warn').length, 1)
      network.become('open')
      await eventually(async () => {
        assert.equal((await get(path(1))).status, 200)
        return lines.some(({ msg }) => msg.includes('answers again'))
      }, 'the replica is used again')
      assert.equal(lines.length, 2, JSON.stringify(lines))
    })
  }

  describe('doctor', () => {
    const url = urlOf(pair.standby)
    const config = { dbPipelining: true, databasePooler: null }
    const examine = async (of: string) =>
      (await checkReplica(pool, of, config)).map(({ name, status, detail }) => [name, status, detail] as const)
    const names = ['replica', 'replica pooler', 'replica tables', 'replica lag']

    test('accepts a replica that follows the primary', async () => {
      await store(400)
      const env = { DATABASE_URL: urlOf(pair.primary), DATABASE_READ_URL: url }
      const { stdout } = await tillgate(['doctor', '--json', '--port', '0'], { env })
      const checks = (JSON.parse(stdout).checks as Check[]).filter(({ name }) => name.startsWith('replica'))
      assert.deepEqual(
        checks.map(({ name, status }) => [name, status]),
        names.map((name) => [name, 'ok']),
      )
    })

    test('reports that a replica lags, and since when', async () => {
      await pause()
      await store(401)
      const found = await examine(url)
      assert.deepEqual(
        found.map(([, status]) => status),
        ['ok', 'ok', 'ok', 'warn'],
      )
      assert.match(found[3]?.[2] ?? '', /^its replay is paused, [\d,]+ bytes behind; its last commit is from 20/)
      await resume()
      await pair.caughtUp()
    })

    test('distinguishes a replica from the primary itself, another database, and one that is unavailable', async () => {
      const [itself] = await examine(urlOf(pair.primary))
      assert.deepEqual(itself?.slice(0, 2), ['replica', 'warn'])
      assert.match(itself?.[2] ?? '', /is the database server itself/)
      const alone = await createDatabase()
      const [other] = await examine(toUrl(alone.connection))
      assert.match(`${other?.[1]} ${other?.[2]}`, /^fail .+ is not a replica: it accepts writes$/)
      const foreign = await checkReplica(alone.pool, url, config)
      assert.deepEqual(
        foreign.map(({ name, status }) => [name, status]),
        names.map((name) => [name, name === 'replica tables' ? 'fail' : 'ok']).slice(0, 3),
      )
      assert.match(
        foreign[2]?.detail ?? '',
        /^the replica has entry \d+ of location .+, which is not in the database: the replica belongs to another database$/,
      )
      const [away] = await checkReplica(pool, 'postgres://till:hunter2@127.0.0.1:1/pos', config)
      assert.match(
        `${away?.status} ${away?.detail}`,
        /^fail postgres:\/\/till:\*\*\*@127\.0\.0\.1:1\/pos cannot be used: /,
      )
    })

    test('refuses a replica in place of the database', async () => {
      const [database] = await checkDatabase(standby, 'postgres://x')
      assert.deepEqual([database?.name, database?.status], ['database', 'fail'])
    })
  })

  test('is not used for keys, the feed and webhooks: new ones are visible at once', async () => {
    await pause()
    const made = await app.addKey(site.id)
    assert.equal((await app.get('/v1/locations/own', { key: made.key })).status, 200)
    const { sequence } = (await store(300)) as { sequence: number }
    const feed = await app.get(`/v1/events/?after=${sequence - 1}`, { key: site.key })
    assert.equal(feed.json.data[0].sequence, sequence)
    await resume()
    await pair.caughtUp()
  })
})
