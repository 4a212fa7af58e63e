import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { listRejected } from '../../../src/core/store/pushes/rejected.ts'
import { startApp, type Site } from '../../support/app.ts'
import { order, orderOf } from '../../support/records.ts'

const app = await startApp()

const sale = (site: Site, n: number, externalOrderId: string | null, changes: Partial<Order> = {}) =>
  order(
    orderOf(site.id, n, {
      id: randomUUID(),
      source: 'square',
      externalLocationId: 'LLONDON',
      externalOrderId,
      ...changes,
    }),
  )

const idOf = (record: { data: unknown }) => (record.data as Order).id

const push = async (site: Site, records: readonly unknown[]) => (await app.push(records, { key: site.key })).json

const countOf = async (site: Site) => (await app.get('/v1/orders/?state=all', { key: site.key })).json.meta.totalCount

test('the same sale under another id is rejected with the id of the first, and kept among the rejected records', async () => {
  const site = await app.addLocation()
  const first = sale(site, 1, 'A1')
  await app.store([first], site.key)
  const again = sale(site, 1, 'A1')
  const { rejected, results } = await push(site, [again])
  assert.equal(rejected, 1)
  const { status, type, id, code, detail, errors } = results[0]
  assert.deepEqual([status, type, id, code], ['rejected', 'order', idOf(again), 'external_id_taken'])
  assert.deepEqual(
    errors.map(({ pointer }: any) => pointer),
    ['/data/externalOrderId'],
  )
  assert.ok(detail.includes(idOf(first)), detail)
  assert.equal(await countOf(site), 1)
  const [kept] = await listRejected(app.context.pool, site.id, 10)
  assert.deepEqual([kept?.code, JSON.parse(kept?.record ?? '{}').data.id], ['external_id_taken', idOf(again)])
})

test('a newer version with the same id is accepted, and so is the same number from another source or shop, or without one', async () => {
  const site = await app.addLocation()
  const first = sale(site, 1, 'A1')
  await app.store([first], site.key)
  const later = order({ ...(first.data as Order), updatedAt: '2026-12-01T00:00:00.000Z', guests: 9 })
  const others = [
    sale(site, 2, 'A1', { source: 'toast' }),
    sale(site, 3, 'A1', { externalLocationId: 'LPARIS' }),
    sale(site, 4, 'A1', { externalLocationId: null }),
    sale(site, 5, 'A1', { externalLocationId: null }),
    sale(site, 6, null),
    sale(site, 7, null),
  ]
  const { accepted } = await push(site, [later, ...others])
  assert.equal(accepted, 7)
  assert.equal((await app.addLocation()).id === site.id, false)
  const elsewhere = await app.addLocation()
  assert.equal((await push(elsewhere, [sale(elsewhere, 1, 'A1')])).accepted, 1)
})

test('of two in one push the first is accepted, in a short push and in a long one', async () => {
  for (const length of [2, 900]) {
    const site = await app.addLocation()
    // An earlier push makes the state known, so that the next one takes the fast path.
    for (let n = 0; n < 3; n++) await app.store([sale(site, 1_000 + n, `B${n}`)], site.key)
    const records = Array.from({ length }, (_, n) => sale(site, n, n === length - 1 ? 'A0' : `A${n}`))
    const { accepted, rejected, results } = await push(site, records)
    assert.deepEqual([accepted, rejected], [length - 1, 1])
    assert.equal(results.find(({ status }: any) => status === 'rejected').line, length)
    assert.equal(await countOf(site), length + 2)
  }
})

test('of concurrent pushes under different ids one is accepted, whatever else they contain', async () => {
  const site = await app.addLocation()
  for (let round = 0; round < 12; round++) {
    const pushes = Array.from({ length: 8 }, (_, n) => {
      const own = sale(site, 100 * round + n, `own-${round}-${n}`)
      return push(site, [own, sale(site, 100 * round + 50, `R${round}`)])
    })
    const answers = await Promise.all(pushes)
    assert.equal(
      answers.reduce((sum, { accepted }) => sum + accepted, 0),
      9,
      JSON.stringify(answers[0]),
    )
    assert.equal(
      answers.reduce((sum, { rejected }) => sum + rejected, 0),
      7,
    )
  }
  assert.equal(await countOf(site), 12 * 9)
})

test('a dry run returns the same results, and stores nothing', async () => {
  const site = await app.addLocation()
  await app.store([sale(site, 1, 'A1')], site.key)
  const body = [sale(site, 2, 'A1'), sale(site, 3, 'A2')].map((record) => JSON.stringify(record)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const { json } = await app.request('POST', '/v1/ingest/?dryRun=true', { key: site.key, body, headers })
  assert.deepEqual([json.accepted, json.rejected, json.results[0].code], [1, 1, 'external_id_taken'])
  assert.equal((await push(site, [sale(site, 3, 'A2')])).accepted, 1)
})

test('a key that a record of the push gives up is free for later ones, under the lock as in a dry run', async () => {
  const site = await app.addLocation()
  const [a, b] = ['a', 'b'].map((digit) => ({ id: digit.repeat(8) + randomUUID().slice(8) }))
  for (const [first, second] of [
    [a, b],
    [b, a],
  ] as const) {
    const updatedAt = new Date(Date.now() + (first === a ? 0 : 60_000)).toISOString()
    await app.store(
      [sale(site, 1, 'A1', { ...first, updatedAt }), sale(site, 2, 'A2', { ...second, updatedAt })],
      site.key,
    )
    const later = new Date(Date.parse(updatedAt) + 1_000).toISOString()
    const [freed, swapped] = [
      { ...first, updatedAt: later },
      { ...second, updatedAt: later },
    ]
    const records = [
      sale(site, 1, 'A3', freed),
      sale(site, 2, 'A1', swapped),
      sale(site, 1, 'A2', { ...freed, guests: 7 }),
    ]
    const body = [...records, { type: 'catalog.taxes', data: [] }].map((record) => JSON.stringify(record)).join('\n')
    for (const query of ['?dryRun=true', '']) {
      const headers = { 'content-type': 'application/x-ndjson' }
      const { json, text } = await app.request('POST', `/v1/ingest/${query}`, { key: site.key, body, headers })
      assert.deepEqual(
        [json.rejected, json.results.slice(0, 3).map(({ status }: any) => status)],
        [0, Array(3).fill('accepted')],
        text,
      )
    }
  }
})
