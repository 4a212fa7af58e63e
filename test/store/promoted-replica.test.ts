import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { verifyLocation } from '../../src/cli/verify.ts'
import { openPool, type Connection } from '../../src/store/db/database.ts'
import { startApp, type Site, type TestApp } from '../support/app.ts'
import { tillgateJson } from '../support/cli.ts'
import { atEnd, type TestDatabase } from '../support/database.ts'
import { order, versionOf } from '../support/records.ts'
import { noReplica, openRelay, startPair } from '../support/standby.ts'
import { eventually } from '../support/waiting.ts'
import { assertProblem } from '../conformance/contract.ts'

function onServer(connection: Connection): TestDatabase {
  const pool = openPool(connection, { connections: 4, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  return { connection, pool, server: 'external', close: async () => {} }
}

const urlOf = (connection: Connection) =>
  'port' in connection ? `postgres://postgres@127.0.0.1:${connection.port}/postgres` : connection.url

/** Content by event id, of everything in the feed. */
async function readEvents(app: TestApp, site: Site): Promise<Map<string, string>> {
  const { data } = (await app.get('/v1/events/?limit=1000', { key: site.key })).json
  return new Map(data.map((event: { id: string }) => [event.id, JSON.stringify(event)]))
}

const ordersOf = (site: Site, from: number, to: number, version = 1) =>
  Array.from({ length: to - from + 1 }, (_, i) => order(versionOf(site.id, from + i, version)))

describe('a replica that lags and is promoted', { skip: noReplica }, () => {
  test('cannot make two events share an id: the process that knows refuses, the one that does not goes on past', async () => {
    const pair = await startPair()
    const relay = await openRelay(pair.primary)
    const app = await startApp({ database: onServer(relay.connection) })
    const sites = [await app.addLocation(), await app.addLocation()] as const
    const [known, other] = sites
    for (const site of sites) await app.store(ordersOf(site, 1, 5), site.key)
    await pair.caughtUp()
    await pair.cut()
    // Acknowledged by the primary, and lost with it.
    for (const site of sites) await app.store(ordersOf(site, 6, 9), site.key)
    const before = new Map(
      await Promise.all(sites.map(async (site) => [site.id, await readEvents(app, site)] as const)),
    )
    await pair.promote()
    relay.moveTo(pair.standby)

    // The process that acknowledged 9 sees 5, and refuses whatever comes for this location.
    await eventually(
      async () => (await app.get('/v1/locations/own', { key: known.key })).status === 200,
      'the pool has found the promoted server',
    )
    const refused = await app.push(ordersOf(known, 20, 21), { key: known.key })
    assertProblem(refused, { status: 503, code: 'journal_rewound' })
    assert.match(refused.json.detail, /ends at 5, and this process has seen 9.*tillgate resume/)
    assert.equal(refused.headers['retry-after'], '60')
    await app.push(ordersOf(known, 20, 21), { key: known.key })
    assert.equal(app.context.seenHeads.rewinds, 1)
    assert.ok(app.lines.some((line) => JSON.stringify(line).includes('has seen 9')))
    const ahead = await app.get('/v1/events/?after=9', { key: known.key })
    assertProblem(ahead, { status: 409, code: 'sequence_ahead' })
    assert.equal(ahead.json.head, 5)

    // A process that began after it knows nothing, and the journal resumes by itself.
    const fresh = await startApp({ database: onServer(pair.standby) })
    await fresh.store(ordersOf(other, 6, 9, 2), other.key)
    // The operator has looked.
    const resumed = await tillgateJson(['resume', '--location', known.id, '--reason', 'failover'], {
      env: { DATABASE_URL: urlOf(pair.standby) },
    })
    const { sequence } = resumed[0]
    assert.deepEqual(resumed, [{ id: known.id, after: 5, sequence }])
    assert.ok(sequence > 2_000_000 && sequence % 1_000_000 === 0)
    await app.store(ordersOf(known, 6, 9, 2), known.key)

    for (const site of sites) {
      const old = before.get(site.id) ?? new Map<string, string>()
      const now = await readEvents(fresh, site)
      const shared = [...now.keys()].filter((id) => old.has(id))
      assert.equal(shared.length, 10, 'what both have is what the replica had')
      for (const id of shared) assert.equal(now.get(id), old.get(id))
      assert.equal(now.size, 18)
      const { verified } = await verifyLocation(fresh.pool, site.id)
      assert.ok(verified)
      // A reader that was at the lost end is told from where it misses nothing; one before it goes on.
      const told = await fresh.get('/v1/events/?after=9', { key: site.key })
      assertProblem(told, { status: 409, code: 'sequence_ahead' })
      assert.equal(told.json.after, 5)
      const next = await fresh.get(`/v1/events/?after=5&epoch=${told.json.epoch}`, { key: site.key })
      assert.equal(next.json.data.length, 8)
    }
  })
})
