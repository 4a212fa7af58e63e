import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  addressBlock,
  callerAddress,
  parseAddressRange,
  refusedKind,
  type AddressRange,
} from '../../../../src/core/domain/addresses/addresses.ts'

// The reference implementation uses integers and its own table, from the IANA special-purpose registries. It shares no
// code with ours.
type Block = readonly [base: bigint, prefixLength: number]

const v4Block = (text: string): Block => {
  const [address = '', length = ''] = text.split('/')
  const bytes = address.split('.').map(BigInt)
  return [bytes.reduce((value, byte) => value * 256n + byte, 0n), Number(length)]
}
const v6Block = (head: string, prefixLength: number): Block => [BigInt(`0x${head.padEnd(32, '0')}`), prefixLength]

const refusedV4 = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4 168.63.129.16/32`
  .trim()
  .split(/\s+/)
  .map(v4Block)
const publicV6 = [v6Block('2', 3)]
const refusedV6 = [
  v6Block('2001', 23),
  v6Block('20010db8', 32),
  v6Block('2002', 16),
  v6Block('2620004f8000', 48),
  v6Block('3fff', 20),
]
const mappedV6 = v6Block('00000000000000000000ffff', 96)
const nat64 = v6Block('0064ff9b', 96)
const sixToFour = v6Block('2002', 16)
const special = [
  ...refusedV6,
  ...publicV6,
  mappedV6,
  nat64,
  v6Block('0064ff9b0001', 48),
  v6Block('', 96),
  v6Block('fc', 7),
  v6Block('fe8', 10),
  v6Block('fec', 10),
  v6Block('ff', 8),
  v6Block('01', 64),
  v6Block('5f', 16),
]

function isIn([base, prefixLength]: Block, value: bigint, bits: number): boolean {
  const shift = BigInt(bits - prefixLength)
  return base >> shift === value >> shift
}
const isPublicV4 = (value: bigint) => !refusedV4.some((block) => isIn(block, value, 32))
const isPublicV6 = (value: bigint) =>
  publicV6.some((block) => isIn(block, value, 128)) && !refusedV6.some((block) => isIn(block, value, 128))

const writeV4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
const groupsOf = (value: bigint) => Array.from({ length: 8 }, (_, i) => (value >> BigInt(112 - 16 * i)) & 0xffffn)

/** Writes an IPv6 address in one of several ways, by `style`. */
function writeV6(value: bigint, style: number): string {
  const groups = groupsOf(value).map((group) => group.toString(16))
  if (style === 0) return groups.map((group) => group.padStart(4, '0')).join(':')
  if (style === 1) return groups.join(':').toUpperCase()
  const isDotted = style === 3
  const parts = isDotted ? [...groups.slice(0, 6), writeV4(value & 0xffffffffn)] : groups
  const start = parts.indexOf('0')
  if (start === -1) return parts.join(':')
  let end = start
  while (parts[end] === '0') end++
  return `${parts.slice(0, start).join(':')}::${parts.slice(end).join(':')}`
}

/** Generates uniform values, and values in or near the relevant blocks. */
function values(bits: number, blocks: readonly Block[]): fc.Arbitrary<bigint> {
  const top = (1n << BigInt(bits)) - 1n
  const near = fc
    .tuple(fc.constantFrom(...blocks), fc.boolean(), fc.bigInt({ min: -2n, max: 2n }), fc.bigInt({ min: 0n, max: top }))
    .map(([[base, length], atEnd, offset, inner]) => {
      const size = 1n << BigInt(bits - length)
      const inside = base + (inner % size)
      const edge = (atEnd ? base + size - 1n : base) + offset
      return offset === 0n ? inside : edge
    })
    .filter((value) => value >= 0n && value <= top)
  return fc.oneof(fc.bigInt({ min: 0n, max: top }), near)
}
const v4Values = values(32, refusedV4)
const v6Values = values(128, special)
const styles = fc.integer({ min: 0, max: 3 })

function range(text: string): AddressRange {
  const parsed = parseAddressRange(text)
  assert.ok(parsed, text)
  return parsed
}

test('an IPv4 address is allowed if and only if the registries list it as public', () => {
  fc.assert(
    fc.property(v4Values, (value) => {
      assert.equal(refusedKind(writeV4(value), []) === null, isPublicV4(value), writeV4(value))
    }),
    { numRuns: 3000 },
  )
})

test('an IPv6 address is allowed if and only if it is global unicast and not special, in any spelling', () => {
  fc.assert(
    fc.property(v6Values, styles, (value, style) => {
      const text = writeV6(value, style)
      assert.equal(refusedKind(text, []) === null, isPublicV6(value), text)
    }),
    { numRuns: 3000 },
  )
})

test('an IPv4-mapped address is refused, and exempt exactly if its IPv4 address is', () => {
  fc.assert(
    fc.property(v4Values, v4Values, fc.integer({ min: 0, max: 32 }), styles, (value, base, length, style) => {
      const mapped = writeV6((0xffffn << 32n) | value, style)
      assert.notEqual(refusedKind(mapped, []), null, mapped)
      const isInside = isIn([base, length], value, 32)
      assert.equal(refusedKind(mapped, [range(`${writeV4(base)}/${length}`)]) === null, isInside, mapped)
      const mappedRange = range(`${writeV6((0xffffn << 32n) | base, style)}/${96 + length}`)
      assert.equal(refusedKind(mapped, [mappedRange]) === null, isInside, mapped)
      assert.equal(refusedKind(writeV4(value), [mappedRange]) === null, isInside || isPublicV4(value))
    }),
    { numRuns: 1000 },
  )
})

test('the allow-list exempts exactly its blocks, and a translated address must itself be allowed', () => {
  fc.assert(
    fc.property(v6Values, fc.integer({ min: 0, max: 128 }), v6Values, fc.boolean(), (value, length, other, isOwn) => {
      const block: Block = [isOwn ? value : other, length]
      const isInside = isIn(block, value, 128) && !isIn(mappedV6, value, 128)
      let carried: bigint | null = null
      if (isIn(nat64, value, 128)) carried = value & 0xffffffffn
      if (isIn(sixToFour, value, 128)) carried = (value >> 80n) & 0xffffffffn
      const expected = isPublicV6(value) || (isInside && (carried === null || isPublicV4(carried)))
      const isRangeMapped = isIn(mappedV6, block[0], 128) && length >= 96
      if (isRangeMapped) return
      const text = writeV6(value, 2)
      assert.equal(refusedKind(text, [range(`${writeV6(block[0], 1)}/${length}`)]) === null, expected, text)
    }),
    { numRuns: 2000 },
  )
})

test('each kind of address has its name', () => {
  const kinds: [string, string][] = [
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['192.168.0.1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['169.254.169.254', 'cloud metadata'],
    ['fd00:ec2::254', 'cloud metadata'],
    ['168.63.129.16', 'cloud metadata'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['224.0.0.1', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['2001:2::1', 'benchmarking'],
    ['0.0.0.0', 'unspecified'],
    ['::', 'unspecified'],
    ['64:ff9b::808:808', 'NAT64'],
    ['64:ff9b:1::808:808', 'NAT64'],
    ['2002:808:808::1', '6to4'],
    ['2001::1', 'Teredo'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::8.8.8.8', 'reserved'],
    ['fc00::1', 'unique-local'],
    ['fec0::1', 'site-local'],
    ['4000::1', 'reserved'],
  ]
  for (const [address, kind] of kinds) assert.equal(refusedKind(address, []), kind, address)
  for (const address of ['8.8.8.8', '93.184.215.14', '2606:4700::1111', '2a00:1450:4001::1']) {
    assert.equal(refusedKind(address, []), null, address)
  }
})

test('NAT64 on the allow-list allows public IPv4 through it, and private IPv4 only together with its own block', () => {
  const throughNat64 = [range('64:ff9b::/96')]
  assert.equal(refusedKind('64:ff9b::8.8.8.8', throughNat64), null)
  assert.equal(refusedKind('64:ff9b::10.0.0.1', throughNat64), 'private')
  assert.equal(refusedKind('64:ff9b::169.254.169.254', throughNat64), 'cloud metadata')
  assert.equal(refusedKind('64:ff9b::10.0.0.1', [...throughNat64, range('10.0.0.0/8')]), null)
  assert.equal(refusedKind('64:ff9b::10.0.0.1', [range('10.0.0.0/8')]), 'NAT64')
})

test('anything but a plain address is refused, whatever the allow-list', () => {
  const all = [range('0.0.0.0/0'), range('::/0')]
  for (const text of ['', 'localhost', '127.1', '0x7f.0.0.1', '010.0.0.1', '2130706433', '1.2.3.4.5', '[::1]', ':::']) {
    assert.equal(refusedKind(text, all), 'not an address', text)
  }
})

test('a block is a CIDR or one address, and nothing else', () => {
  for (const text of ['10.0.0.0/8', '10.1.2.3/8', '127.0.0.1', '::1', 'fd00::/8', '0.0.0.0/0', '::/0']) range(text)
  const bad = [
    '',
    '/',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10/8',
    '10.0.0/8',
  ]
  bad.push(
    '010.0.0.0/8',
    'fd00::/129',
    'fe80::1%eth0/64',
    'localhost',
    '10.0.0.0/255.0.0.0',
    ' 10.0.0.0/8',
    '10.0.0.0/1e1',
  )
  for (const text of bad) assert.equal(parseAddressRange(text), null, text)
})

test('all spellings of one IPv4 address, and all addresses of one IPv6 /64, are one caller', () => {
  const callers = [
    ['192.0.2.7', '192.0.2.7:4711', '192.0.2.7:4712', '::ffff:192.0.2.7', '::ffff:c000:207', '[::ffff:192.0.2.7]:80'],
    ['192.0.2.8', '::ffff:192.0.2.8', '64:ff9b::192.0.2.8', '2002:c000:208:1::1', '2002:c000:208:2::1'],
    ['2001:db8::1', '2001:db8::2:1', '[2001:db8::3]', '[2001:db8:0:0:ffff::]:443', '2001:DB8::1'],
    ['2001:db8:0:1::1', '[2001:db8:0:1::2]:1'],
    ['', 'unknown', '_hidden', 'a'.repeat(9_000), '192.0.2.7:x', '192.0.2.7, 192.0.2.8', '[::1', '999.0.0.1'],
  ]
  const blocks = callers.map((spellings) => new Set(spellings.map(addressBlock)))
  for (const [i, block] of blocks.entries())
    assert.equal(block.size, 1, `${callers[i]?.join(' ')}: ${[...block].join(' ')}`)
  assert.equal(new Set(blocks.flatMap((block) => [...block])).size, callers.length)
})

test('the address of a caller has one form (RFC 5952), IPv4 without the port from a proxy; anything else is null', () => {
  const written: [string, string | null][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:4711', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['[::ffff:c000:207]:80', '192.0.2.7'],
    // The examples of RFC 5952, sections 1 and 4.
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001', '2001:db8:aaaa:bbbb:cccc:dddd:eeee:1'],
    ['[2001:0db8::0001]:443', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    ['', null],
    ['unknown', null],
    ['_hidden', null],
    ['999.0.0.1', null],
    ['192.0.2.7, 192.0.2.8', null],
    ['<b>192.0.2.7</b>', null],
  ]
  for (const [text, expected] of written) assert.equal(callerAddress(text), expected, text)
})
