import assert from 'node:assert/strict'
import { test } from 'node:test'
import { businessDay } from '../../../simulator/calendar.ts'
import { randomOf } from '../../../simulator/random.ts'
import { operatorFor, operatorsOf, rotaOf, type Shift } from '../../../simulator/staff.ts'
import { minuteMs } from '../../../src/core/domain/days/time-units.ts'

const [early, late] = ['early', 'late'].map((name) => ({ id: name, name })) as [Shift['operator'], Shift['operator']]
const random = randomOf('staff')

const shifts = (): Shift[] => [
  { operator: early, from: 100 * minuteMs, until: 200 * minuteMs, toClose: false },
  { operator: late, from: 300 * minuteMs, until: 400 * minuteMs, toClose: true },
]

test('an order has an operator who is present until its end', () => {
  assert.equal(operatorFor(random, shifts(), 110 * minuteMs, 190 * minuteMs), early)
  assert.equal(operatorFor(random, shifts(), 310 * minuteMs, 390 * minuteMs), late)
})

test('if an order outlasts all shifts, the last shift is extended past it', () => {
  const rota = shifts()
  assert.equal(operatorFor(random, rota, 190 * minuteMs, 230 * minuteMs), early)
  assert.ok((rota[0]?.until ?? 0) > 230 * minuteMs)
})

test('if no operator is present yet, the next shift starts before the order', () => {
  const rota = shifts()
  assert.equal(operatorFor(random, rota, 290 * minuteMs, 310 * minuteMs), late)
  assert.ok((rota[1]?.from ?? Infinity) < 290 * minuteMs)
})

test('the shifts of one person do not overlap, and someone closes the restaurant', () => {
  const operators = operatorsOf('rota')
  for (let day = 1; day <= 28; day += 1) {
    const date = `2026-02-${String(day).padStart(2, '0')}`
    const hours = businessDay('Europe/Paris', date)
    const rota = rotaOf(randomOf('rota', date), operators, hours, hours.at(1500))
    assert.ok(rota.some((shift) => shift.toClose))
    for (const own of Map.groupBy(rota, (shift) => shift.operator).values()) {
      for (const [index, shift] of own.entries()) {
        assert.ok(shift.from < shift.until)
        assert.ok(shift.from > (own[index - 1]?.until ?? 0))
      }
    }
  }
})
