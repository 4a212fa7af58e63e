import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration } from '../../../../src/core/domain/days/durations.ts'

const durations: [ms: number, text: string][] = [
  [-5, '0 seconds'],
  [0, '0 seconds'],
  [999, '0 seconds'],
  [1_000, '1 second'],
  [61_000, '1 minute 1 second'],
  [3_600_000, '1 hour'],
  [7_322_000, '2 hours 2 minutes 2 seconds'],
  [86_400_000 * 3 + 4 * 3_600_000 + 12 * 60_000 + 5_000, '3 days 4 hours 12 minutes'],
  [86_400_000 + 5_000, '1 day 5 seconds'],
]

for (const [ms, text] of durations) {
  test(`${ms} ms reads "${text}"`, () => assert.equal(formatDuration(ms), text))
}
