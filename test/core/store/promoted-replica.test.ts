import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import type { Log } from '../../../src/core/server/log.ts'
import { noteLosses } from '../../../src/core/server/losses.ts'
import { listLosses } from '../../../src/core/store/journal/losses.ts'
import { listResumed } from '../../../src/core/store/journal/resumption.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { startApp, type Site, type TestApp } from '../../support/app.ts'
import { serve, tillgate, tillgateJson, stop } from '../../support/cli.ts'
import { atEnd, type TestDatabase } from '../../support/database.ts'
import { idOf, linesOf, order, versionOf } from '../../support/records.ts'
import { noReplica, openRelay, startPair } from '../../support/standby.ts'
import { eventually } from '../../support/waiting.ts'
import { assertProblem } from '../conformance/contract.ts'

function onServer(connection: Connection): TestDatabase {
  const pool = openPool(connection, { connections: 4, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  return { connection, pool, server: 'external', close: async () => {} }
}

const urlOf = (connection: Connection) =>
  'port' in connection ? `postgres://postgres@127.0.0.1:${connection.port}/postgres` : connection.url

/** Reads the content of all events in the feed, by event id. */
async function readEvents(app: TestApp, site: Site): Promise<Map<string, string>> {
  const { data } = (await app.get('/v1/events/?limit=1000', { key: site.key })).json
  return new Map(data.map((event: { id: string }) => [event.id, JSON.stringify(event)]))
}

const ordersOf = (site: Site, from: number, to: number, version = 1) =>
  Array.from({ length: to - from + 1 }, (_, i) => order(versionOf(site.id, from + i, version)))

describe('a replica that lags and is promoted', { skip: noReplica }, () => {
  test('cannot give two events one id; lost entries stay reported, and the former primary accepts no write', async () => {
    const pair = await startPair()
    const relay = await openRelay(pair.primary)
    const app = await startApp({ database: onServer(relay.connection) })
    const sites = [await app.addLocation(), await app.addLocation()] as const
    const [known, other] = sites
    for (const site of sites) await app.store(ordersOf(site, 1, 5), site.key)
    await pair.caughtUp()
    await pair.cut()
    // These orders are acknowledged by the primary, and lost with it.
    for (const site of sites) await app.store(ordersOf(site, 6, 9), site.key)
    const before = new Map(
      await Promise.all(sites.map(async (site) => [site.id, await readEvents(app, site)] as const)),
    )
    await pair.promote()
    relay.moveTo(pair.standby)

    // The process that acknowledged 9 sees 5, resumes the journal by itself, and stores the lost entries.
    await eventually(
      async () => (await app.get('/v1/locations/own', { key: known.key })).status === 200,
      'the pool has found the promoted server',
    )
    const ahead = await app.get('/v1/events/?after=9', { key: known.key })
    assertProblem(ahead, { status: 409, code: 'sequence_ahead' })
    assert.deepEqual([ahead.json.head, ahead.json.after], [5, 5])
    await app.store(ordersOf(known, 6, 9, 2), known.key)
    assert.ok(app.lines.some((line) => JSON.stringify(line).includes('has seen 9')))
    const [resumed] = await listResumed(app.pool, known.id)
    assert.deepEqual(resumed?.lost, { from: 6, to: 9 })

    // A process that starts after the promotion knows of no lost entries, and the journal resumes by itself.
    const fresh = await startApp({ database: onServer(pair.standby) })
    await fresh.store(ordersOf(other, 6, 9, 2), other.key)
    assert.equal((await listResumed(app.pool, other.id))[0]?.lost, undefined)
    // The process that knows the lost entries notices the loss when it uses the journal again.
    await app.store(ordersOf(other, 6, 6, 3), other.key)
    const log = { error: () => {} } as unknown as Log
    await noteLosses(app.pool, app.context.seenHeads.takePassed(), log, new Date())
    const lost = (await listLosses(app.pool)).map(({ locationId, from, to }) => `${locationId} ${from} ${to}`)
    assert.deepEqual(new Set(lost), new Set([`${known.id} 6 9`, `${other.id} 6 9`]))
    const env = { DATABASE_URL: urlOf(pair.standby) }
    const status = await tillgate(['status'], { env })
    assert.match(status.stdout, /^lost +AT LEAST 8 ENTRIES LOST at 2 locations/m)
    assert.match(
      (await tillgate(['doctor'], { env })).stdout,
      /^warn {2}going back +at least 8 acknowledged entries were lost/m,
    )
    const seen = await tillgateJson(['loss', 'acknowledge', '--location', known.id], { env })
    assert.deepEqual([seen.length, seen[0].from, seen[0].to], [1, 6, 9])
    assert.equal((await tillgateJson(['loss', 'list'], { env })).length, 1)
    await tillgateJson(['loss', 'acknowledge', '--all'], { env })
    assert.match((await tillgate(['status'], { env })).stdout, /^lost +no acknowledged entries/m)

    // The former primary returns: no process writes to it, whether it has used the new primary or is new.
    relay.moveTo(pair.primary)
    await eventually(
      async () => (await app.push(ordersOf(known, 30, 30), { key: known.key })).json.code === 'database_went_back',
      'the former primary is refused',
    )
    const dir = await mkdtemp(join(tmpdir(), 'tillgate-kept-'))
    atEnd(() => rm(dir, { recursive: true }))
    const kept = { TILLGATE_DATA_DIR: dir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
    const first = await serve([], { env: { ...kept, DATABASE_URL: urlOf(pair.standby) } })
    await stop(first)
    const old = await tillgate(['status', '--json'], { env: { ...kept, DATABASE_URL: urlOf(pair.primary) } })
    assert.deepEqual([old.code, /database_went_back.*former primary/.test(old.stderr)], [2, true], old.stderr)
    const ports = [pair.primary, pair.standby].map((one) => ('port' in one ? one.port : 0))
    const both = `postgres://postgres@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}/postgres`
    const second = await serve([], { env: { ...kept, DATABASE_URL: both } })
    const accepted = await fetch(`${second.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': known.key, 'content-type': 'application/x-ndjson' },
      body: linesOf(ordersOf(known, 31, 31)),
    })
    assert.equal(accepted.status, 200)
    await stop(second)
    const [row] = await fresh.pool`select 1 from orders where location_id = ${known.id} and id = ${idOf('order', 31)}`
    assert.ok(row, 'it is in the database that goes on')
    await fresh.pool`delete from losses`
    relay.moveTo(pair.standby)
    await eventually(async () => (await app.get('/v1/events/', { key: known.key })).status === 200, 'the other is back')

    for (const site of sites) {
      const old = before.get(site.id) ?? new Map<string, string>()
      const now = await readEvents(fresh, site)
      const shared = [...now.keys()].filter((id) => old.has(id))
      assert.equal(shared.length, 10, 'what both have is what the replica had')
      for (const id of shared) assert.equal(now.get(id), old.get(id))
      assert.ok(now.size >= 18)
      const { verified } = await verifyLocation(fresh.pool, site.id)
      assert.ok(verified)
      // A reader beyond the new end gets the position from which it misses nothing; a reader before it continues.
      const refused = await fresh.get('/v1/events/?after=9', { key: site.key })
      assertProblem(refused, { status: 409, code: 'sequence_ahead' })
      assert.equal(refused.json.after, 5)
      const next = await fresh.get(`/v1/events/?after=5&epoch=${refused.json.epoch}`, { key: site.key })
      assert.ok(next.json.data.length >= 8)
    }
  })
})
