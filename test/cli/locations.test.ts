import assert from 'node:assert/strict'
import test from 'node:test'
import { tillgate } from '../support/cli.ts'

for (const currency of ['XXZ', 'eur', 'EURO', '']) {
  test(`a location is not made with ${JSON.stringify(currency)}, which is no currency`, async () => {
    const { code, stderr } = await tillgate(['location', 'create', '--name', 'Somewhere', '--currency', currency])
    assert.equal(code, 2)
    assert.equal(stderr, `error: --currency must be an ISO 4217 code such as EUR, not ${JSON.stringify(currency)}\n`)
  })
}
