import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { pushedShape } from '../../../src/core/schemas/ingest.ts'
import { recordSchemas } from '../../../src/core/contract/resources.ts'
import { Closing, Ticket } from '../../../src/modules/sources/schemas/tickets.ts'
import { randomOf } from '../../../simulator/random.ts'
import { listAdapters, listMapAdapters, listSourceNames } from '../../../src/modules/sources/adapters/all.ts'
import { byId, fileOf, mapShop, runShop, shops, type ShopFile } from './golden.ts'

const [ticket, closing] = [Compile(Ticket), Compile(Closing)]
const shapes = { order: Compile(pushedShape(recordSchemas.order)), report: Compile(pushedShape(recordSchemas.report)) }

/** Returns a list with its elements in another order. */
const shuffled = <T>(list: readonly T[], seed: number): T[] => {
  const random = randomOf('shuffled', seed)
  return list
    .map((one) => ({ one, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Returns the same documents in another order and in other files: each top-level list of a JSON document is split. */
function otherwise(file: ShopFile, seed: number): ShopFile[] {
  if (!file.name.endsWith('.json')) return [file]
  const document = JSON.parse(file.bytes.toString())
  const named = (name: string, value: unknown) => fileOf(name, Buffer.from(JSON.stringify(value)))
  const cut = (make: (list: unknown[]) => unknown, list: unknown[]) => {
    const mixed = shuffled(list, seed)
    const at = seed % (mixed.length + 1)
    return [mixed.slice(0, at), mixed.slice(at)].map((part, i) => named(`${i}-${file.name}`, make(part)))
  }
  if (Array.isArray(document)) return cut((list) => list, document)
  for (const name of ['receipts', 'shifts', 'sales', 'items']) {
    if (name in document) return cut((list) => ({ [name]: list }), document[name])
  }
  return cut(
    (orders) => ({ orders }),
    document.pages.flatMap((page: { orders: unknown[] }) => page.orders),
  )
}

for (const shop of shops) {
  describe(`the documents of ${shop.name}`, () => {
    test('become the hand-computed records', async () => {
      const { records, refused } = await runShop(shop, shop.files)
      assert.deepEqual(refused.first, [])
      assert.deepEqual(byId(records), byId(shop.expected))
      for (const { type, data } of records) {
        assert.ok(shapes[type].Check(data), JSON.stringify(shapes[type].Errors(data).slice(0, 2)))
      }
    })

    test('are tickets and closings that any till can push', async () => {
      const { tickets, closings } = await mapShop(shop, shop.files)
      for (const one of tickets) assert.ok(ticket.Check(one), JSON.stringify(ticket.Errors(one).slice(0, 2)))
      for (const one of closings) assert.ok(closing.Check(one), JSON.stringify(closing.Errors(one).slice(0, 2)))
    })

    test('become the same records in any order and any split', async () => {
      for (let seed = 0; seed < 25; seed++) {
        const files = shuffled(
          shop.files.flatMap((file) => otherwise(file, seed)),
          seed,
        )
        assert.deepEqual(byId((await runShop(shop, files)).records), byId(shop.expected), `seed ${seed}`)
      }
    })

    test('of one account share no id with another', async () => {
      const ids = async (account: string) => {
        const { records } = await runShop({ ...shop, profile: { ...shop.profile, account } }, shop.files)
        const data = records.map((one) => ({ ...one.data, locationId: '' }))
        return new Set(JSON.stringify(data).match(/[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g))
      }
      const own = await ids(shop.profile.account)
      for (const id of await ids('another account')) assert.ok(!own.has(id), id)
    })

    test('add up to the totals that the source states for each day', async () => {
      for (const { day, salesHere, salesThere, vat, closings } of (await runShop(shop, shop.files)).days) {
        if (shop.name !== 'csv') assert.equal(salesHere, salesThere, day)
        assert.ok(vat === null || Math.abs(vat) <= 2, day)
        for (const { number, state } of closings) assert.equal(state, 'balanced', `${day} ${number}`)
      }
    })
  })
}

test('an amount in another currency than the location’s is refused, and never stored in the location’s currency', async () => {
  for (const shop of shops.filter(({ name }) =>
    ['square', 'square-ca', 'sumup', 'sumup-us', 'lightspeed-k'].includes(name),
  )) {
    const other = { ...shop, profile: { ...shop.profile, currency: 'CHF' } }
    const { records, refused } = await runShop(other, shop.files)
    assert.deepEqual(records, [], shop.name)
    assert.ok(refused.count >= 2)
    for (const { reason } of refused.first)
      assert.match(reason, /^the (?:sale|order) is in (GBP|CAD|EUR|USD), but the location in CHF$/)
  }
})

test('every supported system has a name for --from', () => {
  assert.deepEqual([...listSourceNames()], [...listMapAdapters().keys(), ...listAdapters().keys()])
})
