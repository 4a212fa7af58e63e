import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordResult } from '../../../src/core/schemas/ingest.ts'
import { startApp } from '../../support/app.ts'
import {
  everyRecord,
  idOf,
  itemOf,
  locationOf,
  order,
  orderOf,
  report,
  reportOf,
  smallOrderOf,
} from '../../support/records.ts'
import { assertSound } from './soundness.ts'

let now = Date.parse('2026-05-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })

const verdict = ({ status, code }: RecordResult) => (code === undefined ? status : `${status} ${code}`)

async function push(records: readonly unknown[] | string, key: string): Promise<string[]> {
  const answer = await app.push(records, { key })
  return answer.json.results.map(verdict)
}

const version = (locationId: string, second: number, changes: object = {}) =>
  order({ ...orderOf(locationId, 1), updatedAt: `2026-04-01T10:00:0${second}.000Z`, ...changes })

test('a first version is accepted, the same again unchanged, an older one stale, a newer one accepted', async () => {
  const { id, key } = await app.addLocation()
  assert.deepEqual(await push([version(id, 5)], key), ['accepted'])
  assert.deepEqual(await push([version(id, 5)], key), ['unchanged'])
  assert.deepEqual(await push([version(id, 4, { guests: 9 })], key), ['stale'])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 1)}`, { key })).json.guests, 2)
  assert.deepEqual(await push([version(id, 6, { guests: 3 })], key), ['accepted'])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 1)}`, { key })).json.guests, 3)
  const entries = await assertSound(app.pool, id)
  assert.equal(entries.length, 2)
})

test('of two versions with the same updatedAt the later arrival wins', async () => {
  const { id, key } = await app.addLocation()
  assert.deepEqual(await push([version(id, 5), version(id, 5, { guests: 7 })], key), ['accepted', 'accepted'])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 1)}`, { key })).json.guests, 7)
  assert.deepEqual(await push([version(id, 5)], key), ['accepted'])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 1)}`, { key })).json.guests, 2)
  await assertSound(app.pool, id)
})

test('a whole day resent, in any order, changes nothing', async () => {
  const { id, key } = await app.addLocation()
  const records = [...everyRecord(id), ...Array.from({ length: 50 }, (_, n) => order(orderOf(id, n + 10)))]
  await app.store(records, key)
  const before = await assertSound(app.pool, id)
  const again = (await app.push(records.toReversed(), { key })).json
  assert.deepEqual([again.unchanged, again.accepted, again.stale, again.rejected], [records.length, 0, 0, 0])
  assert.equal((await assertSound(app.pool, id)).length, before.length)
})

test('the sequence of an accepted record is its position in the journal', async () => {
  const { id, key } = await app.addLocation()
  const first = await app.store(everyRecord(id), key)
  const sequences = first.results.filter((one) => one.status === 'accepted').map((one) => one.sequence)
  assert.deepEqual(
    sequences,
    sequences.map((_, i) => i + 1),
  )
  const second = await app.store([version(id, 9), version(id, 9), report(reportOf(id, 2))], key)
  assert.deepEqual(
    second.results.map((one) => one.sequence),
    [sequences.length + 1, undefined, sequences.length + 2],
  )
})

test('several versions of one order in one push are each journaled, and the last one is current', async () => {
  const { id, key } = await app.addLocation()
  const records = [
    version(id, 1, { closedAt: null, guests: 1 }),
    version(id, 2, { closedAt: null, guests: 2 }),
    version(id, 1, { closedAt: null, guests: 3 }),
    version(id, 3, { guests: 4 }),
    version(id, 3, { guests: 4 }),
    version(id, 4, { guests: 5, createdAt: '2026-06-01T00:00:00.000Z' }),
  ]
  const expected = ['accepted', 'accepted', 'stale', 'accepted', 'unchanged', 'accepted']
  assert.deepEqual(await push(records, key), expected)
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(
    entries.map(({ document, prevSeq }) => [JSON.parse(String(document)).guests, prevSeq]),
    [
      [1, null],
      [2, 1],
      [4, 2],
      [5, 3],
    ],
  )
})

test('without times the server sets them, and only a change of content is a new version', async () => {
  const { id, key } = await app.addLocation()
  const { createdAt, updatedAt, ...untimed } = orderOf(id, 1)
  assert.ok(createdAt && updatedAt)
  const read = async () => (await app.get(`/v1/orders/${untimed.id}`, { key })).json
  const first = new Date(now).toISOString()
  assert.deepEqual(await push([order(untimed)], key), ['accepted'])
  assert.deepEqual([(await read()).createdAt, (await read()).updatedAt], [first, first])
  now += 1000
  assert.deepEqual(await push([order(untimed)], key), ['unchanged'])
  assert.deepEqual(await push([order({ ...untimed, guests: 4 })], key), ['accepted'])
  assert.deepEqual([(await read()).createdAt, (await read()).updatedAt], [first, new Date(now).toISOString()])
  await assertSound(app.pool, id)
})

test('an order without createdAt gets the time of its first change, and keeps it', async () => {
  const { id, key } = await app.addLocation()
  const first = new Date(now - 600_000).toISOString()
  const { createdAt, ...untimed } = orderOf(id, 1, { openedAt: first, closedAt: first, updatedAt: first })
  assert.notEqual(createdAt, first)
  const read = async () => (await app.get(`/v1/orders/${untimed.id}`, { key })).json
  assert.deepEqual(await push([order(untimed)], key), ['accepted'])
  assert.deepEqual([(await read()).createdAt, (await read()).updatedAt], [first, first])
  // What a partner reads can be pushed back without a warning.
  const { results } = (await app.push([order(await read())], { key })).json
  assert.deepEqual([results[0].status, results[0].warnings], ['unchanged', undefined])
  const second = new Date(now).toISOString()
  assert.deepEqual(await push([order({ ...untimed, updatedAt: second, guests: 4 })], key), ['accepted'])
  assert.deepEqual([(await read()).createdAt, (await read()).updatedAt], [first, second])
  // A till whose clock is ahead has created nothing later than now.
  const ahead = new Date(now + 600_000).toISOString()
  assert.deepEqual(await push([order({ ...untimed, id: idOf('order', 2), updatedAt: ahead })], key), ['accepted'])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 2)}`, { key })).json.createdAt, second)
  await assertSound(app.pool, id)
})

test('a push without updatedAt replaces a version from the future, and keeps its time', async () => {
  const { id, key } = await app.addLocation()
  const future = '2030-01-01T00:00:00.000Z'
  await app.store([order(orderOf(id, 1, { updatedAt: future }))], key)
  const { updatedAt, ...untimed } = orderOf(id, 1, { guests: 5 })
  assert.ok(updatedAt)
  assert.deepEqual(await push([order(untimed)], key), ['accepted'])
  const { guests, updatedAt: stored } = (await app.get(`/v1/orders/${untimed.id}`, { key })).json
  assert.deepEqual([guests, stored], [5, future])
})

test('an id is the same in either case', async () => {
  const { id, key } = await app.addLocation()
  await app.store([version(id, 1)], key)
  assert.deepEqual(await push([version(id, 2, { id: idOf('order', 1).toUpperCase() })], key), ['accepted'])
  assert.equal((await app.get('/v1/orders/', { key })).json.meta.totalCount, 1)
  assert.deepEqual(await push([version(id, 3, { locationId: id.toUpperCase() })], key), ['accepted'])
  await assertSound(app.pool, id)
})

test('fields in any order and layout are the same document, in the documented order', async () => {
  const { id, key } = await app.addLocation()
  const sent = orderOf(id, 1)
  await app.store([order(sent)], key)
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, child]) => [name, reversed(child)]),
    )
  }
  const text = JSON.stringify({ data: reversed(sent), type: 'order' }, null, 2)
  assert.equal((await app.push(text, { key, type: 'application/json' })).json.unchanged, 1)
  assert.equal((await app.get(`/v1/orders/${sent.id}`, { key })).text, JSON.stringify(sent))
})

test('numbers are returned as they were sent, and a different spelling is a new version', async () => {
  const { id, key } = await app.addLocation()
  const text = JSON.stringify(order(smallOrderOf(id, 1, { total: 12.5, guests: 3 })))
  const spelled = text.replace('"total":12.5', '"total":12.50').replace('"guests":3', '"guests":3.0')
  assert.deepEqual(await push(spelled, key), ['accepted'])
  const read = await app.get(`/v1/orders/${idOf('order', 1)}`, { key })
  assert.match(read.text, /"guests":3,.*"total":12\.50,/)
  assert.deepEqual(await push(spelled, key), ['unchanged'])
  assert.deepEqual(await push(text, key), ['accepted'])
  await assertSound(app.pool, id)
})

test('the largest exact numbers are stored, and larger ones are refused', async () => {
  const { id, key } = await app.addLocation()
  const text = JSON.stringify(order(smallOrderOf(id, 1, { total: 1, guests: 3 })))
  const withTotal = (total: string) => text.replace('"total":1,', `"total":${total},`)
  for (const total of ['9007199254740991', '-9007199254740991', '0.1', '1e-7', '-0']) {
    assert.deepEqual(await push(withTotal(total), key), ['accepted'], total)
    assert.ok((await app.get(`/v1/orders/${idOf('order', 1)}`, { key })).text.includes(`"total":${total},`))
  }
  for (const total of ['9007199254740992', '9007199254740993', '-9007199254740992', '1e300', '1e400']) {
    assert.match((await push(withTotal(total), key))[0] ?? '', /^rejected (out_of_range|invalid_type)$/, total)
  }
  for (const guests of ['2.5', '9007199254740992', '"3"', 'true', 'null']) {
    assert.match((await push(text.replace('"guests":3', `"guests":${guests}`), key))[0] ?? '', /^rejected /, guests)
  }
})

test('years from 1 to 9999 are stored and updated like any other', async () => {
  const { id, key } = await app.addLocation()
  const times = [
    '0001-01-01T00:00:00.000Z',
    '0050-06-01T12:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
  ]
  for (const [n, createdAt] of times.entries()) {
    for (const [guests, second] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const record = order(smallOrderOf(id, n, { createdAt, guests, updatedAt: `2026-04-01T10:00:0${second}.000Z` }))
      assert.deepEqual(await push([record], key), ['accepted'], createdAt)
    }
    const day = createdAt.slice(0, 10)
    const page = await app.get(`/v1/orders/?since=${day}&until=${day}`, { key })
    assert.deepEqual([page.json.meta.totalCount, page.json.data[0]?.guests], [1, 2], createdAt)
  }
  await assertSound(app.pool, id)
})

test('versions from before the year 100 are compared by their time', async () => {
  const { id, key } = await app.addLocation()
  const dated = (updatedAt: string, guests: number) => order(smallOrderOf(id, 1, { updatedAt, guests }))
  const records = [dated('0001-01-01T00:00:00.002Z', 1), dated('0001-01-01T00:00:00.001Z', 2)]
  assert.deepEqual(await push(records.slice(0, 1), key), ['accepted'])
  assert.deepEqual(await push(records.slice(1), key), ['stale'])
  assert.deepEqual(await push([dated('0001-01-01T00:00:00.003Z', 3)], key), ['accepted'])
})

test('a location pushed without deviceList keeps its devices', async () => {
  const { id, key } = await app.addLocation()
  const { deviceList, ...plain } = locationOf(id, { name: 'Neu' })
  assert.deepEqual(await push([{ type: 'location', data: plain }], key), ['accepted'])
  assert.deepEqual(await push([{ type: 'location', data: plain }], key), ['unchanged'])
  assert.deepEqual((await app.get('/v1/locations/own?devices=true', { key })).json, { ...plain, deviceList })
})

test('the answer lists every record of a small push, and of a long one those that need attention', async () => {
  const { id, key } = await app.addLocation()
  const good = Array.from({ length: 1500 }, (_, n) => order(smallOrderOf(id, n)))
  const records = [
    ...good,
    { type: 'order', data: {} },
    order(smallOrderOf(id, 3, { updatedAt: '2020-01-01T00:00:00.000Z', guests: 9 })),
  ]
  const answer = await app.push(records, { key })
  assert.equal(answer.status, 207)
  const { results, resultsOmitted, accepted, stale, rejected } = answer.json
  assert.deepEqual([accepted, stale, rejected, results.length, resultsOmitted], [1500, 1, 1, 1002, 500])
  assert.deepEqual(
    results.slice(-2).map((one: RecordResult) => [one.line, one.status]),
    [
      [1501, 'rejected'],
      [1502, 'stale'],
    ],
  )
  await assertSound(app.pool, id)
})

test('an order of the maximum size is stored and read back', async () => {
  const { id, key } = await app.addLocation()
  const items = Array.from({ length: 340 }, (_, n) => itemOf(n))
  const sent = orderOf(id, 1, { items })
  await app.store([order(sent)], key)
  assert.deepEqual((await app.get(`/v1/orders/${sent.id}`, { key })).json, sent)
})
