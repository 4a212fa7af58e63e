import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { giveWay, inShortTurns } from '../../../../src/modules/figures/projections/short-turns.ts'

test('other work has its turn after each millisecond, and not before', async () => {
  let nowMs = 0
  let turn = 0
  let isOver = false
  const others = (async () => {
    for (; !isOver; turn++) await nextTurn()
  })()
  const turns: number[] = []
  const work = (lastsMs: number) => {
    turns.push(turn)
    nowMs += lastsMs
  }
  await inShortTurns([0.5, 0.25, 0.25, 0.5, 0.5, 5, 0.5], work, () => nowMs)
  isOver = true
  await others
  assert.deepEqual(turns, [0, 0, 0, 1, 1, 2, 3])
})

test('an error in the work ends it', async () => {
  const done: number[] = []
  const work = (n: number) => {
    if (n === 2) throw new Error('no order')
    done.push(n)
  }
  await assert.rejects(inShortTurns([1, 2, 3], work), /no order/)
  assert.deepEqual(done, [1])
})

/**
 * Works from `fromMs` on, and yields turns of 0.25 ms to others, which finish after `othersMs`. Resolves to the time at
 * which the work continues.
 */
async function goesOnAt(fromMs: number, othersMs: number): Promise<number> {
  let nowMs = fromMs
  let isOver = false
  const turns = (async () => {
    for (; !isOver; nowMs += 0.25) await nextTurn()
  })()
  await giveWay(
    () => nowMs < fromMs + othersMs,
    () => nowMs,
  )
  const wentOnMs = nowMs - fromMs
  isOver = true
  await turns
  return wentOnMs
}

test('the work continues in the next turn if nothing else waits, otherwise after the others, within a millisecond', async () => {
  assert.deepEqual([await goesOnAt(10, 0), await goesOnAt(10, 0.4), await goesOnAt(10, 60_000)], [0.25, 0.5, 1])
})
