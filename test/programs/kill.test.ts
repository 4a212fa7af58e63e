import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import { openPool, type Connection, type Pool, type Sql, snapshot } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'
import { addKey, addLocation, send } from '../support/app.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { startEmbedded } from '../support/test-servers.ts'
import { idOf, linesOf, order, smallOrderOf, timeOf } from '../support/records.ts'
import { testSeed } from '../support/seed.ts'
import { assertSound } from '../core/ingest/soundness.ts'

/** `npm run check -- endurance` runs three times as many. */
const rounds = Number(process.env['TILLGATE_KILL_ROUNDS'] ?? 4)
const clients = 6

/** Returns a generator of random numbers (mulberry32): good enough for these choices, and the same on every machine. */
function series(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const random = series(testSeed)
const upTo = (n: number) => Math.floor(random() * n)

type Target = {
  connection: Connection
  pool: Pool
  /** Kills PostgreSQL and starts it again; undefined if the server is an external one. */
  killDatabase: (() => Promise<void>) | undefined
}

/** Opens a server of this test, or a database of the external one. */
async function openTarget(): Promise<Target> {
  const external = process.env['TEST_DATABASE_URL']
  if (external !== undefined && external !== '') {
    const { connection, pool } = await createDatabase()
    return { connection, pool, killDatabase: undefined }
  }
  const { dataDir, database: first, stop: removeFirst } = await startEmbedded()
  let database = first
  const open = (connection: Connection) => openPool(connection, { connections: 4, pipelining: true })
  const target: Target = {
    connection: first.connection,
    pool: open(first.connection),
    killDatabase: async () => {
      process.kill(database.pid, 'SIGKILL')
      await target.pool.end({ timeout: 1 })
      const again = await openEmbeddedDatabase(dataDir)
      assert.ok(again.started && again.pid !== database.pid, 'the killed server was taken for a live one')
      database = again
      target.connection = again.connection
      target.pool = open(again.connection)
    },
  }
  atEnd(removeFirst)
  atEnd(() => database.stop())
  atEnd(() => target.pool.end({ timeout: 5 }))
  await migrate(target.pool)
  return target
}

const target = await openTarget()
const location = await addLocation(target.pool)
const { key } = await addKey(target.pool, location)

let child: ChildProcess | undefined
atEnd(async () => void child?.kill('SIGKILL'))

async function startChild(): Promise<number> {
  child = fork(join(import.meta.dirname, 'serving.ts'), [JSON.stringify(target.connection)], { stdio: 'inherit' })
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return port
}

/** The version of each order that was last sent, and the one last acknowledged. */
const sent = new Map<number, number>()
const acknowledged = new Map<number, number>()
let pushes = 0
/** Called at each acknowledgement, with the client. */
let onAcknowledged = (_client: number) => {}
let orders = 0

function versionOf(n: number, version: number) {
  const createdAt = timeOf((n * 37 + version * 101) % 2000)
  const updatedAt = new Date(Date.parse('2026-04-01T00:00:00.000Z') + version * 1000).toISOString()
  return smallOrderOf(location, n, {
    createdAt,
    updatedAt,
    guests: version,
    closedAt: version % 3 === 0 ? null : createdAt,
  })
}

/** Pushes new orders and new versions until the server is gone. Each client has its own orders. */
async function pushUntilDead(client: number, port: number, agent: Agent): Promise<void> {
  const own: number[] = []
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
  for (;;) {
    const batch = Array.from({ length: random() < 0.5 ? 1 : 1 + upTo(40) }, () => {
      const isNew = own.length === 0 || random() < 0.6
      const n = isNew ? orders++ : (own[upTo(own.length)] as number)
      if (isNew) own.push(n)
      const version = (sent.get(n) ?? 0) + 1
      sent.set(n, version)
      return { n, version }
    })
    const body = linesOf(batch.map(({ n, version }) => order(versionOf(n, version))))
    const answer = await send(agent, port, 'POST', '/v1/ingest/', { headers, body }).catch(() => undefined)
    if (answer === undefined) return
    if (answer.status === 503) {
      assert.equal(answer.json.code, 'database_unavailable')
      assert.ok(Number(answer.headers['retry-after']) > 0)
      return
    }
    assert.equal(answer.status, 200, answer.text.slice(0, 500))
    pushes += 1
    onAcknowledged(client)
    for (const { n, version } of batch) acknowledged.set(n, Math.max(version, acknowledged.get(n) ?? 0))
  }
}

async function assertNothingLost(sql: Sql): Promise<void> {
  await assertSound(sql, location)
  const rows = await sql<{ id: string; document: string }[]>`
    select id, document from orders where location_id = ${location}`
  const stored = new Map(rows.map(({ id, document }) => [id, JSON.parse(document).guests as number]))
  for (const [n, version] of acknowledged) {
    const found = stored.get(idOf('order', n)) ?? 0
    assert.ok(found >= version, `order ${n} was acknowledged in version ${version}, and ${found} is stored`)
    assert.ok(found <= (sent.get(n) ?? 0), `order ${n} is stored in a version nobody sent`)
  }
}

/** Resolves when each of the clients has been refused, or has got an acknowledgement after this call. */
async function answeredEach(pushing: readonly Promise<void>[]): Promise<void> {
  const acknowledgedNow = pushing.map(() => Promise.withResolvers<void>())
  onAcknowledged = (client) => acknowledgedNow[client]?.resolve()
  await Promise.all(pushing.map((ended, client) => Promise.race([ended, acknowledgedNow[client]?.promise])))
}

const untilMs = () => 40 + upTo(400)

test(`acknowledged pushes survive kill -9 of the server${target.killDatabase ? ' and of the database' : ''}, without a gap`, async () => {
  try {
    for (let round = 0; round < rounds; round++) {
      const port = await startChild()
      const exited = once(child as ChildProcess, 'exit')
      const agent = new Agent({ keepAlive: true })
      const { promise: acknowledgedOnce, resolve } = Promise.withResolvers<void>()
      onAcknowledged = () => resolve()
      const each = Array.from({ length: clients }, (_, client) => pushUntilDead(client, port, agent))
      const pushing = Promise.all(each)
      // Some servers are killed before their first response, the others some time after it.
      if (round % 4 !== 0) await Promise.race([acknowledgedOnce, pushing])
      await Promise.race([delay(untilMs()), pushing])
      // Every third round the database is killed before the server: pushes are refused or, once the database is back,
      // stored, and no client waits for the response.
      if (target.killDatabase && round % 3 === 2) {
        await target.killDatabase()
        await answeredEach(each)
      }
      child?.kill('SIGKILL')
      await Promise.all([exited, pushing])
      agent.destroy()
      await snapshot(target.pool, (tx) => assertNothingLost(tx))
    }
    assert.ok(pushes >= rounds * 0.75, `only ${pushes} pushes were acknowledged`)
  } catch (error) {
    console.error(`TILLGATE_TEST_SEED=${testSeed}`)
    throw error
  }
})
