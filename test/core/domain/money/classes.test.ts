import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addAmounts, emptyAmounts, isNothing, measures } from '../../../../src/core/contract/money/amounts.ts'
import {
  classOf,
  isOtherItem,
  isReported,
  rateOf,
  rateOfKey,
  taxKeyOf,
} from '../../../../src/core/contract/money/classes.ts'

const tax = (taxRate: number, taxAmount: number, taxName: string, isStated?: boolean) => ({
  taxRate,
  taxAmount,
  taxName,
  taxCatalogId: 'a',
  ...(isStated === undefined ? {} : { isStated }),
})

test('no tax is stated if the item says so, or if rate and amount are 0 and the name is empty or No tax', () => {
  for (const [of, key, rate] of [
    [tax(0.1, 1, 'VAT 10 %'), '1000', 1000],
    [tax(0.055, 0.5, ''), '550', 550],
    [tax(0, 0, 'VAT 0 %'), '0', 0],
    [tax(0, 0, ''), 'not_stated', null],
    [tax(0, 0, 'No tax'), 'not_stated', null],
    [tax(0, 0.2, 'No tax'), '0', 0],
    [tax(0.2, 0, 'No tax'), '2000', 2000],
    [tax(0, 0, 'VAT 0 %', true), '0', 0],
    [tax(0.1, 1, 'VAT 10 %', false), 'not_stated', null],
  ] as const) {
    const item = { tax: of }
    const about = JSON.stringify(of)
    assert.deepEqual([taxKeyOf(item), rateOf(item), rateOfKey(taxKeyOf(item))], [key, rate, rate], about)
    assert.equal(classOf(item), rate === null ? 'untaxed' : 'sale', about)
  }
})

test('vouchers, deposits and charges are not sales; e-reporting includes those with a tax, and every charge', () => {
  const none = tax(0, 0, 'VAT 0 %')
  for (const [kind, of, isOther, isInReport] of [
    [undefined, none, false, true],
    ['charge', none, true, true],
    ['voucher', none, true, false],
    ['deposit', none, true, false],
    ['voucher', tax(0.2, 2, 'VAT 20 %'), true, true],
    ['deposit', tax(0, 0.01, 'VAT'), true, true],
    ['voucher', tax(0.2, 0, 'VAT 20 %'), true, true],
  ] as const) {
    const item = { tax: of, kind } as never
    assert.deepEqual([isOtherItem(item), isReported(item)], [isOther, isInReport], `${kind} ${of.taxAmount}`)
  }
})

test('every measure is added and subtracted, and only all zeros count as empty', () => {
  const amounts = emptyAmounts()
  for (const [i, measure] of measures.entries()) amounts[measure] = i + 1
  const sum = emptyAmounts()
  addAmounts(sum, amounts)
  addAmounts(sum, amounts)
  assert.deepEqual(
    Object.values(sum),
    Object.values(amounts).map((amount) => 2 * amount),
  )
  addAmounts(sum, amounts, -1)
  assert.deepEqual(sum, amounts)
  assert.equal(isNothing(emptyAmounts()), true)
  for (const measure of measures) assert.equal(isNothing({ ...emptyAmounts(), [measure]: 1 }), false, measure)
})
