import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownAddresses } from '../../../../src/core/http/answers/addressed-file.ts'

test('requesting a file under many other addresses first does not evict the real one', () => {
  let now = 0
  const known = new KnownAddresses(() => now)
  for (let i = 0; i < 8; i++) assert.equal(known.keep(`https://${i}.evil.example`), `https://${i}.evil.example`)
  assert.equal(known.keep('https://pos.example'), 'https://pos.example')
  // Requested addresses stay cached. A stranger can replace one address per minute, if nobody has requested it since.
  for (let i = 0; i < 100; i++) {
    assert.equal(known.keep(`https://${i}.more.example`), null)
    assert.equal(known.keep('https://pos.example'), 'https://pos.example')
  }
  for (let minute = 0; minute < 20; minute++) {
    now += 60_000
    assert.ok(known.keep(`https://${minute}.later.example`))
    assert.ok(known.has('https://pos.example'))
    assert.equal(known.keep('https://pos.example'), 'https://pos.example')
  }
})
