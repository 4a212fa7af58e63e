import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { luhnDigit, vatNumber } from '../../../simulator/identity.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { setupRecords } from '../../../simulator/simulation.ts'
import { assertFits } from './support.ts'

const seeds = fc.oneof(fc.string(), fc.integer())

/** Checks the Luhn sum over all digits: from the right, every second digit is doubled. */
function passesLuhn(number: string): boolean {
  const digits = Array.from(number, Number).toReversed()
  const doubled = digits.map((digit, index) => (index % 2 === 1 ? 2 * digit : digit))
  return doubled.reduce((sum, digit) => sum + Math.floor(digit / 10) + (digit % 10), 0) % 10 === 0
}

test('SIREN, SIRET and VAT number are valid for any seed', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const { siret, tva, naf, phone } = createRestaurant({ seed }).location
      assert.match(siret, /^\d{14}$/)
      assert.ok(passesLuhn(siret))
      assert.ok(passesLuhn(siret.slice(0, 9)))
      assert.equal(tva.slice(4), siret.slice(0, 9))
      assert.equal((12 + 3 * Number(siret.slice(0, 9))) % 97, Number(tva.slice(2, 4)))
      assert.match(naf, /^\d{2}\.\d{2}[A-Z]$/)
      assert.match(phone, /^\+33\d{9}$/)
    }),
  )
})

test('check digits of known numbers are correct', () => {
  assert.equal(luhnDigit('73282932'), '0')
  assert.equal(vatNumber('732829320'), 'FR44732829320')
})

test('location and catalog pass their schemas for any seed, and the same seed gives the same bytes', () => {
  fc.assert(
    fc.property(seeds, (seed) => {
      const records = setupRecords(createRestaurant({ seed }))
      for (const record of records) assertFits(record)
      assert.equal(JSON.stringify(setupRecords(createRestaurant({ seed }))), JSON.stringify(records))
    }),
    { numRuns: 30 },
  )
})

const ids = (seed: number) => JSON.stringify(setupRecords(createRestaurant({ seed }))).match(/[0-9a-f-]{36}/g) ?? []

test('different seeds give different restaurants without a common id', () => {
  const first = new Set(ids(1))
  assert.ok(first.size > 100)
  assert.deepEqual(
    ids(2).filter((id) => first.has(id)),
    [],
  )
})

test('the catalog has more than 60 products, every price type and every rate, and its names and ids are unique', () => {
  const { products, modifiers, payments, taxes } = createRestaurant({ seed: 7 }).catalog.lists
  assert.ok(products.length > 60)
  assert.equal(new Set(products.map((product) => product.id)).size, products.length)
  assert.equal(new Set(products.map((product) => product.name)).size, products.length)
  const entries = products.flatMap((product) => product.priceList)
  const types = new Map(entries.map((entry) => [entry.priceTypeId, entry.priceTypeName]))
  assert.deepEqual(
    [...types].toSorted(([one], [other]) => one - other).map(([, name]) => name),
    ['Sur place', 'À emporter', 'Livraison', 'Happy hour'],
  )
  assert.deepEqual(new Set(entries.map((entry) => entry.taxRate)), new Set([550, 1000, 2000]))
  assert.deepEqual(
    taxes.map((tax) => [tax.name, tax.percentage]),
    [
      ['TVA 20 %', 2000],
      ['TVA 10 %', 1000],
      ['TVA 5,5 %', 550],
    ],
  )
  assert.ok(products.every((product) => product.priceList.length > 0 && product.subCategories.length > 0))
  assert.ok(modifiers.every((group) => group.options.length > 1))
  assert.ok(payments.some((payment) => !payment.enabled))
})

test('name, id and time zone can be chosen, and unusable options are refused', () => {
  const locationId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
  const { location } = createRestaurant({ seed: 1, name: 'Chez Élodie', locationId })
  assert.deepEqual(
    [location.id, location.name, location.url],
    [locationId, 'Chez Élodie', 'https://chez-elodie.example'],
  )
  assert.throws(() => createRestaurant({ seed: 1, timeZone: 'Paris' }), RangeError)
  assert.throws(() => createRestaurant({ seed: 1, ordersPerDay: 0 }), RangeError)
})
