import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDate } from '../../../src/core/cli/terminal/options.ts'
import { readRange, type RangeFault } from '../../../src/core/domain/days/day-ranges.ts'
import { tillgate } from '../../support/cli.ts'

test('the error for an invalid date names the date and its format', () => {
  for (const text of ['2026-11-30', '2024-02-29']) assert.equal(readDate('--date', text), text)
  for (const text of ['2026-11-31', '2025-02-29', '2026-13-01', '2026-00-10'])
    assert.throws(() => readDate('--date', text), { message: `the date ${text} of --date does not exist` })
  for (const text of ['', 'today', '31.11.2026', '2026-3-1', '20260301', '2026-11-31 '])
    assert.throws(() => readDate('--date', text), {
      message: `--date must be a date such as 2026-03-31, not ${JSON.stringify(text)}`,
    })
})

test('a day that does not exist is refused before a query', async () => {
  const args = ['day', '--location', '0a0a0a0a-0000-4000-8000-000000000001', '--date', '2026-11-31']
  const { code, stdout, stderr } = await tillgate(args, { env: { DATABASE_URL: 'postgres://127.0.0.1:1/none' } })
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, /the date 2026-11-31 of --date does not exist/)
})

test('the error for a time without hyphens and colons states the accepted format', () => {
  for (const text of ['20260301T120000Z', '2026-03-01T12', '2026-02-30']) {
    const [fault] = readRange(text, undefined) as RangeFault[]
    assert.equal(
      fault?.detail,
      'since must be a valid date (YYYY-MM-DD) or ISO 8601 datetime with hyphens and colons, such as 2026-03-01T12:00:00Z',
    )
  }
})
