import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { chainHash, genesis, type Link } from '../../src/domain/chain.ts'

const link: Link = {
  locationId: '1f1f1f1f-0000-4000-8000-000000000001',
  seq: 1,
  acceptedAt: '2026-03-01T10:00:00.000Z',
  kind: 'order',
  id: '0a0a0a0a-0000-4000-8000-000000000001',
  types: ['order.created', 'order.paid'],
  document: '{"total":12.50}',
}

test('the hash is SHA-256 over the hash before and the entry, a field a line, as anyone can compute it', () => {
  const text = [
    genesis,
    link.locationId,
    '1',
    '2026-03-01T10:00:00.000Z',
    'order',
    link.id,
    'order.created,order.paid',
    '{"total":12.50}',
  ].join('\n')
  assert.equal(chainHash(genesis, link), createHash('sha256').update(text).digest('hex'))
})

test('a change of any field, or of the entry before, is another hash', () => {
  const changes: Partial<Link>[] = [
    { locationId: '1f1f1f1f-0000-4000-8000-000000000002' },
    { seq: 2 },
    { acceptedAt: '2026-03-01T10:00:00.001Z' },
    { kind: 'report' },
    { id: '0a0a0a0a-0000-4000-8000-000000000002' },
    { types: ['order.created'] },
    { document: '{"total":12.5}' },
  ]
  const hashes = changes.map((change) => chainHash(genesis, { ...link, ...change }))
  const all = [chainHash(genesis, link), chainHash('1'.repeat(64), link), ...hashes]
  assert.equal(new Set(all).size, changes.length + 2)
})
