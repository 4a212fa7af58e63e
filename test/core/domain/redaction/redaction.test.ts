import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { redactRecord, seek } from '../../../../src/core/domain/redaction/redacted-texts.ts'
import {
  findRedactable,
  namesIn,
  personDigest,
  redact,
  redactable,
  type Rule,
} from '../../../../src/core/domain/redaction/redaction.ts'
import { validator } from '../../../../src/core/domain/documents/validation.ts'
import { recordSchemas } from '../../../../src/core/contract/resources.ts'
import { idOf, itemOf, orderOf, reportOf } from '../../../support/records.ts'

const locationId = idOf('location', 1)
const operator = idOf('operator', 1)
const digest = (text: string) => personDigest(locationId, text)
const rule: Rule = { operator: digest(operator), names: [digest('Camille')], fields: [] }

const order = (changes = {}) => JSON.stringify(orderOf(locationId, 1, changes))
const report = (changes = {}) => JSON.stringify(reportOf(locationId, 1, changes))

const redacted = (kind: string, document: string, ...rules: Rule[]) =>
  redact({ locationId, kind, id: idOf(kind === 'report' ? 'report' : 'order', 1), document }, rules)

describe('a redaction of an operator', () => {
  test('blanks id and name in an order and its tips, and nothing else', () => {
    const before = order({ total: 22 }).replace('"total":22', '"total":22.00')
    const result = redacted('order', before, rule)
    assert.deepEqual(result?.pointers, ['/operatorId', '/operatorName', '/tips/0/operatorId'])
    const expected = before
      .replaceAll(operator, '00000000-0000-0000-0000-000000000000')
      .replace(/"operatorName":"[^"]*"/, '"operatorName":""')
    assert.equal(result?.document, expected)
    assert.equal(redacted('order', result?.document ?? '', rule), null)
  })

  test('blanks the operator’s tip in another operator’s order, and keeps the other tips', () => {
    const tips = [2, 1].map((n) => ({ amount: n, operatorId: idOf('operator', n) }))
    const result = redacted('order', order({ operatorId: idOf('operator', 2), tips }), rule)
    assert.deepEqual(result?.pointers, ['/tips/1/operatorId'])
  })

  test('blanks the operator’s shifts in a report, and the clerk, by id or else by name', () => {
    const shifts = [1, 2].map((n) => ({ ...reportOf(locationId, 1).reportClerksShift[0], id: idOf('operator', n) }))
    assert.deepEqual(redacted('report', report({ reportClerksShift: shifts }), rule)?.pointers, [
      '/clerkName',
      '/reportClerksShift/0/id',
      '/reportClerksShift/0/name',
    ])
    const none = { reportClerksShift: [], clerkName: 'Camille' }
    assert.deepEqual(redacted('report', report({ ...none, clerkId: operator }), rule)?.pointers, [
      '/clerkId',
      '/clerkName',
    ])
    assert.equal(redacted('report', report({ ...none, clerkId: idOf('operator', 2) }), rule), null)
    assert.equal(redacted('report', report({ ...none, clerkName: 'Dominique' }), rule), null)
  })

  test('leaves the orders and reports of others unchanged', () => {
    const other: Rule = { ...rule, operator: digest(idOf('operator', 9)), names: [] }
    assert.equal(redacted('order', order(), other), null)
    assert.equal(redacted('report', report(), other), null)
    assert.equal(redacted('catalog.taxes', '[]', rule), null)
    // The digest belongs to one location.
    assert.equal(
      redact({ locationId: idOf('location', 2), kind: 'order', id: idOf('order', 1), document: order() }, [rule]),
      null,
    )
  })

  test('finds the names that a report may have for the operator', () => {
    assert.deepEqual(namesIn(order({ operatorName: 'Léa' }), operator), ['Léa'])
    assert.deepEqual(namesIn(report(), operator), ['Camille'])
    assert.deepEqual(namesIn(order(), idOf('operator', 2)), [])
  })
})

test('a redaction of a customer blanks the reference, and more on request', () => {
  const document = order({ customerId: 'C-17', orderPlace: 'Durand' })
  const customer: Rule = { customer: digest('C-17'), fields: ['/orderPlace'] }
  assert.deepEqual(redacted('order', document, customer)?.pointers, ['/customerId', '/orderPlace'])
  assert.equal(redacted('order', document, { customer: digest('C-1'), fields: [] }), null)
})

test('fields of one order are blanked by pointer, one element or all', () => {
  const items = [0, 1, 2].map((n) => itemOf(n, { cancelReason: 'Léa said so', isCanceled: true }))
  const fields = (...names: string[]): Rule => ({ order: idOf('order', 1), fields: names })
  const document = order({ items })
  assert.deepEqual(redacted('order', document, fields('/items/1/cancelReason'))?.pointers, ['/items/1/cancelReason'])
  assert.equal(redacted('order', document, fields('/items/*/cancelReason'))?.pointers.length, 3)
  assert.equal(redacted('order', document, fields('/items/9/cancelReason')), null)
  assert.equal(redacted('order', document, { order: idOf('order', 2), fields: ['/items/*/cancelReason'] }), null)
})

describe('a search in texts of others', () => {
  const escaped = String.raw`{"customerId":"\u00c9\/17"}`

  test('finds a text in any spelling, and not within a longer word', () => {
    const { standsIn, patterns } = seek(['É/17'], ['Léa'])
    for (const text of ['É/17', 'the guest é/17.', '{"ref":"É/17"}', escaped, String.raw`"a\nÉ/17"`]) {
      assert.ok(standsIn(text), text)
      const folded = text.toLowerCase()
      assert.ok(
        patterns.some((one) => folded.includes(one.toLowerCase())),
        `no pattern for ${text}`,
      )
    }
    for (const text of ['É/170', 'Q1É/17', '/17', 'É17']) assert.ok(!standsIn(text), text)
    assert.ok(standsIn('{"by":"LÉA"}') && standsIn(String.raw`{"by":"L\u00e9a"}`))
    assert.ok(!standsIn('{"dish":"Léa’s soup"}') && !standsIn('Léandre'))
    assert.ok(seek(['(a+b)*[c]'], []).standsIn('x (a+b)*[c] y') && !seek(['a.c'], []).standsIn('abc'))
  })

  test('blanks every string of a rejected record that contains the name, and nothing else', () => {
    const customer: Rule = { customer: digest('4711'), fields: [] }
    const blank = (record: string, rules: Rule[] = [rule]) => redactRecord(locationId, record, rules)
    const odd = `{"type":"order","data":{"by":{"Camille":1,"name":"CAMILLE"},"list":["${operator}","x"],"n":1.50}}`
    assert.equal(blank(odd), '{"type":"order","data":{"by":{"name":""},"list":["","x"],"n":1.50}}')
    const number = '{"type":"order","data":{"customerId":4711,"guests":4711}}'
    assert.equal(blank(number, [customer]), '{"type":"order","data":{"customerId":"","guests":4711}}')
    const others = '{"type":"order", "data":{"operatorName":"Dominique","total":22.00}}'
    assert.equal(blank(others), others)
    assert.equal(redactRecord(locationId, others, [customer], seek(['4711'], [])), others)
  })

  test('empties a record that cannot be parsed', () => {
    const cut = String.raw`{"type":"order","data":{"operatorName":"C\u0061mille","ite`
    assert.equal(redactRecord(locationId, cut, [rule]), '')
    assert.equal(redactRecord(locationId, cut, []), cut)
    const one: Rule = { order: idOf('order', 1), fields: ['/cancelReason'] }
    assert.equal(redactRecord(locationId, cut, [one]), cut)
    assert.equal(redactRecord(locationId, `${cut}"${idOf('order', 1)}`, [one]), '')
  })
})

describe('the list of redactable fields', () => {
  test('contains no amount, no time, and no field that sums, lists or links need', () => {
    for (const pointer of [
      '/total',
      '/createdAt',
      '/id',
      '/deviceId',
      '/reportId',
      '/payments/0/paymentAmount',
      '/items/0/tax/taxRate',
      '/items/01/cancelReason',
      '/items/-1/cancelReason',
      '/items/~01',
      '/__proto__',
      '/operatorName/',
      '',
    ]) {
      assert.equal(findRedactable('order', pointer), undefined, pointer)
    }
    for (const pointer of [
      '/totalSales',
      '/orders/0',
      '/reportClerksShift/0/clockInDate',
      '/reportNumber',
      '/constructor',
    ]) {
      assert.equal(findRedactable('report', pointer), undefined, pointer)
    }
    const names = Object.values(redactable).flatMap((fields) => Object.keys(fields))
    assert.ok(names.every((name) => !/amount|total|date|at$|quantity|price|rate/i.test(name)))
  })

  test('is matched by its own pointers and by indexes, and by no other pointer', () => {
    const found = [
      '/orderPlace',
      '/items/0/lossReason',
      '/items/17/lossReason',
      `/items/${'9'.repeat(5_000)}/lossReason`,
    ]
    for (const pointer of found) assert.notEqual(findRedactable('order', pointer), undefined, pointer.slice(0, 40))
    const hostile = [
      '',
      '/',
      '/*',
      '//orderPlace',
      '/orderPlace/',
      '/orderPlace/x',
      '/OrderPlace',
      '/orderPlace~',
      '/orderPlace\n',
    ]
    const escaped = ['/order~0Place', '/order~1Place', '/items~10~1lossReason', '/order%50lace', '#/orderPlace']
    const inherited = [
      '/__proto__',
      '/constructor',
      '/toString',
      '/items/__proto__/lossReason',
      '/__proto__/orderPlace',
    ]
    const indexes = ['00', '-1', '-', '+1', '1e0', '0x0', '1.0', ' 1', '**', ''].map(
      (index) => `/items/${index}/lossReason`,
    )
    for (const pointer of [...hostile, ...escaped, ...inherited, ...indexes, '/x'.repeat(20_000)]) {
      assert.equal(findRedactable('order', pointer), undefined, pointer.slice(0, 40))
    }
  })

  test('leaves valid documents, even if every field of it is blanked', () => {
    const items = [itemOf(1, { cancelReason: 'a', transferReason: 'b', lossReason: 'c' })]
    const texts = { customerId: 'd', transferReason: 'e', cancelReason: 'f', externalOrderId: 'g', orderPlace: 'h' }
    const empty = { headerPhone: 'i', headerText: 'j', headerUrl: 'k' }
    const header = { ...reportOf(locationId, 1).reportHeaderInfo, ...empty }
    const cases = [
      ['order', orderOf(locationId, 1, { items, ...texts }), { order: idOf('order', 1) }],
      [
        'report',
        reportOf(locationId, 1, { clerkId: operator, reportHeaderInfo: header }),
        { report: idOf('report', 1) },
      ],
    ] as const
    for (const [kind, value, which] of cases) {
      const fields = Object.keys(redactable[kind])
      const result = redacted(kind, JSON.stringify(value), { ...which, fields })
      assert.ok(result)
      const blanked = new Set(result.pointers.map((pointer) => findRedactable(kind, pointer) ?? ''))
      assert.deepEqual([...blanked].toSorted(), fields.toSorted(), 'every field of the list is there to be blanked')
      assert.deepEqual(validator(recordSchemas[kind], 'body')(JSON.parse(result.document)), [])
    }
  })
})
