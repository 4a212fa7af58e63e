import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { epochAt, findStray, toLineage } from '../../../../src/core/domain/journal/lineage.ts'

const monday = { sequence: 200_000_000_000_000, after: 10, epoch: 'bbbbbbbb', continues: 'aaaaaaaa', reason: '' }
const tuesday = {
  sequence: 200_000_100_000_000,
  after: 200_000_000_000_020,
  epoch: 'cccccccc',
  continues: 'bbbbbbbb',
  reason: '',
}
const lineage = toLineage('aaaaaaaa', [monday, tuesday])
const head = tuesday.sequence + 5

test('an entry has the epoch of its part of the journal', () => {
  const epochs = [0, 1, 10, monday.sequence, tuesday.after, tuesday.sequence, head].map((seq) => epochAt(lineage, seq))
  assert.deepEqual(
    epochs.map((epoch) => epoch[0]),
    ['a', 'a', 'a', 'b', 'b', 'c', 'c'],
  )
})

describe('a position in a journal that was restored to an earlier state twice', () => {
  const cases: [name: string, epoch: string | undefined, after: number, expected: string | undefined][] = [
    ['at the beginning', undefined, 0, undefined],
    ['at the beginning with the first epoch', 'aaaaaaaa', 0, undefined],
    ['where the first epoch was left', 'aaaaaaaa', 10, undefined],
    ['beyond where the first epoch was left', 'aaaaaaaa', 11, 'left 10'],
    ['far beyond where the first epoch was left', 'aaaaaaaa', 5_000_000, 'left 10'],
    ['with the first epoch and a number of the second', 'aaaaaaaa', monday.sequence, 'left 10'],
    ['in the second epoch', 'bbbbbbbb', monday.sequence + 7, undefined],
    ['an early number with a later epoch, as a page from the beginning has it', 'cccccccc', 7, undefined],
    ['beyond where the second epoch was left', 'bbbbbbbb', tuesday.after + 1, `left ${tuesday.after}`],
    ['at the head', 'cccccccc', head, undefined],
    ['beyond the head with the current epoch', 'cccccccc', head + 1, `ahead ${head}`],
    ['of an epoch that is not in it', 'dddddddd', 7, 'unknown 0'],
    ['of an epoch that is not in it, at the beginning', 'dddddddd', 0, 'unknown 0'],
    ['a number that the first stretch would have given out next', undefined, 11, 'left 10'],
    ['a number that a journal restored by an earlier version could have', undefined, 2_000_001, 'left 0'],
    ['a number of another journal, restored between', undefined, 200_000_050_000_003, 'left 0'],
    [
      'a number that the second stretch would have given out next',
      undefined,
      tuesday.after + 1,
      `left ${tuesday.after}`,
    ],
    ['a number that the current stretch would give out next', undefined, head + 1, `ahead ${head}`],
    ['a number of a journal restored later', undefined, 300_000_000_000_001, 'ahead 0'],
  ]
  for (const [name, epoch, after, expected] of cases) {
    test(`${name}: ${expected ?? 'continues'}`, () => {
      const stray = findStray(lineage, head, { epoch, after })
      assert.equal(stray && `${stray.because} ${stray.after}`, expected)
    })
  }
})

test('a journal resumed by an earlier version keeps its epoch and its gap', () => {
  const old = toLineage('aaaaaaaa', [{ sequence: 2_000_000, after: 10, reason: '' }])
  const at = (epoch: string | undefined, after: number) => findStray(old, 2_000_003, { epoch, after })
  assert.equal(at('aaaaaaaa', 10), undefined)
  assert.equal(at('aaaaaaaa', 2_000_002), undefined)
  assert.deepEqual(at('aaaaaaaa', 12), { because: 'left', after: 10 })
  assert.deepEqual(at(undefined, 12), { because: 'left', after: 10 })
  // Two of the journals could have been resumed at the same number, so only the beginning is certain.
  assert.deepEqual(at(undefined, 2_000_009), { because: 'ahead', after: 0 })
})
