import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import { warnOfRecord } from '../../../../src/modules/warnings/domain/records.ts'
import { warnOfOtherReports, warnOfReportOrders } from '../../../../src/modules/warnings/domain/report-orders.ts'
import { refundFacts, warnOfRefund } from '../../../../src/modules/warnings/domain/refunds.ts'
import { dayMs } from '../../../../src/core/domain/days/time-units.ts'
import { Sightings } from '../../../../src/modules/warnings/domain/sightings.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { idOf, reportOf, timeOf } from '../../../support/records.ts'
import { besideOthers, inTurn, stored, other, ids, z, named } from './beside-others.ts'
import { location, nowMs, known, coffees, status } from './examples.ts'

describe('compared with stored records, a till is warned of', () => {
  for (const [what, [warning, ...more], expected] of besideOthers) {
    test(what, () => {
      const found = warning ? `${warning.code} ${warning.pointer} ${warning.detail}` : ''
      assert.ok(found.startsWith(expected), found)
      assert.deepEqual(more, [])
    })
  }

  test('nothing if all is right: one time, a canceled tab, another till, the report itself and the one before', () => {
    const right = z([...ids(2), idOf('order', 1).toUpperCase()], { totalSales: 2200 })
    const orders = named(stored(), stored({ closedAt: null, isCanceled: true, reportId: null }))
    assert.deepEqual(warnOfReportOrders(right, orders, usualRules.money), [])
    const others = [
      other({ deviceName: 'Caisse 2', reportNumber: 1, startedAt: timeOf(0), finalizedAt: timeOf(9) }),
      other({ id: idOf('report', 1).toUpperCase(), reportNumber: 1, startedAt: timeOf(0), finalizedAt: timeOf(9) }),
      other({ startedAt: timeOf(-3), finalizedAt: timeOf(1) }),
    ]
    assert.deepEqual(warnOfOtherReports(z([]), others), [])
  })
})

test('a refund of a whole sale, of a part, to the cent, or of an unknown sale causes no warning', () => {
  const refund = (total: number, n = 2) => ({ id: idOf('order', n), refundOf: idOf('order', 1), total })
  const warned = (total: number, sale: number | null, ...before: number[]) =>
    warnOfRefund(
      refund(total),
      {
        sale: sale === null ? undefined : stored({ total: sale }),
        before: before.map((one, i) => refund(one, 3 + i)),
      },
      usualRules.money,
    ).length
  for (const total of [-0.01, -5, -11, -11.01]) assert.equal(warned(total, 11), 0, String(total))
  assert.deepEqual([warned(-61, null), warned(-11.02, 11)], [0, 1])
  // Three parts of 3.67 are 11.01; each may differ by half a cent.
  assert.deepEqual([warned(-3.67, 11, -3.67, -3.67), warned(-3.67, 11, -3.67, -3.69)], [0, 1])
  const whole = coffees({ total: -5, refundOf: idOf('order', 1).toUpperCase() }) as Order
  assert.deepEqual(refundFacts(whole), { id: whole.id, refundOf: idOf('order', 1), total: -5 })
  for (const changes of [{ total: 5 }, { refundOf: null }, { isCanceled: true }, { isTraining: true }])
    assert.equal(refundFacts({ ...whole, ...changes }), undefined)
})

test('a sale from a year ago is warned of if it is pushed as current, unless it is corrected by a correct clock', () => {
  const yearAgo = new Date(nowMs - 365 * dayMs).toISOString()
  const recent = new Date(nowMs - 350 * dayMs).toISOString()
  const now = new Date(nowMs).toISOString()
  const times = { createdAt: yearAgo, updatedAt: yearAgo, openedAt: yearAgo, closedAt: yearAgo }
  const codesOf = (order: object, isLive = true) =>
    warnOfRecord('order', order, { known, nowMs, isLive }).map(({ code, pointer }) => `${code} ${pointer}`)
  assert.deepEqual(codesOf(coffees(times)), ['time_long_ago /data/closedAt'])
  assert.deepEqual(codesOf(coffees({ ...times, closedAt: null, payments: [] })), ['time_long_ago /data/openedAt'])
  assert.deepEqual(codesOf(coffees(times), false), [])
  assert.deepEqual(codesOf(coffees({ ...times, updatedAt: now })), [])
  assert.deepEqual(codesOf(coffees({ ...times, updatedAt: recent, closedAt: recent })), [])
  const z = (changes: object) =>
    reportOf(location, 1, {
      startedAt: yearAgo,
      finalizedAt: yearAgo,
      createdAt: yearAgo,
      updatedAt: yearAgo,
      ...changes,
    })
  const codesOfReport = (report: object) =>
    warnOfRecord('report', report, { known, nowMs, isLive: true }).map(({ code }) => code)
  assert.ok(codesOfReport(z({})).includes('time_long_ago'))
  assert.ok(!codesOfReport(z({ updatedAt: now })).includes('time_long_ago'))
  const epoch = '1970-01-02T00:00:00.000Z'
  const before = coffees({ createdAt: epoch, updatedAt: epoch, openedAt: epoch, closedAt: epoch })
  assert.ok(!codesOf(before).some((one) => one.startsWith('time_long_ago')))
})

/** Pushes one record after the other. Returns the codes of each. */
function pushedInTurn(records: readonly (readonly [RecordType, unknown])[], sightings = new Sightings()): string[][] {
  return records.map(([type, data]) =>
    warnOfRecord(type, data, { known, nowMs, sightings }).map(({ code, pointer }) => `${code} ${pointer}`),
  )
}

describe('compared with earlier pushes, a till is warned of', () => {
  for (const [what, records, expected] of inTurn) {
    test(what, () => assert.deepEqual(pushedInTurn(records), [[], expected]))
  }

  test('nothing if an order is sent again, corrected, or one of many without a number', () => {
    const next = { id: idOf('order', 2) }
    const right = [
      coffees(),
      coffees(),
      coffees({ openedAt: timeOf(-1) }),
      coffees({ openedAt: timeOf(-1), orderNumber: '8' }),
      coffees({ ...next, openedAt: timeOf(-2) }),
      coffees({ ...next, openedAt: timeOf(-2), deviceId: idOf('device', 1).toUpperCase(), id: next.id.toUpperCase() }),
      coffees({ id: idOf('order', 3), orderNumber: '' }),
      coffees({ id: idOf('order', 4), orderNumber: '' }),
    ]
    for (const found of pushedInTurn(right.map((order) => ['order', order]))) assert.deepEqual(found, [])
    const counts = [3, 3, 4].map((lastNumber) => ['device.status', status({ lastNumber })] as const)
    assert.deepEqual(pushedInTurn(counts), [[], [], []])
  })

  test('nothing from a dry run, which itself sees the pushes before it', () => {
    const sightings = new Sightings()
    const again = [['order', coffees({ id: idOf('order', 2) })]] as const
    assert.deepEqual(pushedInTurn([['order', coffees()]], new Sightings(sightings)), [[]])
    assert.deepEqual(pushedInTurn(again, sightings), [[]])
    const third = [['order', coffees({ id: idOf('order', 3) })]] as const
    assert.deepEqual(pushedInTurn(third, new Sightings(sightings)), [['order_sent_twice /data/id']])
  })
})
