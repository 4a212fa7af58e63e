import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { simulate } from '../../../simulator/simulation.ts'
import { startApp, type Answer, type TestApp } from '../../support/app.ts'
import type { TestDatabase } from '../../support/database.ts'
import { backUp, newDirectory, restore } from './support.ts'

/** How many days of a restaurant are compared; `TILLGATE_TEST_DAYS=365` with only one file compares a year. */
export const days = Number(process.env['TILLGATE_TEST_DAYS'] ?? 3)

const from = new Date('2026-03-01T23:00:00.000Z')
const to = new Date(from.getTime() + days * 86_400_000)
const [since, until] = [from, to].map((at) => at.toISOString().slice(0, 10))

export type Restaurant = { app: TestApp; answers: Map<string, string>; head: number }

/** Opens a restaurant with every version that its tills sent, a webhook, and the data that a partner reads. */
export async function openRestaurant(database: TestDatabase): Promise<Restaurant> {
  const app = await startApp({ database })
  const restaurant = createRestaurant({ seed: 'backup', locationId: app.location, ordersPerDay: 20 })
  let batch: unknown[] = []
  for (const { record } of simulate(restaurant, { from, to })) {
    batch.push(record)
    if (batch.length === 500) await app.store(batch.splice(0))
  }
  await app.store(batch)
  const endpointUrl = 'http://127.0.0.1:1/hook'
  const webhook = { events: ['order.paid'], endpointUrl, locationId: app.location, recipientId: randomUUID() }
  const headers = { 'content-type': 'application/json' }
  const made = await app.request('POST', '/v1/webhooks/', { headers, body: JSON.stringify(webhook) })
  assert.equal(made.status, 201, made.text)
  const { head } = (await app.get('/v1/events/')).json.meta as { head: number }
  return { app, answers: await readEverything(app, app.key, head), head }
}

/**
 * Returns a response without intended differences between two databases: the address of the server, and the end of the
 * journal, which tables of sales and the state of a webhook contain.
 */
const comparable = ({ status, headers, text }: Answer) => {
  const same = text.replaceAll(/127\.0\.0\.1:\d+/g, 'host').replace(/(?<="meta":{.*"sequence":)\d+/, '0')
  return `${status} ${same.replace(/"behind":\d+/, '"behind":0')} ${headers.etag ?? ''}`
}

/** Reads every response about a location that a partner can get, by path. */
async function readEverything(app: TestApp, key: string, head: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>()
  const read = async (path: string) => {
    let answer = await app.get(path, { key })
    // The totals of a long history need more than one request to be built.
    for (let n = 0; n < 500 && answer.json.code === 'figures_building'; n++) answer = await app.get(path, { key })
    assert.equal(answer.status, 200, `${path}: ${answer.text.slice(0, 300)}`)
    answers.set(path, comparable(answer))
    return answer.json
  }
  const pages = async (path: string) => {
    const found: { id: string }[] = []
    for (let index = 0; ; index++) {
      const { data } = await read(`${path}index=${index}&size=100`)
      if (data.length === 0) return found
      found.push(...data)
    }
  }
  for (const path of ['/v1/locations/own', '/v1/locations/own?devices=true', '/v1/catalog/']) await read(path)
  for (const list of ['modifiers', 'payments', 'taxes']) await read(`/v1/catalog/${list}/`)
  const orders = await pages('/v1/orders/?state=all&')
  await pages('/v1/orders/?sort=-createdAt&')
  for (const [n, { id }] of orders.entries()) {
    await read(`/v1/orders/${id}`)
    if (n % 10 === 0) await read(`/v1/orders/${id}/history`)
  }
  for (const { id } of await pages('/v1/reports/?')) {
    await read(`/v1/reports/${id}`)
    await read(`/v1/reports/${id}/reconciliation`)
  }
  for (const { id } of (await read('/v1/webhooks/')).data) {
    await read(`/v1/webhooks/${id}/secret`)
    await read(`/v1/webhooks/${id}/status`)
  }
  for (const by of ['day', 'hour', 'operator', 'product', 'payment', 'day,product']) {
    const path = `/v1/sales/?since=${since}&until=${until}&by=${by}`
    await read(path)
    // The ETag of a table depends on the journal, which continues after a restore.
    answers.set(path, (answers.get(path) ?? '').replace(/ "[^"]*"$/, ''))
  }
  for (const path of ['/v1/completeness/', '/v1/devices/', `/v1/business-days/?since=${since}&until=${until}`]) {
    await read(path)
    // These responses depend on the head, and on counters of the process that received the pushes.
    answers.set(path, (answers.get(path) ?? '').replaceAll(/(?<="(sequence|staleShare24h)":)[\d.nul]+/g, '0'))
  }
  // The feed continues after the old head: up to there it is the same.
  for (let after = 0; after < head;) {
    const { data, meta } = (await app.get(`/v1/events/?after=${after}&limit=500`, { key })).json
    const known = (data as { sequence: number }[]).filter(({ sequence }) => sequence <= head)
    answers.set(`feed after ${after}`, JSON.stringify(known).replaceAll(/127\.0\.0\.1:\d+/g, 'host'))
    after = meta.next
  }
  return answers
}

/** Restores a backup of the restaurant into an empty database, where every read must return the same as before. */
export async function assertRestoredAlike({ app, answers, head }: Restaurant, database: TestDatabase): Promise<void> {
  const dir = newDirectory()
  await backUp(app.pool, dir)
  await restore(database.pool, dir)
  const restored = await startApp({ database })
  const found = await readEverything(restored, app.key, head)
  assert.deepEqual([...found.keys()].toSorted(), [...answers.keys()].toSorted())
  for (const [path, answer] of answers) assert.equal(found.get(path), answer, path)
  assert.ok(answers.size > 60, `only ${answers.size} answers were compared`)
  for (const name of ['read', 'ingest', 'webhooks', 'expired', 'revoked', 'unknown'] as const) {
    const [here, there] = [app, restored].map((of) => of.get('/v1/orders/', { key: app.keys[name] }))
    assert.equal((await there)?.status, (await here)?.status, name)
  }
  assert.equal((await verifyLocation(database.pool, app.location)).verified, true)
}
