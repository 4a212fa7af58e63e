import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Queue } from '../../../simulator/queue.ts'

test('entries are returned smallest first, equal ones in order of insertion', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.nat(20), (ranks, early) => {
      const queue = new Queue<{ rank: number; index: number }>()
      const out: { rank: number; index: number }[] = []
      for (const [index, rank] of ranks.entries()) queue.push(rank, { rank, index })
      assert.equal(queue.nextRank, Math.min(...ranks))
      for (let entry = queue.pop(); entry; entry = queue.pop()) out.push(entry)
      const sorted = ranks.map((rank, index) => ({ rank, index })).toSorted((one, other) => one.rank - other.rank)
      assert.deepEqual(out, sorted)
      assert.equal(queue.size, 0)
      queue.push(early, { rank: early, index: 0 })
      assert.equal(queue.pop()?.rank, early)
    }),
  )
})
