#!/usr/bin/env node
// Verifies proofs of Tillgate without Tillgate, in Node 20 or later and in browsers: nothing is loaded, nothing is sent.
//
//   node verify.mjs proof <file.tlog-proof> <verifier key>
//   node verify.mjs growth <file> <older checkpoint> <verifier key>
//   node verify.mjs checkpoint <file> <verifier key>
//   node verify.mjs archive <folder> [<verifier key>]
//
// The verifier key must come from elsewhere than the file: whoever can make a key can sign what they like with it.

const utf8 = (text) => new TextEncoder().encode(text)
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const ofHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function ofBase64(text) {
  const chars = atob(text)
  // One text for the same bytes, so that no changed character passes.
  if (btoa(chars) !== text) throw new Error('a part is not written as base64')
  return Uint8Array.from(chars, (char) => char.charCodeAt(0))
}

function join(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', join(...parts)))
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])
const leafHash = (data) => sha256(Uint8Array.of(0), data)
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right)

/** Reads a verifier key (c2sp.org/signed-note): name+id+type and key. */
export async function readKey(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  if (!encoded) throw new Error('the verifier key is not name+id+key')
  const bytes = ofBase64(encoded)
  if (bytes.length !== 33 || bytes[0] !== 1) throw new Error('the verifier key is not of Ed25519')
  const made = (await sha256(utf8(`${name}\n`), bytes)).slice(0, 4)
  if (hexOf(made) !== id) throw new Error('the verifier key was changed: its id is another one')
  const key = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify'])
  return { name, id, key }
}

/** Opens a checkpoint: it must be signed by the key, and of its name. */
export async function openCheckpoint(note, keyText) {
  const { name, id, key } = await readKey(keyText)
  const at = note.lastIndexOf('\n\n')
  if (at < 0 || !note.endsWith('\n')) throw new Error('there is no signed checkpoint')
  const text = note.slice(0, at + 1)
  let signed = false
  for (const line of note.slice(at + 2, -1).split('\n')) {
    const [, of, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? []
    if (!encoded) throw new Error('a signature of the checkpoint is not written as one')
    const bytes = ofBase64(encoded)
    if (of !== name || hexOf(bytes.slice(0, 4)) !== id) continue
    if (!(await crypto.subtle.verify('Ed25519', key, bytes.slice(4), utf8(text))))
      throw new Error('the signature of the checkpoint is wrong')
    signed = true
  }
  if (!signed) throw new Error('the checkpoint is not signed by this key')
  const [, origin, size, root] = /^(.+)\n(0|[1-9]\d{0,15})\n(\S+)\n/.exec(text) ?? []
  if (origin !== name) throw new Error(`the checkpoint is of ${origin}, and the key of ${name}`)
  return { origin, size: Number(size), root: ofBase64(root) }
}

/** The root that a leaf and its audit path lead to (RFC 9162, section 2.1.3.2). */
export async function rootOf(leaf, index, size, path) {
  if (index >= size) throw new Error('the entry lies beyond the checkpoint')
  let [fn, sn, root] = [index, size - 1, leaf]
  for (const part of path) {
    if (sn === 0) throw new Error('the proof is too long')
    if (fn % 2 === 1 || fn === sn) {
      root = await nodeHash(part, root)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)]
    } else root = await nodeHash(root, part)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  if (sn !== 0) throw new Error('the proof is too short')
  return root
}

/** Throws unless the tree of `from` leaves is the beginning of that of `to` (RFC 9162, section 2.1.4.2). */
export async function checkGrowth({ from, fromRoot, to, toRoot, path }) {
  if (from > to) throw new Error('the older checkpoint has more entries')
  if (from === to || from === 0) {
    if (path.length > 0) throw new Error('the proof is too long')
    if (from === to && !same(fromRoot, toRoot)) throw new Error('two checkpoints of one size have different roots')
    return
  }
  const isPower = Number.isInteger(Math.log2(from)) && 2 ** Math.log2(from) === from
  const parts = isPower ? [fromRoot, ...path] : [...path]
  let [fn, sn] = [from - 1, to - 1]
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  let [fr, sr] = [parts[0], parts[0]]
  if (!fr) throw new Error('the proof is too short')
  for (const part of parts.slice(1)) {
    if (sn === 0) throw new Error('the proof is too long')
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [await nodeHash(part, fr), await nodeHash(part, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn / 2, Math.floor(sn / 2)]
    } else sr = await nodeHash(sr, part)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  if (sn !== 0) throw new Error('the proof is too short')
  if (!same(fr, fromRoot)) throw new Error('the older checkpoint is not the beginning of the later one')
  if (!same(sr, toRoot)) throw new Error('the proof does not lead to the later checkpoint')
}

/** The hash of an entry of the journal (docs/journal.md, “The chain”). */
export async function entryHash(previousHash, entry) {
  const { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment } = entry
  const isWhole = (prevSeq === null || Number.isInteger(prevSeq)) && Array.isArray(types)
  if (!isWhole) throw new Error('the entry is not whole')
  const fields = [previousHash, locationId, epoch, seq, acceptedAt, kind, id, prevSeq ?? '', types.join(','), commitment]
  return sha256(utf8(`tillgate journal v2\n${fields.join('\n')}`))
}

export const commitmentOf = async (salt, document) => hexOf(await sha256(utf8(salt + document)))

/** Verifies a file of c2sp.org/tlog-proof of one entry. Resolves to what is proven; throws what does not hold. */
export async function verifyProof(file, keyText) {
  const at = file.indexOf('\n\n')
  const lines = file.slice(0, at).split('\n')
  const [head, extraLine = '', indexLine = '', ...hashes] = lines
  if (head !== 'c2sp.org/tlog-proof@v1') throw new Error('the file is not a proof (c2sp.org/tlog-proof)')
  const [, extra] = /^extra (\S+)$/.exec(extraLine) ?? []
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(indexLine) ?? []
  if (!extra || !index) throw new Error('the proof has no entry, or no index')
  const checkpoint = await openCheckpoint(file.slice(at + 2), keyText)
  const { entry, previousHash, salt, document, redaction } = JSON.parse(new TextDecoder().decode(ofBase64(extra)))
  if (!checkpoint.origin.includes(`/${entry.locationId}/${entry.epoch}`))
    throw new Error('the entry is of another location, or another epoch, than the checkpoint')
  const leaf = await leafHash(await entryHash(previousHash, entry))
  const root = await rootOf(leaf, Number(index), checkpoint.size, hashes.map(ofBase64))
  if (!same(root, checkpoint.root)) throw new Error('the entry is not what was signed: the proof leads to another root')
  const made = await commitmentOf(salt, document)
  if (made === entry.commitment) return { checkpoint, entry, document, isRedacted: false }
  if (redaction === undefined) throw new Error('the document is not the one that the entry commits to')
  const of = await verifyProof(redaction, keyText)
  const named = of.entry.kind === 'redaction' ? JSON.parse(of.document).entries : []
  if (!named.some(({ sequence, commitment }) => sequence === entry.seq && commitment === made))
    throw new Error('the document is not the one that the redaction left')
  return { checkpoint, entry, document, isRedacted: true }
}

/** Verifies that a later checkpoint continues an older one (c2sp.org/tlog-witness, the body of add-checkpoint). */
export async function verifyGrowth(file, older, keyText) {
  const at = file.indexOf('\n\n')
  const [oldLine = '', ...hashes] = file.slice(0, at).split('\n')
  const [, from] = /^old (0|[1-9]\d{0,15})$/.exec(oldLine) ?? []
  if (!from) throw new Error('the file is not a proof of growth')
  const [before, after] = [await openCheckpoint(older, keyText), await openCheckpoint(file.slice(at + 2), keyText)]
  if (before.size !== Number(from)) throw new Error(`the proof is of ${from} entries, and the older checkpoint of ${before.size}`)
  await checkGrowth({ from: before.size, fromRoot: before.root, to: after.size, toRoot: after.root, path: hashes.map(ofBase64) })
  return { before, after }
}

/** What a proof says, in words. */
export function describe({ checkpoint, entry, isRedacted }) {
  const { kind, id, seq, acceptedAt, locationId } = entry
  return (
    `${kind} ${id} of location ${locationId} is entry ${seq}, accepted at ${acceptedAt}, in the journal of ${checkpoint.size} ` +
    `entries that was signed as ${checkpoint.origin}. ` +
    (isRedacted
      ? 'Its document was blanked since: what is left is what the redaction left; what stood there is not proven.'
      : 'Its document is the one that was accepted, byte for byte.')
  )
}

/** Takes the leaves of a tree one by one; its root is that of RFC 6962. */
export class Edge {
  size = 0
  #whole = []

  async add(leaf) {
    let [node, level] = [leaf, 0]
    for (; this.#whole[level]; level++) {
      node = await nodeHash(this.#whole[level], node)
      this.#whole[level] = undefined
    }
    this.#whole[level] = node
    this.size += 1
  }

  /** Of the whole subtrees at the edge, by level, as an archive keeps them. */
  static from(size, nodes) {
    const edge = new Edge()
    edge.size = size
    for (const { level, hash } of nodes) edge.#whole[level] = ofHex(hash)
    return edge
  }

  async root() {
    let root
    for (const node of this.#whole) if (node) root = root ? await nodeHash(node, root) : node
    return root ?? sha256()
  }
}

/* Command line from here on. */
async function main([command, ...args]) {
  if (command === 'archive' && args.length > 0) return verifyArchive(args[0], args[1])
  const { readFile } = await import('node:fs/promises')
  const read = (path) => readFile(path, 'utf8')
  if (command === 'proof' && args.length === 2) return describe(await verifyProof(await read(args[0]), args[1]))
  if (command === 'growth' && args.length === 3) {
    const { before, after } = await verifyGrowth(await read(args[0]), await read(args[1]), args[2])
    return `The journal of ${after.size} entries begins with the ${before.size} that were signed before.`
  }
  if (command === 'checkpoint' && args.length === 2) {
    const { origin, size } = await openCheckpoint(await read(args[0]), args[1])
    return `${origin} was signed with ${size} entries.`
  }
  throw new Error('usage: node verify.mjs proof|growth|checkpoint|archive <file> [<older checkpoint>] <verifier key>')
}

/** Every file is the one that the manifest names, and no other is there. */
async function verifyFiles(folder, { readFile, readdir }) {
  const manifest = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8'))
  const named = new Set(manifest.files.map(({ file }) => file))
  for (const { file, sha256: expected } of manifest.files) {
    const bytes = await readFile(`${folder}/${file}`).catch(() => undefined)
    if (!bytes) throw new Error(`${file} is missing`)
    if (hexOf(await sha256(bytes)) !== expected) throw new Error(`${file} was changed`)
  }
  const beside = new Set(['manifest.json', 'manifest.note', 'manifest-keys.txt', 'sha256sums.txt'])
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const name = `${entry.parentPath ?? entry.path}/${entry.name}`.slice(folder.length + 1)
    if (entry.isFile() && !named.has(name) && !beside.has(name)) throw new Error(`${name} is not in the manifest`)
  }
  const sums = await readFile(`${folder}/sha256sums.txt`, 'utf8')
  const made = manifest.files.map(({ file, sha256: of }) => `${of}  ${file}\n`).join('')
  if (sums !== made) throw new Error('sha256sums.txt was changed')
  const note = await readFile(`${folder}/manifest.note`, 'utf8').catch(() => undefined)
  const sum = hexOf(await sha256(await readFile(`${folder}/manifest.json`)))
  if (note && !note.includes(`\nsha256 ${sum}\n`)) throw new Error('manifest.json was changed: manifest.note has another sum')
  return manifest
}

const linesOf = (text) => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line))

/** Closings follow each other, their perpetual totals go on, and months and years are what their days add up to. */
function verifyClosings(closings) {
  const last = new Map()
  for (const closing of closings) {
    const { period, number, totals, perpetual, fromSequence } = closing
    const before = last.get(period)
    const wrong = (what) => new Error(`closings.ndjson: the closing of ${period} ${number} ${what}`)
    if (before && number !== before.number + 1) throw wrong(`follows ${before.number}`)
    if (period === 'day' && before) {
      if (fromSequence !== before.toSequence + 1) throw wrong('leaves out entries')
      for (const name of Object.keys(perpetual))
        if (perpetual[name] !== before.perpetual[name] + totals[name]) throw wrong(`has another perpetual ${name}`)
    }
    if (period !== 'day') {
      const days = closings.filter((one) => one.period === 'day' && one.number >= closing.first && one.number <= closing.last)
      for (const name of Object.keys(totals))
        if (totals[name] !== days.reduce((sum, day) => sum + day.totals[name], 0)) throw wrong(`has another ${name} than its days`)
    }
    last.set(period, closing)
  }
}

/** Each entry of a file in FEC format balances. */
function verifyFec(name, text) {
  const sums = new Map()
  for (const line of text.split('\r\n').slice(1)) {
    if (line === '') continue
    const cells = line.split('\t')
    const cents = (cell) => Math.round(Number(cell.replace(',', '.')) * 100)
    sums.set(cells[2], (sums.get(cells[2]) ?? 0) + cents(cells[11]) - cents(cells[12]))
  }
  for (const [entry, sum] of sums) if (sum !== 0) throw new Error(`${name}: the entry ${entry} does not balance`)
}

/** Verifies an unpacked archive: files, chain, tree, checkpoints, closings, and that entries of the books balance. */
async function verifyArchive(folder, keyText) {
  const fs = await import('node:fs/promises')
  const { readFile } = fs
  const { files, fiscalYear } = await verifyFiles(folder, fs)
  const read = (name) => readFile(`${folder}/${name}`, 'utf8')
  const [start, end] = [JSON.parse(await read('start.json')), JSON.parse(await read('end.json'))]
  const blanked = new Map()
  for (const { entries, sequence } of linesOf(await read('redactions.ndjson')))
    for (const one of entries) blanked.set(`${one.sequence} ${one.commitment}`, sequence)
  const notes = new Map()
  for (const { file } of files)
    if (file.startsWith('checkpoints/')) notes.set(Number.parseInt(file.slice(12), 10), await read(file))
  const edge = Edge.from(start.size, start.edge)
  let [hash, entries, redacted, checked] = [start.hash, 0, 0, 0]
  const locationId = start.location
  for (const name of files.map(({ file }) => file).filter((file) => file.startsWith('journal/'))) {
    for (const { document, salt, hash: stored, ...entry } of linesOf(await read(name))) {
      const wrong = (what) => new Error(`${name}: entry ${entry.seq} ${what}`)
      const made = await entryHash(hash, { ...entry, locationId, epoch: start.epoch })
      if (hexOf(made) !== stored) throw wrong('is not what was accepted: its hash differs')
      const commitment = await commitmentOf(salt, document)
      if (commitment !== entry.commitment) {
        if (!blanked.has(`${entry.seq} ${commitment}`)) throw wrong('has another document than it commits to')
        redacted += 1
      }
      await edge.add(await leafHash(made))
      hash = stored
      entries += 1
      const note = notes.get(edge.size)
      if (note === undefined) continue
      const [, , root] = note.split('\n')
      if (!same(ofBase64(root), await edge.root())) throw new Error(`checkpoints/${edge.size}.note signs other entries`)
      checked += 1
    }
  }
  if (hash !== end.hash || edge.size !== end.size) throw new Error('end.json: the journal ends elsewhere')
  const root = await edge.root()
  if (!same(ofBase64(end.root), root)) throw new Error('end.json: the tree has another root')
  if (checked !== notes.size) throw new Error('a checkpoint is of entries that are not there')
  verifyClosings(linesOf(await read('closings.ndjson')))
  for (const { file } of files)
    if (/^books\/.*FEC\d+\.txt$/.test(file)) verifyFec(file, await readFile(`${folder}/${file}`, 'latin1'))
  let signed = 'no key was given: that the journal was not rewritten is not proven'
  if (keyText) {
    for (const [size, note] of notes) {
      await openCheckpoint(note, keyText).catch((error) => {
        // Another key may have signed it, before a rotation.
        if (!/not signed by this key/.test(error.message)) throw new Error(`checkpoints/${size}.note: ${error.message}`)
      })
    }
    const growth = await read('growth.txt').catch(() => { throw new Error('growth.txt is missing: no checkpoint covers the year') })
    const at = growth.indexOf('\n\n')
    const after = await openCheckpoint(growth.slice(at + 2), keyText)
    const path = growth.slice(0, at).split('\n').slice(1).map(ofBase64)
    await checkGrowth({ from: edge.size, fromRoot: root, to: after.size, toRoot: after.root, path })
    signed = `signed as ${after.origin} with ${after.size} entries`
  }
  return `fiscal year ${fiscalYear}: ${files.length} files, ${entries} entries, ${redacted} of them blanked, ${signed}.`
}

if (globalThis.process?.argv?.[1] && import.meta.url === (await import('node:url')).pathToFileURL(process.argv[1]).href) {
  try {
    process.stdout.write(`verified: ${await main(process.argv.slice(2))}\n`)
  } catch (error) {
    process.stderr.write(`NOT VERIFIED: ${error.message}\n`)
    process.exitCode = 1
  }
}
