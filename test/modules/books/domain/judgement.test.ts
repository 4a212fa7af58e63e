import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountFinder, effectiveAccounts } from '../../../../src/modules/books/domain/accounts.ts'
import { toLatin9 } from '../../../../src/modules/books/domain/fec.ts'
import { judge } from '../../../../src/modules/books/domain/judgement.ts'
import { fiscalYearOf, seriesOf } from '../../../../src/modules/books/domain/numbers.ts'
import { daySums } from '../../../../src/modules/books/domain/sources.ts'
import { cleanCell, sirenOf } from '../../../../src/modules/books/domain/texts.ts'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import { orderOf } from '../../../support/records.ts'

test('a Z or day with more orders than the limit is refused', () => {
  const orders = [orderOf('1', 1)]
  const sums = daySums({ day: '2026-03-02', orders, sequence: 1, isComplete: false }, usualRules)
  const circumstances = {
    currency: 'EUR',
    isDayComplete: true,
    doubled: [],
    drawerBefore: undefined,
    isAccepted: false,
  }
  const { standing, reasons } = judge(sums, new AccountFinder(effectiveAccounts({})), circumstances)
  assert.equal(standing, 'refused')
  assert.equal(reasons[0]?.code, 'too_large')
})

test('the year of a series is the year in which the fiscal year begins, and a resumed journal starts another series', () => {
  assert.deepEqual(
    ['2026-03-31', '2026-04-01', '2026-12-31'].map((day) => fiscalYearOf(day, '04-01')),
    [2025, 2026, 2026],
  )
  const of = { day: '2026-01-01', startsOn: '01-01' }
  assert.deepEqual(
    [0, 1, 2].map((resumed) => seriesOf('CA', { ...of, resumed })),
    ['CA-2026', 'CA-2026b', 'CA-2026c'],
  )
})

test('a cell is one line of 80 characters, without invisible characters, trimmed after it is cut', () => {
  assert.equal(cleanCell(' a\tb\r\nc\u202ed|e\u2066 '), 'a b c d e')
  assert.equal(cleanCell(`${'x'.repeat(79)} y`), 'x'.repeat(79))
  assert.equal(cleanCell('😀'.repeat(100)), '😀'.repeat(80))
  assert.equal(cleanCell('a\ud800b'), 'a b')
})

test('characters outside ISO 8859-15 are decomposed, or become a question mark', () => {
  // Bytes of ISO/IEC 8859-15: €, Š, š, Ž, ž, Œ, œ, Ÿ in place of ¤, ¦, ¨, ´, ¸, ¼, ½, ¾.
  assert.deepEqual([...toLatin9('€ŠšŽžŒœŸ')], [0xa4, 0xa6, 0xa8, 0xb4, 0xb8, 0xbc, 0xbd, 0xbe])
  assert.equal(toLatin9('é e\u0301 ň ¤ ½ 日').toString('latin1'), 'é é n ? ? ?')
  // A second implementation decodes and encodes every byte, which must not change.
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
  assert.deepEqual(toLatin9(new TextDecoder('iso-8859-15').decode(bytes)), bytes)
})

test('a SIREN is nine digits with a check digit, as INSEE publishes them', () => {
  // The number of La Poste (356 000 000) and one that INSEE gives as an example (732 829 320).
  assert.equal(sirenOf('356 000 000 00048'), '356000000')
  assert.equal(sirenOf('73282932000074'), '732829320')
  for (const wrong of ['732829321', '12345', '', 'ABC829320']) assert.equal(sirenOf(wrong), null)
})
