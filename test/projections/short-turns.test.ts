import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inShortTurns } from '../../src/projections/short-turns.ts'

test('others have their turn after each millisecond of work, and none before', async () => {
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

test('what the work throws ends it', async () => {
  const done: number[] = []
  const work = (n: number) => {
    if (n === 2) throw new Error('no order')
    done.push(n)
  }
  await assert.rejects(inShortTurns([1, 2, 3], work), /no order/)
  assert.deepEqual(done, [1])
})
