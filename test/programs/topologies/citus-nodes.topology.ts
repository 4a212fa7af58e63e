import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { DeliveryEngine } from '../../../src/core/delivery/engine.ts'
import { sessionTimes } from '../../../src/modules/console/schemas/console.ts'
import { createConsoleLink } from '../../../src/modules/console/store/console-sessions.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import { listAllWebhooks } from '../../../src/core/contract/webhooks/rows.ts'
import { assertSound } from '../../core/ingest/soundness.ts'
import { startApp, type Site } from '../../support/app.ts'
import { startDelivery } from '../../support/delivery.ts'
import { order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

// A Citus cluster whose nodes may be stopped: `npm run check -- topologies` provides its address.
const cluster = process.env['TILLGATE_TEST_CITUS'] ?? ''
const site = await startDelivery()
const { app, receiver } = site
const coordinator = app.database.connection as { url: string; direct: Connection }

type Node = { port: number; groupId: number }

const nodes = await app.pool<Node[]>`
  select nodeport as port, groupid as "groupId" from pg_dist_node where groupid > 0 order by nodeport`
const [first, second] = [...nodes] as [Node, Node]

/** Returns the same database through another node. */
function by({ port }: Node): Connection {
  const url = new URL(coordinator.url)
  url.port = String(port)
  return { url: url.href, direct: { url: coordinator.url } }
}

const onWorker = await startApp({ database: { ...app.database, connection: by(first) } })

type Place = Site & { port: number; shard: string }

async function nodeOf(locationId: string): Promise<{ port: number; shard: string }> {
  const [row] = await app.pool<[{ port: number; shard: string }]>`
    select nodeport as port, shardid::text as shard from pg_dist_shard_placement
    where shardid = get_shard_id_for_distribution_column('locations', ${locationId}::uuid)`
  return row
}

const places: Place[] = []
const on = (node: Node) => places.filter(({ port }) => port === node.port)
const shardsOn = (node: Node) => new Set(on(node).map(({ shard }) => shard)).size

// A test moves a shard from the first node to the second, and the first node must keep some locations.
while (places.length < 12 || shardsOn(first) < 2 || shardsOn(second) < 1) {
  const place = await app.addLocation()
  places.push({ ...place, ...(await nodeOf(place.id)) })
}

let orders = 0
/** The acknowledged orders, by location. */
const acknowledged = new Map<string, string[]>()

/** Pushes one new order to the location through one of the two servers; resolves to the status. */
async function push(place: Site, through = app): Promise<number> {
  const record = smallOrderOf(place.id, ++orders)
  const { status } = await through.push([order(record)], { key: place.key })
  if (status === 200) acknowledged.set(place.id, [...(acknowledged.get(place.id) ?? []), record['id']])
  return status
}

async function assertAllThere(): Promise<void> {
  for (const { id } of places) {
    const stored = new Set((await assertSound(app.pool, id)).map((entry) => entry.id))
    for (const order of acknowledged.get(id) ?? [])
      assert.ok(stored.has(order), `${order} was acknowledged and is gone`)
  }
}

/** Runs pg_ctl as the user who owns the data, because PostgreSQL does not run as root. */
function control(node: Node, ...words: string[]): void {
  const as = process.getuid?.() === 0 ? ['setpriv', '--reuid=nobody', '--regid=nogroup', '--clear-groups'] : ['env']
  const data = join(cluster, `n${node.groupId}`)
  const [program, ...rest] = [...as, '/usr/lib/postgresql/15/bin/pg_ctl', '-D', data, '-w', '-s', ...words] as [string]
  const { status, stderr } = spawnSync(program, rest, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

test('the locations are on both workers', () => {
  assert.ok(on(first).length > 0 && on(second).length > 0, 'all locations are on one node')
})

test('a server on a worker node accepts pushes and serves reads of locations on every node', async () => {
  for (const place of places) {
    assert.equal(await push(place, onWorker), 200)
    const read = await onWorker.get('/v1/orders/', { key: place.key })
    assert.equal(read.json.meta.totalCount, 1, read.text)
    assert.equal((await app.get('/v1/orders/', { key: place.key })).json.meta.totalCount, 1)
  }
})

/** Runs a delivery worker whose database is at this address, until the function ends. */
async function whileDelivering(connection: Connection, work: () => Promise<void>): Promise<void> {
  const pool = openPool(connection, { connections: 4, pipelining: true })
  const hints = new Hints(pool)
  await hints.listen()
  const engine = new DeliveryEngine({ pool, hints, sender: app.context.sender })
  engine.start()
  try {
    await work()
  } finally {
    await engine.stop()
    await hints.close()
    await pool.end({ timeout: 1 })
  }
}

test('a worker on another node delivers an event of a push', () =>
  whileDelivering(by(second), async () => {
    const place = places[0] as Site
    const webhook = await site.register(['order.created'], place)
    assert.equal(await push(place, onWorker), 200)
    await receiver.waitFor(webhook.path, 1)
  }))

test('a worker without notifications finds new entries of another node by itself', () =>
  whileDelivering({ url: (by(second) as { url: string }).url }, async () => {
    const place = places[1] as Site
    const webhook = await site.register(['order.created'], place)
    assert.equal(await push(place), 200)
    await receiver.waitFor(webhook.path, 1)
  }))

test('a shard moves to another node during writes and reads of its locations, without a failure or a loss', async () => {
  const moved = on(first)[0] as Site
  let moving = true
  const statuses: number[] = []
  const load = Promise.all(
    [app, onWorker].map(async (through) => {
      while (moving) {
        statuses.push(await push(moved, through))
        statuses.push((await through.get('/v1/orders/?size=1', { key: moved.key })).status)
      }
    }),
  )
  await app.pool`
    select citus_move_shard_placement(get_shard_id_for_distribution_column('locations', ${moved.id}::uuid),
      '127.0.0.1', ${first.port}, '127.0.0.1', ${second.port}, 'force_logical')`
  moving = false
  await load
  assert.deepEqual([...new Set(statuses)], [200])
  for (const place of places) Object.assign(place, await nodeOf(place.id))
  assert.equal(places.find(({ id }) => id === moved.id)?.port, second.port)
  await assertAllThere()
})

test('while a worker node is down its locations answer 503, the others work, and nothing is lost', async () => {
  const [away] = on(second)
  const [present] = on(first)
  assert.ok(away && present, 'a node has no location')
  const webhook = await site.register(['order.created'], present)
  const who = { kind: 'operator', role: 'operator', name: 'operator', recipientId: null, keyId: null } as const
  const grant = { ...who, scopes: [], madeBy: 'cli', locationIds: null, returnUrl: null, ...sessionTimes.operator }
  await createConsoleLink(app.pool, grant, new Date())
  control(second, '-m', 'immediate', 'stop')
  try {
    await eventually(async () => (await push(away)) === 503, 'a push to a location of the node is refused')
    const refused = await app.get('/v1/orders/', { key: away.key })
    assert.equal(refused.status, 503)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal(await push(present), 200)
    assert.equal((await app.get('/v1/orders/', { key: present.key })).status, 200)
    assert.equal(await push(present, onWorker), 200)
    assert.equal(await push(away, onWorker), 503)
    await assert.rejects(app.addKey(present.id), 'keys are on every node')
    await assert.rejects(createConsoleLink(app.pool, grant, new Date()), 'sessions of the console are on every node')
    await assert.rejects(listAllWebhooks(app.pool), 'whatever asks all nodes fails')
    // The sweep fails too, but the worker is notified.
    await whileDelivering(coordinator, async () => {
      assert.equal(await push(present), 200)
      await receiver.waitFor(webhook.path, 1)
    })
  } finally {
    control(second, '-l', join(cluster, `n${second.groupId}`, 'log'), 'start')
  }
  await eventually(async () => (await push(away)) === 200, 'the node is back', 30_000)
  assert.equal(await push(away, onWorker), 200)
  await assertAllThere()
})
