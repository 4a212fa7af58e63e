import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { ingestLines } from '../../../src/core/ingest/receive/ingest.ts'
import { batchSize } from '../../../src/core/ingest/write/queue.ts'
import { startApp, type Site } from '../../support/app.ts'
import { idOf, linesOf, order, smallOrderOf } from '../../support/records.ts'
import { eventually, gate } from '../../support/waiting.ts'
import { assertSound } from './soundness.ts'
import { countStored, hold } from './held-locations.ts'
import { isOneServer } from '../../../src/core/store/pushes/statement.ts'
import { poolerOf } from '../../../src/core/store/db/database.ts'

const app = await startApp()

/** Resolves when the next push has finished: its records are committed, even if the client has disconnected. */
function nextEnd(): Promise<void> {
  const over = gate()
  const { budget } = app.context.bodies
  const open = budget.open.bind(budget)
  budget.open = (keyId) => {
    budget.open = open
    const share = open(keyId)
    const close = () => {
      share.close()
      over.open()
    }
    return { ...share, close }
  }
  return over.opened
}

/** Sends a part of a body, disconnects when some of it is stored, and resolves when the server has finished. */
async function hangUp({ id, key }: Site, body: Buffer, headers: Record<string, string>): Promise<void> {
  const type = { 'content-type': 'application/x-ndjson', 'x-api-key': key, 'transfer-encoding': 'chunked' }
  const outgoing = httpRequest({
    port: app.port,
    method: 'POST',
    path: '/v1/ingest/',
    headers: { ...type, ...headers },
  })
  outgoing.on('error', () => {})
  const over = nextEnd()
  for (let at = 0; at < body.length; at += 16_384) {
    if (!outgoing.write(body.subarray(at, at + 16_384))) await once(outgoing, 'drain')
  }
  await eventually(async () => (await countStored(app.pool, id)) > 0, 'some of it is stored')
  outgoing.destroy()
  await over
}

for (const gzipped of [false, true]) {
  test(`a sender that disconnects midway${gzipped ? ', gzipped,' : ''} leaves complete records, in order, and nothing else`, async () => {
    const site = await app.addLocation()
    const { id, key } = site
    const text = linesOf(Array.from({ length: 2000 }, (_, n) => order(smallOrderOf(id, n))))
    const whole = gzipped ? gzipSync(text, { level: 1 }) : Buffer.from(text)
    const part = whole.subarray(0, Math.floor(whole.length * 0.6))
    await hangUp(site, part, gzipped ? { 'content-encoding': 'gzip' } : {})
    const stored = await countStored(app.pool, id)
    assert.ok(stored > 0 && stored < 2000, `${stored} are stored`)
    const entries = await assertSound(app.pool, id)
    assert.deepEqual(
      entries.map((entry) => entry.id),
      Array.from({ length: stored }, (_, n) => idOf('order', n)),
    )
    const [row] = await app.pool<{ n: number }[]>`
      select count(*) as n from rejected_records where location_id = ${id}`
    assert.equal(row?.n, 0, 'the broken end was taken for a record')
    const again = (await app.push(text, { key })).json
    assert.deepEqual([again.unchanged, again.accepted], [stored, 2000 - stored])
    await assertSound(app.pool, id)
  })
}

/** If no line is read during this many turns of the event loop, reading has stopped because enough is in memory. */
const idleTurns = 1_000

test('a body is read no more than two batches ahead of what is stored', async () => {
  const { id } = await app.addLocation()
  // Nothing can be stored.
  const release = await hold(app.pool, id)
  let [read, turns] = [0, 0]
  async function* lines() {
    for (; read < 4 * batchSize; read += 1) {
      turns = 0
      yield Buffer.from(linesOf([order(smallOrderOf(id, read))]))
    }
  }
  // On the fast path a second batch may be sent while the first is running.
  const given = poolerOf(app.pool) === 'none' && (await isOneServer(app.pool)) ? 2 : 1
  const whole = (given + 1) * batchSize - 1
  const pushing = ingestLines(app.context.writer, { locationId: id, keyId: null }, lines())
  await eventually(() => read >= whole, `${given} wait for the location, and the next one is whole`)
  for (turns = 0; turns < idleTurns; turns += 1) await nextTurn()
  assert.equal(read, whole)
  await release()
  assert.equal((await pushing).accepted, 4 * batchSize)
  await assertSound(app.pool, id)
})
