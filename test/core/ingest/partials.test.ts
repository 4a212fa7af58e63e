import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PartialType } from '../../../src/core/schemas/partials.ts'
import { randomOf } from '../../../simulator/random.ts'
import { startApp } from '../../support/app.ts'
import { assertSound } from './soundness.ts'

const app = await startApp({ clock: () => new Date('2026-05-01T10:00:00.000Z') })

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Functions that write an entry as a till may send it. */
const makers: Record<PartialType, (n: number, name: string) => string> = {
  device: (n, name) => `{"id":"${idOf(n)}","name":"${name}","model":"till, \\"[1]\\""}`,
  'catalog.product': (n, name) =>
    `{"id":"${idOf(n)}","name":"${name}","category":"[a],{b}","categoryId":"${idOf(1)}","subCategories":[],` +
    `"priceList":[{"priceTypeId":1,"priceTypeName":"x","unitPrice":1${n}00,"taxRate":1000}]}`,
  'catalog.modifier': (n, name) =>
    `{"id":"${idOf(n)}","name":"${name}","options":[{"id":"${idOf(900 + n)}","name":"a","price":${n}.50}]}`,
  'catalog.payment': (n, name) => `{"id":"${idOf(n)}","name":"${name}","enabled":true}`,
  'catalog.tax': (n, name) => `{"id":"${idOf(n)}","name":"${name}","percentage":1000}`,
}

const paths: Record<PartialType, string> = {
  device: '/v1/locations/own?devices=true',
  'catalog.product': '/v1/catalog/',
  'catalog.modifier': '/v1/catalog/modifiers/',
  'catalog.payment': '/v1/catalog/payments/',
  'catalog.tax': '/v1/catalog/taxes/',
}

const one = (type: PartialType, entry: string) => `{"type":"${type}","data":${entry}}`
const without = (type: PartialType, n: number) => one(type, `{"id":"${idOf(n).toUpperCase()}","removed":true}`)

/** Resolves to the list as text, exactly as stored. */
async function read(type: PartialType, key: string): Promise<string> {
  const { text } = await app.get(paths[type], { key })
  return type === 'device' ? (/"deviceList":(\[.*\])\}$/.exec(text)?.[1] ?? '[]') : text
}

const shuffled = <T>(list: readonly T[], seed: number): T[] => {
  const random = randomOf('partials', seed)
  return list
    .map((one) => ({ one, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Creates a location without an entry of this type. */
async function emptyLocation(type: PartialType) {
  const site = await app.addLocation()
  const { id } = ((JSON.parse(await read(type, site.key)) as { id: string }[])[0] ?? {}) as { id?: string }
  if (id !== undefined) await app.push(one(type, `{"id":"${id}","removed":true}`), { key: site.key })
  return site
}

for (const type of Object.keys(makers) as PartialType[]) {
  describe(`a record of one ${type}`, () => {
    const entries = Array.from({ length: 12 }, (_, n) => makers[type](n, `Name ${n}`))
    const list = `[${entries.join(',')}]`

    test('adds up to the whole list; the same record again changes nothing', async () => {
      const { id, key } = await emptyLocation(type)
      const pushed = await app.push(entries.map((entry) => one(type, entry)).join('\n'), { key })
      assert.deepEqual([pushed.json.accepted, pushed.json.rejected], [12, 0], JSON.stringify(pushed.json.results[0]))
      assert.deepEqual(pushed.json.results[3].type, type)
      assert.deepEqual(pushed.json.results[3].id, idOf(3))
      assert.equal(await read(type, key), list)
      const before = (await assertSound(app.pool, id)).length
      const again = await app.push(entries.map((entry) => one(type, entry)).join('\n'), { key })
      assert.deepEqual([again.json.unchanged, again.json.accepted], [12, 0])
      assert.equal((await assertSound(app.pool, id)).length, before)
    })

    test('changes its entry in place, in any order and any split of the push', async () => {
      for (let seed = 1; seed <= 5; seed++) {
        const { id, key } = await emptyLocation(type)
        await app.push(entries.map((entry) => one(type, entry)).join('\n'), { key })
        const changed = entries.map((_, n) => makers[type](n, `Other ${n}`))
        const cut = seed * 2
        const mixed = shuffled(
          changed.map((entry) => one(type, entry)),
          seed,
        )
        for (const part of [mixed.slice(0, cut), mixed.slice(cut)]) await app.push(part.join('\n'), { key })
        assert.equal(await read(type, key), `[${changed.join(',')}]`)
        await assertSound(app.pool, id)
      }
    })

    test('that is removed disappears, and can be added again', async () => {
      const { id, key } = await emptyLocation(type)
      const [first, second, third] = entries as [string, string, string]
      await app.push([first, second, third].map((entry) => one(type, entry)).join('\n'), { key })
      const { json } = await app.push([without(type, 1), without(type, 7)].join('\n'), { key })
      assert.deepEqual(
        json.results.map(({ status }: { status: string }) => status),
        ['accepted', 'unchanged'],
      )
      assert.equal(await read(type, key), `[${first},${third}]`)
      await app.push([without(type, 0), one(type, second)].join('\n'), { key })
      assert.equal(await read(type, key), `[${third},${second}]`)
      await app.push([without(type, 2), without(type, 1)].join('\n'), { key })
      assert.equal(await read(type, key), '[]')
      await assertSound(app.pool, id)
    })
  })
}

test('two concurrent writers lose no entry of each other', async () => {
  const { id, key } = await app.addLocation()
  const numbers = Array.from({ length: 40 }, (_, n) => n)
  await Promise.all(
    numbers.map((n) => app.push(one('catalog.product', makers['catalog.product'](n, `N${n}`)), { key })),
  )
  const found = JSON.parse(await read('catalog.product', key)) as { id: string }[]
  assert.deepEqual(found.map((product) => product.id).toSorted(), numbers.map(idOf))
  await assertSound(app.pool, id)
})

test('all records of a push are one version of the list, with one event that contains the whole list', async () => {
  const { key } = await app.addLocation()
  const taxes = [1, 2, 3].map((n) => makers['catalog.tax'](n, `Tax ${n}`))
  const { json } = await app.push(taxes.map((entry) => one('catalog.tax', entry)).join('\n'), { key })
  assert.equal(new Set(json.results.map(({ sequence }: { sequence: number }) => sequence)).size, 1)
  const events = await app.get('/v1/events/', { key })
  const updates = events.json.data.filter(({ type }: { type: string }) => type === 'catalog.taxes.updated')
  assert.deepEqual(
    updates.map(({ data }: { data: unknown }) => JSON.stringify(data)),
    [`[${taxes.join(',')}]`],
  )
})

test('a whole list among single entries is a version in its place', async () => {
  const { id, key } = await app.addLocation()
  const [a, b, c] = [1, 2, 3].map((n) => makers['catalog.tax'](n, `Tax ${n}`)) as [string, string, string]
  const lines = [one('catalog.tax', a), `{"type":"catalog.taxes","data":[${b}]}`, one('catalog.tax', c)]
  const { json } = await app.push(lines.join('\n'), { key })
  assert.deepEqual([json.accepted, new Set(json.results.map((one: { sequence: number }) => one.sequence)).size], [3, 3])
  assert.equal(await read('catalog.tax', key), `[${b},${c}]`)
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(
    entries.slice(-3).map(({ document }) => document),
    [`[${a}]`, `[${b}]`, `[${b},${c}]`],
  )
})

test('a historical single record has no event', async () => {
  const { key } = await app.addLocation()
  const headers = { 'content-type': 'application/x-ndjson' }
  const body = one('catalog.tax', makers['catalog.tax'](1, 'Tax'))
  await app.request('POST', '/v1/ingest/?history=true', { key, headers, body })
  const events = await app.get('/v1/events/', { key })
  assert.equal(await read('catalog.tax', key), `[${makers['catalog.tax'](1, 'Tax')}]`)
  assert.deepEqual(events.json.data, [])
})

test('a fault of a single record is reported with its pointer', async () => {
  const { key } = await app.addLocation()
  const lines = [
    one('catalog.tax', `{"id":"${idOf(1)}","name":"A"}`),
    one('device', `{"id":"x","name":"A","model":""}`),
    one('catalog.payment', `{"id":"${idOf(1)}","removed":true,"name":"A"}`),
    one('catalog.payment', `{"id":"${idOf(1)}","removed":false}`),
    one('catalog.tax', `[]`),
  ]
  const { json } = await app.push(lines.join('\n'), { key })
  const faults = json.results.map((one: any) => [one.type, one.code, one.errors[0].pointer])
  assert.deepEqual(faults, [
    ['catalog.tax', 'missing', '/data/percentage'],
    ['device', 'invalid_uuid', '/data/id'],
    ['catalog.payment', 'unknown_field', '/data/name'],
    ['catalog.payment', 'invalid_value', '/data/removed'],
    ['catalog.tax', 'invalid_type', '/data'],
  ])
})

test('a single record gets its own warnings, and none that its list has shrunk', async () => {
  const { key } = await app.addLocation()
  const four = [1, 2, 3, 4].map((n) => one('catalog.tax', makers['catalog.tax'](n, `Tax ${n}`)))
  await app.push(four.join('\n'), { key })
  const { json } = await app.push(one('catalog.tax', `{"id":"${idOf(9)}","name":" ","percentage":10}`), { key })
  const warnings = json.results[0].warnings.map(({ code, pointer }: any) => `${code} ${pointer}`)
  assert.ok(warnings.includes('tax_rate_under_one_percent /data/percentage'), warnings.join())
  assert.ok(!warnings.some((one: string) => one.startsWith('list_shrunk')))
})
