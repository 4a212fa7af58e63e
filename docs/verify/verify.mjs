// Verifies proofs of Tillgate without Tillgate, in Node 20 or later and in browsers: nothing is loaded, nothing is sent.
//
//   node verify.mjs proof <file.tlog-proof> <verifier key>
//   node verify.mjs growth <file> <older checkpoint> <verifier key>
//   node verify.mjs checkpoint <file> <verifier key>
//   node verify.mjs archive <ZIP, or folder that it was unpacked into> [<verifier key>]
//   node verify.mjs [<verifier key>]     the archive that this script lies in
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

const join = (...parts) => (parts.length === 1 ? parts[0] : Uint8Array.from(parts.flatMap((part) => [...part])))
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', join(...parts)))
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])
const leafHash = (data) => sha256(Uint8Array.of(0), data)
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right)
const idOf = async (name, bytes) => hexOf((await sha256(utf8(`${name}\n`), bytes)).slice(0, 4))

/** Reads a verifier key (c2sp.org/signed-note): name+id+type and key. */
export async function readKey(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  if (!encoded) throw new Error('the verifier key is not name+id+key')
  const bytes = ofBase64(encoded)
  if (bytes.length !== 33 || bytes[0] !== 1) throw new Error('the verifier key is not of Ed25519')
  if ((await idOf(name, bytes)) !== id) throw new Error('the verifier key was changed: its id is another one')
  const key = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify'])
  return { name, id, key, bytes }
}

/** Opens a signed note: its text, and whether the key signed it under a name. A signature of this key that is wrong throws. */
async function openNote(note, { name, id, key }) {
  const at = note.lastIndexOf('\n\n')
  if (at < 0 || !note.endsWith('\n')) throw new Error('there is no signed note')
  const text = note.slice(0, at + 1)
  let isSigned = false
  for (const line of note.slice(at + 2, -1).split('\n')) {
    const [, of, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? []
    if (!encoded) throw new Error('a signature is not written as one')
    const bytes = ofBase64(encoded)
    if (of !== name || hexOf(bytes.slice(0, 4)) !== id) continue
    if (!(await crypto.subtle.verify('Ed25519', key, bytes.slice(4), utf8(text)))) throw new Error('the signature is wrong')
    isSigned = true
  }
  return { text, isSigned }
}

/** Opens a checkpoint: it must be signed by the key, and of its name. */
export async function openCheckpoint(note, keyText) {
  const { name, ...known } = await readKey(keyText)
  const { text, isSigned } = await openNote(note, { name, ...known })
  if (!isSigned) throw new Error('the checkpoint is not signed by this key')
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

const describeHead = ({ origin, size }) => `${origin} was signed with ${size} entries.`
/** What a proof of growth says. */
export const describeGrowth = ({ before, after }) =>
  `The journal of ${after.size} entries begins with the ${before.size} that were signed before.`

/** What a proof says, in words. */
export function describe({ checkpoint, entry, isRedacted }) {
  const { kind, id, seq, acceptedAt, locationId } = entry
  const where = `in the journal of ${checkpoint.size} entries that was signed as ${checkpoint.origin}`
  const document = isRedacted
    ? 'Its document was blanked since: what is left is what the redaction left; what stood there is not proven.'
    : 'Its document is the one that was accepted, byte for byte.'
  return `${kind} ${id} of location ${locationId} is entry ${seq}, accepted at ${acceptedAt}, ${where}. ${document}`
}

/** Takes the leaves of a tree one by one; its root is that of RFC 6962. */
export class Edge {
  #whole = []

  /** `nodes` are the whole subtrees over the first `size` leaves, by level, as an archive keeps them. */
  constructor(size = 0, nodes = []) {
    this.size = size
    for (const { level, hash } of nodes) this.#whole[level] = ofHex(hash)
  }

  async add(leaf) {
    let [node, level] = [leaf, 0]
    for (; this.#whole[level]; level++) {
      node = await nodeHash(this.#whole[level], node)
      this.#whole[level] = undefined
    }
    this.#whole[level] = node
    this.size += 1
  }

  async root() {
    let root
    for (const node of this.#whole) if (node) root = root ? await nodeHash(node, root) : node
    return root ?? sha256(new Uint8Array())
  }
}

/** The files of an archive that was unpacked into a folder. */
export async function openFolder(folder) {
  const [{ readFile, readdir }, { relative }] = [await import('node:fs/promises'), await import('node:path')]
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const nameOf = (one) => relative(folder, `${one.parentPath ?? one.path}/${one.name}`).replaceAll('\\', '/')
  return { names: entries.filter((one) => one.isFile()).map(nameOf), read: (name) => readFile(`${folder}/${name}`) }
}

const whole = async (blob) => new Uint8Array(await blob.arrayBuffer())

const mebibyte = 2 ** 20
const isList = (name) => name === 'manifest.json' || name === 'sha256sums.txt'
const isSmall = (name) =>
  /^((start|end)\.json|growth\.txt|keys\.txt|manifest\.note|manifest-keys\.txt|checkpoints\/.*)$/.test(name)

/**
 * What a file of an archive may unpack to: lists of the 65,535 files that a ZIP can have, and of what is written by the till as much as
 * a text can be long. Entries reach about 15:1, and what unpacks to 200 times its size and more was made to harm.
 */
function mostOf(name, packed) {
  if (isSmall(name)) return mebibyte
  return isList(name) ? 32 * mebibyte : Math.min(512 * mebibyte, 64 * mebibyte + 200 * packed)
}

const harmful = (name, what) => new Error(`${name} unpacks to ${what}: do not use this archive, take another copy`)

/** The directory of a ZIP (APPNOTE 4.3.12, 4.3.16): each file once, none too large, and all of them within it. */
async function readDirectory(blob) {
  const end = await whole(blob.slice(Math.max(0, blob.size - 65_557)))
  const at = end.findLastIndex((byte, i) => byte === 0x50 && end[i + 1] === 0x4b && end[i + 2] === 5 && end[i + 3] === 6)
  if (at < 0 || at + 22 > end.length) throw new Error('the file is not a ZIP, or it was cut off')
  const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [length, offset] = [view(end).getUint32(at + 12, true), view(end).getUint32(at + 16, true)]
  if (length > 32 * mebibyte) throw new Error('the directory of the ZIP is damaged')
  const directory = await whole(blob.slice(offset, offset + length))
  const files = new Map()
  let all = 0
  for (let p = 0; p < directory.length;) {
    const of = view(directory.subarray(p))
    if (of.byteLength < 46 || of.getUint32(0, true) !== 0x02014b50) throw new Error('the directory of the ZIP is damaged')
    const [nameLength, extra, comment] = [28, 30, 32].map((field) => of.getUint16(field, true))
    const name = new TextDecoder().decode(directory.subarray(p + 46, p + 46 + nameLength))
    if (files.has(name)) throw new Error(`${name} is in the ZIP twice`)
    const [packed, size, begin] = [20, 24, 42].map((field) => of.getUint32(field, true))
    if (size > mostOf(name, packed)) throw harmful(name, `${Math.round(size / mebibyte)} MiB, which is more than it can have`)
    files.set(name, { method: of.getUint16(10, true), packed, size, begin })
    all += packed
    p += 46 + nameLength + extra + comment
  }
  if (all > blob.size) throw new Error('the ZIP is damaged: its files lie over each other')
  return files
}

/** The files of an archive as it was written: a ZIP, stored or deflated. What it unpacks to is bounded. */
export async function openZip(blob) {
  const files = await readDirectory(blob)
  const pieces = async function* (name) {
    const { method, packed, begin, size } = files.get(name) ?? {}
    if (begin === undefined) throw new Error(`${name} is missing`)
    if (method !== 0 && method !== 8) throw new Error(`${name} is packed in a way that is not known here`)
    const head = await whole(blob.slice(begin, begin + 30))
    if (head.length < 30) throw new Error(`${name} is damaged`)
    const local = new DataView(head.buffer)
    const from = begin + 30 + local.getUint16(26, true) + local.getUint16(28, true)
    const stream = blob.slice(from, from + packed).stream()
    const reader = (method === 0 ? stream : stream.pipeThrough(new DecompressionStream('deflate-raw'))).getReader()
    let done = 0
    try {
      for (;;) {
        const { value } = await reader.read().catch(() => { throw new Error(`${name} is damaged`) })
        if (!value) break
        done += value.length
        if (done > size) throw harmful(`${name} is damaged: it`, 'more than the ZIP says')
        yield value
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
    if (done < size) throw new Error(`${name} is damaged`)
  }
  const read = async (name) => {
    const bytes = new Uint8Array(files.get(name)?.size ?? 0)
    let at = 0
    for await (const piece of pieces(name)) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
  const sizeOf = (name) => files.get(name)?.size ?? 0
  return { names: [...files.keys()].filter((name) => !name.endsWith('/')), read, pieces, sizeOf }
}

/** Every file is the one that the manifest names, and no other is there. Resolves to the manifest. */
async function verifyFiles({ names, read }) {
  const missing = (name) => (error) => { throw /damaged|unpacks to/.test(error.message) ? error : new Error(`${name} is missing`) }
  const textOf = async (name) => new TextDecoder().decode(await read(name).catch(missing(name)))
  const sumOf = async (name) => hexOf(await sha256(await read(name).catch(missing(name))))
  const sums = await textOf('sha256sums.txt')
  const lines = []
  for (const name of ['manifest.json', 'manifest.note', 'manifest-keys.txt']) {
    if (name !== 'manifest.json' && !names.includes(name)) continue
    lines.push(`${await sumOf(name)}  ${name}\n`)
    if (!sums.includes(lines.at(-1))) throw new Error(`${name} was changed, or sha256sums.txt`)
  }
  const manifest = JSON.parse(await textOf('manifest.json'))
  const known = new Set([...lines.map((line) => line.slice(66, -1)), 'sha256sums.txt'])
  for (const { file, sha256: expected } of manifest.files) {
    if ((await sumOf(file)) !== expected) throw new Error(`${file} was changed`)
    known.add(file)
  }
  const other = names.find((name) => !known.has(name))
  if (other) throw new Error(`${other} is not in the manifest`)
  const all = [...manifest.files.map(({ file, sha256: of }) => `${of}  ${file}\n`), ...lines]
  if (sums !== all.join('')) throw new Error('sha256sums.txt was changed, or a file of it is missing')
  return manifest
}

/** Whether the key signed the manifest, and with it the tables and the books. */
async function isManifestSigned({ names, read }, keyText) {
  if (!names.includes('manifest.note')) return false
  const note = new TextDecoder().decode(await read('manifest.note'))
  const { key, bytes } = await readKey(keyText)
  const name = 'tillgate/checkpoint-keys'
  const { text, isSigned } = await openNote(note, { name, id: await idOf(name, bytes), key })
  const sum = hexOf(await sha256(await read('manifest.json')))
  if (!text.endsWith(`\nsha256 ${sum}\n`)) throw new Error('manifest.json was changed: manifest.note has another sum')
  return isSigned
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
    if (period === 'day' && before && fromSequence !== before.toSequence + 1) throw wrong('leaves out entries')
    const own = closings.filter((one) => one.period === 'day' && one.number >= closing.first && one.number <= closing.last)
    for (const name of Object.keys(period === 'day' ? {} : totals))
      if (totals[name] !== own.reduce((sum, day) => sum + day.totals[name], 0)) throw wrong(`has another ${name} than its days`)
    for (const name of Object.keys(period === 'day' && before ? perpetual : {}))
      if (perpetual[name] !== before.perpetual[name] + totals[name]) throw wrong(`has another perpetual ${name}`)
    last.set(period, closing)
  }
}

/** Each entry of a file in FEC format balances. */
function verifyFec(name, text) {
  const sums = new Map()
  const cents = (cell) => Math.round(Number(cell.replace(',', '.')) * 100)
  for (const cells of text.split('\r\n').slice(1, -1).map((line) => line.split('\t')))
    sums.set(cells[2], (sums.get(cells[2]) ?? 0) + cents(cells[11]) - cents(cells[12]))
  for (const [entry, sum] of sums) if (sum !== 0) throw new Error(`${name}: the entry ${entry} does not balance`)
}

/** Makes chain and tree of the entries anew, with the root at each checkpoint. */
async function verifyJournal(files, read) {
  const [start, end] = [JSON.parse(await read('start.json')), JSON.parse(await read('end.json'))]
  const blanked = new Map()
  for (const { entries, sequence } of linesOf(await read('redactions.ndjson')))
    for (const one of entries) blanked.set(`${one.sequence} ${one.commitment}`, sequence)
  const notes = new Map()
  for (const { file } of files)
    if (file.startsWith('checkpoints/')) notes.set(Number.parseInt(file.slice(12), 10), await read(file))
  const edge = new Edge(start.size, start.edge)
  let [hash, entries, redacted, checked] = [start.hash, 0, 0, 0]
  for (const name of files.map(({ file }) => file).filter((file) => file.startsWith('journal/'))) {
    for (const { document, salt, hash: stored, ...entry } of linesOf(await read(name))) {
      const wrong = (what) => new Error(`${name}: entry ${entry.seq} ${what}`)
      const made = await entryHash(hash, { ...entry, locationId: start.location, epoch: start.epoch })
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
  const root = await edge.root()
  if (hash !== end.hash || edge.size !== end.size) throw new Error('end.json: the journal ends elsewhere')
  if (!same(ofBase64(end.root), root)) throw new Error('end.json: the tree has another root')
  if (checked !== notes.size) throw new Error('a checkpoint is of entries that are not there')
  return { notes, size: edge.size, root, entries, redacted }
}

/** Follows the tree of the year to the checkpoint that was signed next. Resolves to that. */
async function verifySignatures(read, { notes, size, root }, keyText) {
  for (const [of, note] of notes)
    await openCheckpoint(note, keyText).catch((error) => {
      // Another key may have signed it, before a rotation.
      if (!/not signed by this key/.test(error.message)) throw new Error(`checkpoints/${of}.note: ${error.message}`)
    })
  const growth = await read('growth.txt').catch(() => { throw new Error('growth.txt is missing: no checkpoint covers the year') })
  const at = growth.indexOf('\n\n')
  const after = await openCheckpoint(growth.slice(at + 2), keyText)
  const path = growth.slice(0, at).split('\n').slice(1).map(ofBase64)
  await checkGrowth({ from: size, fromRoot: root, to: after.size, toRoot: after.root, path })
  return after
}

/** Verifies an archive: files, chain, tree, checkpoints, closings, and that entries of the books balance. Resolves to what it says. */
export async function verifyArchive(archive, keyText) {
  const { files, fiscalYear } = await verifyFiles(archive)
  const read = async (name) => new TextDecoder().decode(await archive.read(name))
  const { entries, redacted, ...journal } = await verifyJournal(files, read)
  verifyClosings(linesOf(await read('closings.ndjson')))
  for (const { file } of files)
    if (/^books\/.*FEC\d+\.txt$/.test(file)) verifyFec(file, new TextDecoder('latin1').decode(await archive.read(file)))
  const said = `fiscal year ${fiscalYear}: ${files.length} files, ${entries} entries, ${redacted} of them blanked, `
  if (!keyText) return `${said}no key was given: that the journal was not rewritten is not proven.`
  const { origin, size } = await verifySignatures(read, journal, keyText)
  const beside = (await isManifestSigned(archive, keyText))
    ? 'and so is the manifest, with tables and books'
    : 'but the manifest is not signed by this key: of tables and books only the sums are verified'
  return `${said}signed as ${origin} with ${size} entries, ${beside}.`
}

/* Command line from here on. */
async function main([command, ...args]) {
  const { openAsBlob } = await import('node:fs')
  const { readFile, stat } = await import('node:fs/promises')
  const read = (path) => readFile(path, 'utf8')
  const openPath = async (path) => ((await stat(path)).isDirectory() ? openFolder(path) : openZip(await openAsBlob(path)))
  if (command === 'archive' && args.length > 0) return verifyArchive(await openPath(args[0]), args[1])
  if (command === 'proof' && args.length === 2) return describe(await verifyProof(await read(args[0]), args[1]))
  if (command === 'growth' && args.length === 3)
    return describeGrowth(await verifyGrowth(await read(args[0]), await read(args[1]), args[2]))
  if (command === 'checkpoint' && args.length === 2) return describeHead(await openCheckpoint(await read(args[0]), args[1]))
  const own = (await import('node:path')).dirname(process.argv[1])
  const isOwn = args.length === 0 && (command === undefined || command.includes('+'))
  if (isOwn && (await stat(`${own}/manifest.json`).catch(() => undefined))) return verifyArchive(await openPath(own), command)
  throw new Error('usage: node verify.mjs proof|growth|checkpoint|archive <file> [<older checkpoint>] <verifier key>')
}

if (globalThis.process?.argv?.[1] && import.meta.url === (await import('node:url')).pathToFileURL(process.argv[1]).href) {
  const failed = (error) => { process.exitCode = 1; process.stderr.write(`NOT VERIFIED: ${error.message}\n`) }
  await main(process.argv.slice(2)).then((said) => process.stdout.write(`verified: ${said}\n`), failed)
}
