import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  acceptanceTime,
  chainChanges,
  chainHash,
  commits,
  commitTo,
  genesis,
  type ChainedEntry,
  type Change,
  type Link,
} from '../../../../src/core/domain/journal/chain.ts'
import { ChainWalk } from '../../../../src/modules/operations/domain/chain-walk.ts'
import { blocksOf } from '../../../support/guide-blocks.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const salt = '000102030405060708090a0b0c0d0e0f'

const document = '{"operatorName":"Léa","total":12.50}'

/** Moves bytes between a salt and a document: the concatenated text stays the same. */
const moved = (of: string, document: string): [string, string][] =>
  [0, 8, 31, 33, 40, of.length + document.length].map((at) => [
    `${of}${document}`.slice(0, at),
    `${of}${document}`.slice(at),
  ])

const link: Link = {
  locationId: '1f1f1f1f-0000-4000-8000-000000000001',
  epoch: '5f0c21ab',
  seq: 7,
  acceptedAt: '2026-03-01T10:00:00.000Z',
  kind: 'order',
  id: '0a0a0a0a-0000-4000-8000-000000000001',
  prevSeq: 3,
  types: ['order.created', 'order.paid'],
  commitment: commitTo(salt, document),
}

test('the commitment is SHA-256 over the length of the salt, salt and document, and can be recomputed by anyone', () => {
  assert.equal(link.commitment, sha256(`tillgate commitment v2\n32\n${salt}${document}`))
  assert.equal(commitTo(salt, Buffer.from(document)), link.commitment)
  assert.notEqual(commitTo('f'.repeat(32), document), link.commitment)
})

test('a commitment fits one document only: no byte can be moved into the salt, and commitments of earlier builds still verify', () => {
  const former = sha256(`${salt}${document}`)
  for (const commitment of [link.commitment, former]) {
    assert.equal(commits(commitment, salt, document), true)
    for (const [text, left] of moved(salt, document)) assert.equal(commits(commitment, text, left), false, text)
  }
  for (const wrong of ['', salt.toUpperCase(), `${salt}\n`, ` ${salt}`, salt.slice(1), `${salt}0`])
    assert.throws(() => commitTo(wrong, document), /the salt is not 32 hex digits/)
})

test('the hash is SHA-256 over the previous hash and the entry, one field per line, and can be recomputed by anyone', () => {
  const lines = (prevSeq: string) => [
    'tillgate journal v2',
    genesis,
    link.locationId,
    '5f0c21ab',
    '7',
    '2026-03-01T10:00:00.000Z',
    'order',
    link.id,
    prevSeq,
    'order.created,order.paid',
    link.commitment,
  ]
  assert.equal(chainHash(genesis, link), sha256(lines('3').join('\n')))
  assert.equal(chainHash(genesis, { ...link, prevSeq: null }), sha256(lines('').join('\n')))
})

test('the commands of docs/contract/journal.md compute the hash on the page, which is that of the journal', () => {
  const block = blocksOf('docs/contract/journal.md').find(({ text }) => text.includes('sha256sum'))?.text ?? ''
  const [, shown] = /^# ([0-9a-f]{64})$/m.exec(block) ?? []
  const byHand = execFileSync('bash', ['-c', block], { encoding: 'utf8' }).split(' ')[0]
  const locationId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
  const entry = { locationId, id: locationId, seq: 1, prevSeq: null, acceptedAt: '2026-03-14T12:34:56.000Z' }
  const about = { kind: 'catalog.taxes', types: ['catalog.taxes.updated'], epoch: '5f0c21ab' }
  const hash = chainHash(genesis, { ...entry, ...about, commitment: commitTo(salt, '[]') } as Link)
  assert.deepEqual([byHand, hash], [shown, shown])
})

test('a change of any field, or of the previous entry, changes the hash', () => {
  const changes: Partial<Link>[] = [
    { locationId: '1f1f1f1f-0000-4000-8000-000000000002' },
    { epoch: '5f0c21ac' },
    { seq: 2 },
    { acceptedAt: '2026-03-01T10:00:00.001Z' },
    { kind: 'report' },
    { id: '0a0a0a0a-0000-4000-8000-000000000002' },
    { prevSeq: 2 },
    { prevSeq: null },
    { types: ['order.created'] },
    { commitment: commitTo(salt, '{"total":12.5}') },
  ]
  const hashes = changes.map((change) => chainHash(genesis, { ...link, ...change }))
  const all = [chainHash(genesis, link), chainHash('1'.repeat(64), link), ...hashes]
  assert.equal(new Set(all).size, changes.length + 2)
})

test('the time of acceptance never goes back, whatever the clock does', () => {
  const now = new Date('2026-03-01T10:00:00.000Z')
  assert.equal(acceptanceTime({ acceptedAt: null }, now), '2026-03-01T10:00:00.000Z')
  assert.equal(acceptanceTime({ acceptedAt: '2026-03-01T09:59:59.999Z' }, now), '2026-03-01T10:00:00.000Z')
  assert.equal(acceptanceTime({ acceptedAt: '2026-03-01T10:00:00.001Z' }, now), '2026-03-01T10:00:00.001Z')
})

describe('a walk along the chain', () => {
  const head = { epoch: link.epoch, seq: 0, hash: genesis, acceptedAt: null }
  const change = (n: number, changes: Partial<Change<string>> = {}): Change<string> => ({
    kind: 'order',
    id: link.id,
    prevSeq: n === 1 ? null : n - 1,
    types: [],
    document: `{"n":${n}}`,
    ...changes,
  })
  const chainOf = (changes: Change<string>[]) =>
    chainChanges(
      link.locationId,
      head,
      changes.map((one, i) => ({ change: one, salt: String(i).padStart(32, '0') })),
      link.acceptedAt,
    )
  const entries = chainOf([change(1), change(2), change(3)])

  /** Returns the number at which the walk stops, or that of the last entry. */
  function walk(of: readonly ChainedEntry[], redacted?: ReadonlyMap<number, string>) {
    const walked = new ChainWalk(redacted)
    for (const entry of of) if (walked.fault(entry) !== undefined) return `stops at ${walked.expected}`
    return `${walked.entries} entries to ${walked.seq}, ${walked.redactions} redacted`
  }

  const replace = (at: number, changes: Partial<ChainedEntry>) =>
    entries.map((entry) => (entry.seq === at ? { ...entry, ...changes } : entry))

  test('accepts the chained entries', () => {
    assert.equal(walk(entries), '3 entries to 3, 0 redacted')
    assert.equal(walk([]), '0 entries to 0, 0 redacted')
  })

  test('stops at a document or a salt that does not match the commitment', () => {
    assert.equal(walk(replace(2, { document: '{"n":9}' })), 'stops at 2')
    assert.equal(walk(replace(2, { salt: 'f'.repeat(32) })), 'stops at 2')
  })

  test('stops at a document with bytes moved into the salt, also if it is blanked, set aside, or of an earlier build', () => {
    const entry = entries[1] as ChainedEntry
    const { salt: own, document: text } = entry as { salt: string; document: string }
    const before = sha256(`${own}${text}`)
    const former = {
      ...entry,
      commitment: before,
      hash: chainHash(entries[0]?.hash ?? '', { ...entry, commitment: before }),
    }
    const walkTo = (second: ChainedEntry, redacted?: ReadonlyMap<number, string>, isAside = false) => {
      const walked = new ChainWalk(redacted, undefined, () => isAside)
      assert.equal(walked.fault(entries[0] as ChainedEntry), undefined)
      return walked.fault(second)
    }
    assert.equal(walkTo(former), undefined)
    for (const [saltOf, left] of moved(own, text)) {
      for (const one of [entry, former]) {
        const forged = { ...one, salt: saltOf, document: left }
        assert.match(walkTo(forged) ?? 'holds', /salt is not 32 hex digits/)
        assert.match(walkTo(forged, new Map([[2, one.commitment]])) ?? 'holds', /salt is not 32 hex digits/)
        assert.match(walkTo({ ...forged, document: null }, undefined, true) ?? 'holds', /salt is not 32 hex digits/)
      }
    }
  })

  test('stops at a document that was changed together with its commitment', () => {
    const document = '{"n":9}'
    const salt = entries[1]?.salt ?? ''
    assert.equal(walk(replace(2, { document, commitment: commitTo(salt, document) })), 'stops at 2')
  })

  test('stops at an entry that is missing, duplicate, or moved', () => {
    const [one, two, three] = entries as [ChainedEntry, ChainedEntry, ChainedEntry]
    assert.equal(walk([one, three]), 'stops at 2')
    assert.equal(walk([one, one, two]), 'stops at 2')
    assert.equal(walk([two, one, three]), 'stops at 1')
  })

  test('accepts a document left by a redaction, and no other in its place', () => {
    const [salt, blanked] = ['a'.repeat(32), '{"n":null}']
    const redacted = new Map([[2, commitTo(salt, blanked)]])
    const replaced = replace(2, { salt, document: blanked })
    assert.equal(walk(replaced, redacted), '3 entries to 3, 1 redacted')
    assert.equal(walk(replaced), 'stops at 2')
    assert.equal(walk(replace(2, { salt, document: '{"n":0}' }), redacted), 'stops at 2')
  })

  test('accepts the skipped sequences of a resumed entry, and no others', () => {
    const resumedWith = (after: number) => {
      const resumed = change(3, {
        kind: 'resumed',
        prevSeq: null,
        document: JSON.stringify({ after, reason: 'restore' }),
      })
      const [first, second] = entries as [ChainedEntry, ChainedEntry]
      const at = { ...head, seq: 1_999_999, hash: second.hash }
      return [first, second, ...chainChanges(link.locationId, at, [{ change: resumed, salt }], link.acceptedAt)]
    }
    assert.equal(walk(resumedWith(2)), '3 entries to 2000000, 0 redacted')
    assert.equal(walk(resumedWith(1)), 'stops at 3')
  })
})
