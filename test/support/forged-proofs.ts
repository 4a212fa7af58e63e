import { generateKeyPairSync, hash } from 'node:crypto'
import { chainHash, commitTo, genesis } from '../../src/core/domain/journal/chain.ts'
import { emptyRoot, leafHash } from '../../src/modules/proofs/domain/merkle.ts'
import { headText, publicBytes, signNote, verifierKey } from '../../src/modules/proofs/domain/notes.ts'

const locationId = '7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'
const origin = `pos.example/${locationId}/5f0c21ab`
const { privateKey } = generateKeyPairSync('ed25519')

export const proofKey = verifierKey(origin, publicBytes(privateKey))

const ticket = '{"id":"0a0a0a0a-0000-4000-8000-000000000001","total":12.50}'

type Made = {
  entry?: Record<string, unknown>
  salt?: string
  document?: string
  index?: number
  /** Values that the proof states instead of the hashed values. */
  changes?: { salt?: string; document?: unknown; entry?: Record<string, unknown>; redaction?: string }
  origin?: string
}

/** Creates the signed proof of a journal with one entry; `changes` replaces parts of it afterwards. */
export function proofOf({
  entry = {},
  salt = 'a'.repeat(32),
  document = ticket,
  index = 0,
  changes = {},
  origin: of = origin,
}: Made = {}): string {
  const link = {
    locationId,
    epoch: '5f0c21ab',
    seq: 1,
    acceptedAt: '2026-03-14T12:34:56.000Z',
    kind: 'order',
    id: '0a0a0a0a-0000-4000-8000-000000000001',
    prevSeq: null,
    types: ['order.created', 'order.paid'],
    commitment: commitTo(salt, document),
    ...entry,
  }
  const root = leafHash(Buffer.from(chainHash(genesis, link), 'hex'))
  const note = signNote(headText({ origin: of, size: 1, root }), of, [privateKey])
  const extra = { previousHash: genesis, salt, document, ...changes, entry: { ...link, ...changes.entry } }
  return `c2sp.org/tlog-proof@v1\nextra ${Buffer.from(JSON.stringify(extra)).toString('base64')}\nindex ${index}\n\n${note}`
}

/** A checkpoint of an empty journal, which no server signs. */
export const emptyNote = signNote(headText({ origin, size: 0, root: emptyRoot() }), origin, [privateKey])

const salt = 'a'.repeat(32)
const text = salt + ticket
const moved = (at: number) => proofOf({ changes: { salt: text.slice(0, at), document: text.slice(at) } })

/** Creates the proof of a redaction that left this salt and this document of the ticket. */
const redactionOf = (left: { salt: string; document: string }, changes: Made = {}) =>
  proofOf({
    document: JSON.stringify({
      reason: 'x',
      entries: [{ sequence: 1, pointers: ['/total'], commitment: commitTo(left.salt, left.document) }],
    }),
    ...changes,
    entry: { kind: 'redaction', seq: 2, types: [], ...changes.entry },
  })

const left = { salt: 'b'.repeat(32), document: '{"total":null}' }

/** A redacted ticket, as an honest server proves it. */
export const blankedProof = proofOf({ changes: { ...left, redaction: redactionOf(left) } })

/** A ticket in the chain format of builds before the first release. */
export const formerProof = proofOf({ entry: { commitment: hash('sha256', text) } })

/** Forged proofs, each with its fault. */
export const forgedProofs: [name: string, proof: string, says: RegExp][] = [
  ['half the ticket in its salt', moved(50), /the salt is not 32 hex digits/],
  ['the whole ticket in its salt', moved(text.length), /the salt is not 32 hex digits/],
  ['a salt of 8 digits', moved(8), /the salt is not 32 hex digits/],
  ['no salt', moved(0), /the salt is not 32 hex digits/],
  ['a salt in capital letters', proofOf({ changes: { salt: 'A'.repeat(32) } }), /the salt is not 32 hex digits/],
  [
    'another ticket',
    proofOf({ changes: { document: ticket.replace('12.50', '2.50') } }),
    /does not match the commitment of the entry/,
  ],
  ['a document that is not text', proofOf({ changes: { document: [ticket] } }), /the document is missing or not text/],
  ['a place behind the number', proofOf({ index: 1 }), /the entry has sequence 1 but is at position 2/],
  ['a place in a larger tree', proofOf({ index: 3, entry: { seq: 9 } }), /lies beyond the checkpoint/],
  ['a number that is a text', proofOf({ changes: { entry: { seq: '1' } } }), /the entry is incomplete or malformed/],
  [
    'events that were joined',
    proofOf({ changes: { entry: { types: ['order.created,order.paid'] } } }),
    /the entry is incomplete or malformed/,
  ],
  [
    'no number of the version before',
    proofOf({ changes: { entry: { prevSeq: undefined } } }),
    /the entry is incomplete or malformed/,
  ],
  ['another kind', proofOf({ changes: { entry: { kind: 'report' } } }), /leads to another root/],
  [
    'another location',
    proofOf({ changes: { entry: { locationId: locationId.replace('7', '8') } } }),
    /have different locations or epochs/,
  ],
  ['the beginning of the epoch', proofOf({ entry: { epoch: '5f0c' } }), /have different locations or epochs/],
  ['a log of another name', proofOf({ origin: 'evil.example/x' }), /not signed by this key/],
  [
    'a redaction that left something else',
    proofOf({ changes: { ...left, document: '{"total":1}', redaction: redactionOf(left) } }),
    /differs from the redacted one/,
  ],
  [
    'an entry that is not a redaction',
    proofOf({ changes: { ...left, redaction: redactionOf(left, { entry: { kind: 'order', seq: 2 } }) } }),
    /does not belong to this journal/,
  ],
  [
    'a redaction that was itself changed',
    proofOf({ changes: { ...left, redaction: blankedProof } }),
    /does not belong to this journal/,
  ],
  [
    'a redaction that nobody signed',
    proofOf({ changes: { ...left, redaction: redactionOf(left).replace(/— .*/, '— evil AAAAAAAA') } }),
    /not signed by this key|has the wrong format|is not written/,
  ],
]
