import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hoursBehind, nextDelay, type Delay } from '../../../../src/modules/warnings/domain/delays.ts'

const minute = 60_000

/**
 * Returns by how many hours a push is judged late after earlier pushes. `at` is the minute of a push, `age` the age of
 * its newest change in minutes.
 */
function judge(pushes: readonly (readonly [at: number, age: number])[], [at, age]: readonly [number, number]) {
  let delay: Delay | undefined
  for (const [atMin, ageMin] of pushes) delay = nextDelay(delay, ageMin * minute, atMin * minute)
  return hoursBehind(delay, age * minute, at * minute)
}

describe('times that are late by whole hours', () => {
  test('in three pushes over ten minutes are a delay of that many hours, half hours included', () => {
    for (const [hours, minutes] of [
      [5, 300],
      [1, 60],
      [12, 720],
      [3.5, 210],
    ] as const) {
      const late = [
        [0, minutes],
        [5, minutes + 2],
        [9, minutes - 3],
      ] as const
      assert.equal(judge(late, [10, minutes + 1]), hours)
    }
  })

  test('are not reported too early or from too few pushes', () => {
    const two = [
      [0, 300],
      [20, 300],
    ] as const
    assert.equal(judge(two, [30, 300]), null)
    const quick = [
      [0, 300],
      [1, 300],
      [2, 300],
      [3, 300],
    ] as const
    assert.equal(judge(quick, [9, 300]), null)
    assert.equal(judge(quick, [10, 300]), 5)
  })

  test('start again after a different delay, or one that is not whole', () => {
    const steady = [
      [0, 300],
      [6, 300],
    ] as const
    assert.equal(judge([...steady, [12, 300]], [18, 300]), 5)
    for (const age of [0, 3, 100, 240, 304, 800, -60]) {
      assert.equal(judge([...steady, [12, age]], [18, 300]), null, `${age} minutes between`)
      assert.equal(judge([...steady, [12, 300]], [18, age]), null, `${age} minutes at last`)
    }
  })

  test('are not reported below an hour or above twelve', () => {
    for (const age of [0, 1, 30, 59 - 3, 750, 780, 1_440, -300]) {
      const always = [0, 6, 12, 18].map((at) => [at, age] as const)
      assert.equal(judge(always, [24, age]), null, `always ${age} minutes`)
    }
  })

  test('are not reported for an import or for a till that was offline, whose delays vary', () => {
    // A day of sales is imported in an hour, oldest first, so the age of the changes falls from a day to nothing.
    const imported = Array.from({ length: 60 }, (_, at) => [at, 1440 - at * 24] as const)
    for (let n = 1; n < 60; n++) assert.equal(judge(imported.slice(0, n), imported[n] ?? [0, 0]), null)
    // The same five hours are pushed again and again, and are older each time.
    const again = Array.from({ length: 60 }, (_, at) => [at, 300 + at] as const)
    for (let n = 1; n < 60; n++) assert.equal(judge(again.slice(0, n), again[n] ?? [0, 0]), null)
  })
})
