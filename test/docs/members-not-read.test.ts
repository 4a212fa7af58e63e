import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { notRead } from '../../src/modules/sources/adapters/not-read.ts'
import { runShop, shops } from '../modules/sources/golden.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/contract/members-not-read.md'), 'utf8')

const codesIn = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, code]) => code as string)

/** Members in the table, by source. */
const rows = new Map(
  page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [, source, elsewhere, noPlace] = line.split('|')
      return [codesIn(source)[0] as string, { elsewhere: codesIn(elsewhere), noPlace: codesIn(noPlace) }]
    }),
)

test('every member that an adapter ignores is in the table, and no other', () => {
  const expected = Object.entries(notRead).map(([source, { elsewhere, noPlace }]) => [
    source,
    { elsewhere: elsewhere.split(' '), noPlace: noPlace.split(' ') },
  ])
  assert.deepEqual([...rows], expected)
  for (const [source, { elsewhere, noPlace }] of rows) {
    const both = [...elsewhere, ...noPlace]
    assert.equal(new Set(both).size, both.length, source)
  }
})

for (const shop of shops.filter(({ name }) => name !== 'csv')) {
  test(`every member of the documents of ${shop.name} is read, or is in the table`, async () => {
    assert.deepEqual((await runShop(shop, shop.files)).unmapped, [])
  })
}
