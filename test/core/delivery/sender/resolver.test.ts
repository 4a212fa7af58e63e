import assert from 'node:assert/strict'
import os from 'node:os'
import { test } from 'node:test'
import { isOwnAddress } from '../../../../src/core/delivery/sender/own-addresses.ts'
import { parseAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { RefusedError } from '../../../../src/core/contract/webhooks/endpoint-url.ts'
import { checkAddress, createGuardedLookup } from '../../../../src/core/delivery/sender/resolver.ts'

test('concurrent deliveries to one name share a look-up, and later ones look it up again', async () => {
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

test('a failed look-up fails for all that wait, and is not cached', async () => {
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

test('refused addresses are dropped in both families, and the others keep their order', async () => {
  const texts = ['::1', '2606:4700::1111', '10.0.0.1', '8.8.8.8', '64:ff9b::808:808', '127.0.0.1', '8.8.4.4']
  const addresses = texts.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const range = parseAddressRange('127.0.0.0/8')
  assert.ok(range)
  const lookup = createGuardedLookup([range], async () => addresses)
  const kept = (await lookup('mixed.test')).map(({ address }) => address)
  assert.deepEqual(kept, ['2606:4700::1111', '8.8.8.8', '127.0.0.1', '8.8.4.4'])
})

test('a name with refused addresses only is refused: its owner sees the kind of address, the operator the address', async () => {
  const lookup = createGuardedLookup([], async () => [
    { address: '10.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ])
  await assert.rejects(lookup('inside.test'), (error) => {
    assert.ok(error instanceof RefusedError)
    const [what, wayOut] = error.message.split('. ')
    assert.equal(what, 'the name inside.test resolves to an address that is not allowed: private')
    assert.match(String(wayOut), /tillgate listen --forward.*--allow-address/)
    assert.equal(error.address, '10.0.0.1')
    return true
  })
})

test('the message about a refused host of a source does not mention receivers', async () => {
  const lookup = createGuardedLookup([], async () => [{ address: '10.0.0.1', family: 4 }], true)
  await assert.rejects(lookup('till.test'), {
    message:
      'the name till.test resolves to an address that is not allowed: private. The operator can allow it with --allow-address <CIDR>.',
  })
})

/** Returns the interfaces of a machine with these addresses, like `os.networkInterfaces`. */
const ownInterfaces = (...addresses: string[]) => ({
  eth0: addresses.map((address) => ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4' })),
})

test('the public addresses of the machine itself are refused, in every spelling, unless allowed', async (t) => {
  const own = ['203.0.114.7', '2606:4700::7']
  t.mock.method(os, 'networkInterfaces', () => ownInterfaces(...own))
  const lookup = (address: string) => async () => [{ address, family: address.includes(':') ? 6 : 4 }]
  const refused = /^the name self.test resolves to an address that is not allowed: an address of this machine\./
  for (const address of [...own, '2606:4700:0::0007']) {
    await assert.rejects(createGuardedLookup([], lookup(address))('self.test'), { message: refused })
    assert.throws(() => checkAddress(address, []), RefusedError)
    const range = parseAddressRange(address)
    assert.ok(range)
    assert.equal((await createGuardedLookup([range], lookup(address))('self.test')).length, 1)
    assert.doesNotThrow(() => checkAddress(address, [range]))
  }
  assert.equal((await createGuardedLookup([], lookup('203.0.114.8'))('other.test')).length, 1)
})

test('every address of the machine’s interfaces is its own', () => {
  const addresses = Object.values(os.networkInterfaces()).flatMap((of) => (of ?? []).map(({ address }) => address))
  assert.ok(addresses.length > 0)
  for (const address of addresses) assert.ok(isOwnAddress(address), address)
  assert.ok(!isOwnAddress('8.8.8.8'))
})

test('the system’s look-up resolves localhost', async () => {
  const ranges = ['127.0.0.0/8', '::1'].map((text) => parseAddressRange(text)).filter((range) => range !== null)
  const addresses = await createGuardedLookup(ranges)('localhost')
  assert.ok(addresses.length > 0)
  await assert.rejects(createGuardedLookup([])('localhost'), RefusedError)
})
