import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  consistencyPath,
  emptyRoot,
  inclusionPath,
  leafHash,
  nodeHash,
  rangeHash,
  RightEdge,
  type Subtree,
} from '../../../../src/modules/proofs/domain/merkle.ts'
import {
  headText,
  isSignedBy,
  publicBytes,
  readHeadText,
  readNote,
  readVerifierKey,
  signNote,
  verifierKey,
} from '../../../../src/modules/proofs/domain/notes.ts'

/** Created with `golang.org/x/mod` 0.7.0 from Debian's package, with 600 leaves: the text `entry 0` and so on. */
const vectors = JSON.parse(readFileSync(new URL('merkle-vectors.json', import.meta.url), 'utf8')) as {
  roots: Record<string, string>
  inclusion: { Size: number; Index: number; Path: string[] }[]
  consistency: { From: number; To: number; Path: string[] }[]
  verifierKey: string
  privateKey: string
  note: string
}

/** The eight leaves of the tests of Certificate Transparency, and the roots over the first of them. */
const transparency = {
  leaves: ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'],
  roots: [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ],
}

const hashes = Array.from({ length: 600 }, (_, i) => leafHash(Buffer.from(`entry ${i}`)))

const subtree: Subtree = async (level, place) =>
  level === 0
    ? (hashes[place] ?? assert.fail(`there is no leaf ${place}`))
    : nodeHash(await subtree(level - 1, 2 * place), await subtree(level - 1, 2 * place + 1))

const hex = (parts: readonly Buffer[]) => parts.map((part) => part.toString('hex'))

test('roots equal those of Certificate Transparency and of Go, as a whole and leaf by leaf', async () => {
  assert.equal(emptyRoot().toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  const known = new RightEdge()
  for (const [i, leaf] of transparency.leaves.entries()) {
    known.add(leafHash(Buffer.from(leaf, 'hex')))
    assert.equal(known.root().toString('hex'), transparency.roots[i])
  }
  const edge = new RightEdge()
  for (const leaf of hashes) {
    edge.add(leaf)
    const root = vectors.roots[edge.size]
    if (root === undefined) continue
    assert.equal(edge.root().toString('hex'), root)
    assert.equal((await rangeHash(subtree, 0, edge.size)).toString('hex'), root)
  }
})

test('subtrees are returned when they are complete', async () => {
  const edge = new RightEdge()
  const nodes: [number, number, string][] = []
  for (const leaf of hashes.slice(0, 13))
    edge.add(leaf, (level, place, of) => nodes.push([level, place, of.toString('hex')]))
  assert.deepEqual(
    nodes.map(([level, place]) => `${level}.${place}`),
    ['1.0', '1.1', '2.0', '1.2', '1.3', '2.1', '3.0', '1.4', '1.5', '2.2'],
  )
  for (const [level, place, of] of nodes) assert.equal((await subtree(level, place)).toString('hex'), of)
})

test('proofs equal those of Go', async () => {
  assert.ok(vectors.inclusion.length > 80 && vectors.consistency.length > 150)
  for (const { Size, Index, Path } of vectors.inclusion)
    assert.deepEqual(hex(await inclusionPath(subtree, Index, { end: Size })), Path, `${Index} of ${Size}`)
  for (const { From, To, Path } of vectors.consistency)
    assert.deepEqual(hex(await consistencyPath(subtree, From, To)), Path, `${From} to ${To}`)
})

test('a note of Go is parsed and verified, and signing with its key gives the same note', () => {
  const key = readVerifierKey(vectors.verifierKey) ?? assert.fail('no key')
  const note = readNote(vectors.note) ?? assert.fail('no note')
  assert.ok(isSignedBy(note, key))
  const head = readHeadText(note.text) ?? assert.fail('no head')
  assert.deepEqual([head.origin, head.size, head.root.toString('hex')], [key.name, 600, vectors.roots['600']])
  assert.equal(headText(head), note.text)
  // PRIVATE+KEY+name+id+ type and seed
  const seed = Buffer.from(vectors.privateKey.split('+').slice(4).join('+'), 'base64').subarray(1)
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const own = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  assert.equal(verifierKey(key.name, publicBytes(own)), vectors.verifierKey)
  assert.equal(signNote(note.text, key.name, [own]), vectors.note)
})

test('the example of the note specification is parsed; a note or key with one changed byte is refused', () => {
  const example =
    'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n'
  assert.equal(readNote(example)?.signatures[0]?.id.toString('hex'), '367ba04b')
  const key = readVerifierKey(vectors.verifierKey) ?? assert.fail('no key')
  const bytes = Buffer.from(vectors.note)
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes)
    changed[i] = (changed[i] as number) ^ 1
    const note = readNote(changed.toString('utf8'))
    assert.ok(note === undefined || !isSignedBy(note, key), `byte ${i}`)
  }
  for (let i = 0; i < vectors.verifierKey.length; i++) {
    const changed =
      vectors.verifierKey.slice(0, i) + (vectors.verifierKey[i] === 'A' ? 'B' : 'A') + vectors.verifierKey.slice(i + 1)
    const read = readVerifierKey(changed)
    assert.ok(read === undefined || read.publicKey.equals(key.publicKey), `character ${i}`)
  }
})
