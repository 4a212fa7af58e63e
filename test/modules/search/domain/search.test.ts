import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProducts, plain } from '../../../../src/modules/search/domain/search.ts'
import { productsOf } from '../../../support/records.ts'

// Pairs of a word as it is spelled and as it is typed without the special letter, by the spelling rules of the
// languages.
const spellings = [
  ['Bœuf', 'boeuf'],
  ['Œufs', 'oeufs'],
  ['Æbleskiver', 'aebleskiver'],
  ['Spießbraten', 'spiessbraten'],
  ['Smørrebrød', 'smorrebrod'],
  ['Łosoś', 'losos'],
  ['Đuveč', 'duvec'],
  ['Skýr með', 'skyr med'],
  ['Þorskur', 'thorskur'],
  ['Ispanaklı', 'ispanakli'],
] as const

for (const [written, typed] of spellings) {
  test(`a product named ${written} is found by ${typed}, and one named ${typed} by ${written}`, () => {
    const [product] = productsOf(1) as [ReturnType<typeof productsOf>[number]]
    const found = (name: string, text: string) => findProducts([{ ...product, name }], text, 10).map((one) => one.name)
    assert.deepEqual(found(written, typed), [written], `${written} reads as ${plain(written)}`)
    assert.deepEqual(found(typed, written), [typed], `${written} reads as ${plain(written)}`)
  })
}
