import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddressRange } from '../../../src/domain/addresses.ts'
import { RefusedError } from '../../../src/domain/endpoint-url.ts'
import { createGuardedLookup } from '../../../src/delivery/sender/resolver.ts'

test('deliveries that wait for the same name share one look-up, and later ones look up anew', async () => {
  const names: string[] = []
  const name = Promise.withResolvers<{ address: string; family: number }[]>()
  const lookup = createGuardedLookup([], (hostname) => {
    names.push(hostname)
    return name.promise
  })
  const waiting = [lookup('a.test'), lookup('a.test'), lookup('b.test'), lookup('a.test')]
  name.resolve([{ address: '8.8.8.8', family: 4 }])
  for (const addresses of await Promise.all(waiting)) assert.deepEqual(addresses, [{ address: '8.8.8.8', family: 4 }])
  assert.deepEqual(names, ['a.test', 'b.test'])
  await lookup('a.test')
  assert.deepEqual(names, ['a.test', 'b.test', 'a.test'])
})

test('a failed look-up fails for all who wait, and is not remembered', async () => {
  let attempts = 0
  const lookup = createGuardedLookup([], async () => {
    attempts++
    if (attempts === 1) throw new Error('no such name')
    return [{ address: '8.8.8.8', family: 4 }]
  })
  const waiting = await Promise.allSettled([lookup('a.test'), lookup('a.test')])
  assert.deepEqual(
    waiting.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal((await lookup('a.test')).length, 1)
})

test('refused addresses are dropped in both families, and the order of the others is kept', async () => {
  const texts = ['::1', '2606:4700::1111', '10.0.0.1', '8.8.8.8', '64:ff9b::808:808', '127.0.0.1', '8.8.4.4']
  const addresses = texts.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const range = parseAddressRange('127.0.0.0/8')
  assert.ok(range)
  const lookup = createGuardedLookup([range], async () => addresses)
  const kept = (await lookup('mixed.test')).map(({ address }) => address)
  assert.deepEqual(kept, ['2606:4700::1111', '8.8.8.8', '127.0.0.1', '8.8.4.4'])
})

test('a name with refused addresses only is refused, with the first of them and its kind', async () => {
  const lookup = createGuardedLookup([], async () => [
    { address: '10.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
  await assert.rejects(lookup('inside.test'), (error) => {
    assert.ok(error instanceof RefusedError)
    assert.equal(error.message, 'the name inside.test is 10.0.0.1, which may not be called: private')
    assert.equal(error.address, '10.0.0.1')
    return true
  })
})

test('the look-up of the system answers for localhost', async () => {
  const ranges = ['127.0.0.0/8', '::1'].map((text) => parseAddressRange(text)).filter((range) => range !== null)
  const addresses = await createGuardedLookup(ranges)('localhost')
  assert.ok(addresses.length > 0)
  await assert.rejects(createGuardedLookup([])('localhost'), RefusedError)
})
