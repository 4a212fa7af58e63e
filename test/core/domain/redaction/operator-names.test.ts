import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortenNames } from '../../../../src/core/domain/redaction/operator-names.ts'
import { idOf, orderOf, reportOf } from '../../../support/records.ts'

const locationId = idOf('location', 1)

test('names of operators are kept, shortened to initials or removed, and nothing else changes', () => {
  const whole = JSON.stringify(orderOf(locationId, 1, { operatorName: 'Marie-Claude  Durand' })).replace(
    '"total":22,',
    '"total":22.00,',
  )
  assert.equal(shortenNames('order', whole, 'keep'), whole)
  assert.equal(shortenNames('order', whole, 'initials'), whole.replace('Marie-Claude  Durand', 'M. C. D.'))
  assert.equal(shortenNames('order', whole, 'none'), whole.replace('Marie-Claude  Durand', ''))
  assert.equal(shortenNames('catalog.products', whole, 'none'), whole)
})

test('the setting applies to the shifts and the clerk of a report', () => {
  const shift = { ...reportOf(locationId, 1).reportClerksShift[0], name: 'Élodie Roux' }
  const whole = JSON.stringify({
    ...reportOf(locationId, 1),
    reportClerksShift: [shift, shift],
    clerkName: 'Élodie Roux',
  })
  assert.equal(shortenNames('report', whole, 'initials'), whole.replaceAll('Élodie Roux', 'É. R.'))
  const none = whole.replace('"clerkName":"Élodie Roux"', '"clerkName":null').replaceAll('Élodie Roux', '')
  assert.equal(shortenNames('report', whole, 'none'), none)
})
