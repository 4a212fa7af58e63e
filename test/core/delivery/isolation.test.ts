import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { Agent, request } from 'undici'
import { addKey, addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { startProcess } from '../../support/processes.ts'
import type { ApiProcessOptions } from '../../support/processes/api.ts'
import { linesOf, order, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const healthyWebhooks = 90
const backlog = 50_000

/** Number of events pushed in each phase. */
const eventsPushed = 24

const database = await createDatabase()
const { pool, connection } = database
const locationId = await addLocation(pool)
const { key } = await addKey(pool, locationId)

/** Starts a receiver that never answers `/slow`, and answers everything else immediately. */
async function startSink() {
  /** Path and `webhook-id` of each delivery, since a delivery may arrive twice on a busy machine. */
  const received = new Set<string>()
  let [slowNow, slowMost] = [0, 0]
  const server = createServer((incoming, response) => {
    incoming.resume()
    if (incoming.url === '/slow') {
      slowNow += 1
      slowMost = Math.max(slowMost, slowNow)
      response.on('close', () => (slowNow -= 1))
      return
    }
    incoming.on('end', () => {
      received.add(`${incoming.url} ${String(incoming.headers['webhook-id'])}`)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received, slow: () => ({ now: slowNow, most: slowMost }), close }
}

const sink = await startSink()
atEnd(sink.close)
const server = await startProcess('api', { connection, port: 0, role: 'all' } satisfies ApiProcessOptions)
atEnd(() => server.kill())
const agent = new Agent({ connections: 16 })
atEnd(() => agent.destroy())

async function send(path: string, type: string, body: string): Promise<{ status: number; text: string }> {
  const headers = { 'x-api-key': key, 'content-type': type }
  const answer = await request(`${server.ready.url}${path}`, { method: 'POST', headers, body, dispatcher: agent })
  return { status: answer.statusCode, text: await answer.body.text() }
}

async function call(path: string, type: string, body: string): Promise<any> {
  const { status, text } = await send(path, type, body)
  assert.ok(status < 300, text)
  return JSON.parse(text)
}

/** Pushes an order like a till: repeats the push if a busy database did not respond in time. */
async function push(n: number): Promise<void> {
  await eventually(async () => {
    const { status, text } = await send(
      '/v1/ingest/',
      'application/x-ndjson',
      linesOf([order(versionOf(locationId, n, 1))]),
    )
    assert.ok(status < 300 || status === 503, text)
    return status < 300
  }, `order ${n} is stored`)
}

const register = (path: string) =>
  call(
    '/v1/webhooks/',
    'application/json',
    JSON.stringify({
      events: ['order.created'],
      endpointUrl: `${sink.url}${path}`,
      locationId,
      recipientId: randomUUID(),
    }),
  )

/** Pushes orders one after another; resolves when every healthy webhook has received each. */
async function phase(from: number): Promise<void> {
  const expected = sink.received.size + eventsPushed * healthyWebhooks
  for (let i = 0; i < eventsPushed; i++) {
    await push(from + i)
  }
  await eventually(() => sink.received.size >= expected, 'every healthy webhook received its events')
  assert.equal(sink.received.size, expected)
}

test('a hanging endpoint with a backlog of 50,000 events occupies 8 connections and delays none of 90 others', async () => {
  await pool`
    insert into journal (location_id, seq, accepted_at, kind, id, prev_seq, types, document, salt, commitment, hash)
    select ${locationId}, seq, now(), 'order', gen_random_uuid(), null, '{order.created}', '{"id":"an older order"}', '', '', ''
    from generate_series(1, ${backlog}) as seq`
  await pool`update location_seq set last_seq = ${backlog} where location_id = ${locationId}`
  for (let i = 0; i < healthyWebhooks; i += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, j) => register(`/healthy/${i + j}`)))
  }
  await phase(1)
  const slow = await register('/slow')
  await call(`/v1/webhooks/${slow.id}/replay`, 'application/json', JSON.stringify({ sequence: 1 }))
  await eventually(() => sink.slow().now === 8, 'the slow endpoint hangs on all its connections')
  await phase(1_001)
  assert.equal(sink.slow().most, 8)
  const [row] = await pool`select cursor from webhooks where id = ${slow.id}`
  assert.ok(row && row['cursor'] < 1_000, 'the slow endpoint still has its backlog')
})
