import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { AtOnce } from '../../../src/core/projections/at-once.ts'
import { gate } from '../../support/waiting.ts'

test('work under one name runs up to its limit, then in order, independently of other names, and a failure makes room', async () => {
  const atOnce = new AtOnce(2)
  const gates = Array.from({ length: 5 }, () => gate())
  const begun: number[] = []
  const work = gates.map(({ opened }, n) =>
    atOnce.run('a', async () => {
      begun.push(n)
      await opened
      if (n === 1) throw new Error('failed')
      return n
    }),
  )
  const failed = assert.rejects(work[1] as Promise<number>, /failed/)
  assert.equal(await atOnce.run('b', async () => 'beside'), 'beside')
  assert.deepEqual(begun, [0, 1])
  gates[1]?.open()
  await failed
  // Later work is written first.
  assert.deepEqual(begun, [0, 1])
  await nextRound()
  assert.deepEqual(begun, [0, 1, 2])
  for (const { open } of gates) open()
  assert.deepEqual(await Promise.all(work.filter((_, n) => n !== 1)), [0, 2, 3, 4])
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})
