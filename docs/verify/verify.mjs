// Verifies proofs and archives of Tillgate without Tillgate, in Node 20 or later and in browsers. It neither loads nor sends anything.
//
//   node verify.mjs proof <file.tlog-proof> <verifier key>
//   node verify.mjs growth <file> <older checkpoint> <verifier key>
//   node verify.mjs checkpoint <file> <verifier key>
//   node verify.mjs archive <ZIP, or folder with its files> [--unsigned] [<verifier key> …]
//   node verify.mjs [--unsigned] [<verifier key> …]     the archive that contains this script
//
// Do not take the verifier key or this script from the source of the file: a forger can make a key and sign anything with it, and can change
// the script in a forged archive.

const utf8 = (text) => new TextEncoder().encode(text)
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const ofHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

function ofBase64(text) {
  const chars = atob(text)
  // Bytes have exactly one valid text, so any changed character is detected.
  if (btoa(chars) !== text) throw new Error('a key, hash or signature is not valid base64')
  return Uint8Array.from(chars, (char) => char.charCodeAt(0))
}

const join = (...parts) => (parts.length === 1 ? parts[0] : Uint8Array.from(parts.flatMap((part) => [...part])))
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', join(...parts)))
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])
const leafHash = (data) => sha256(Uint8Array.of(0), data)
const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right)
const idOf = async (name, bytes) => hexOf((await sha256(utf8(`${name}\n`), bytes)).slice(0, 4))

/** Reads a verifier key (c2sp.org/signed-note): name, id, and type with key, separated by `+`. */
export async function readKey(text) {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  if (!encoded) throw new Error('the verifier key must have the form name+id+key')
  const bytes = ofBase64(encoded)
  if (bytes.length !== 33 || bytes[0] !== 1) throw new Error('the verifier key is not an Ed25519 key')
  if ((await idOf(name, bytes)) !== id) throw new Error('the verifier key was changed: its id does not match')
  const key = await crypto.subtle.importKey('raw', bytes.slice(1), 'Ed25519', false, ['verify'])
  return { name, id, key, bytes }
}

/** Returns the text of a signed note, and whether the key signed it under the name. Throws if a signature by this key is wrong. */
async function openNote(note, { name, id, key }) {
  const at = note.lastIndexOf('\n\n')
  if (at < 0 || !note.endsWith('\n')) throw new Error('the signed note is missing')
  const text = note.slice(0, at + 1)
  let isSigned = false
  for (const line of note.slice(at + 2, -1).split('\n')) {
    const [, of, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? []
    if (!encoded) throw new Error('a signature has the wrong format')
    const bytes = ofBase64(encoded)
    if (of !== name || hexOf(bytes.slice(0, 4)) !== id) continue
    if (!(await crypto.subtle.verify('Ed25519', key, bytes.slice(4), utf8(text)))) throw new Error('the signature is wrong')
    isSigned = true
  }
  return { text, isSigned }
}

/** Reads the content of a checkpoint without checking signatures. */
function readHead(text) {
  const [, origin, size, root] = /^(.+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/.exec(text) ?? []
  if (!origin) throw new Error('the checkpoint is missing')
  return { origin, size: Number(size), root: ofBase64(root) }
}

/** Reads a checkpoint, which must be signed by the key and have the key's name as its origin. */
export async function openCheckpoint(note, keyText) {
  const known = await readKey(keyText)
  const { text, isSigned } = await openNote(note, known)
  if (!isSigned) throw new Error('the checkpoint is not signed by this key')
  const head = readHead(text)
  if (head.origin !== known.name) throw new Error(`the checkpoint belongs to ${head.origin}, but the key to ${known.name}`)
  return head
}

/** Reads a checkpoint, which one of the keys must have signed; without keys, signatures are not checked. */
async function openByAny(note, keys) {
  if (keys.length === 0) return readHead(note)
  const failed = []
  for (const key of keys) {
    try {
      return await openCheckpoint(note, key)
    } catch (error) {
      failed.push(error)
    }
  }
  // Usually only one of several keys signed it. Its error says more than “not signed by this key”.
  throw failed.find(({ message }) => !message.includes('not signed by this key')) ?? failed[0]
}

/** Calculates the root of a tree from a leaf and its audit path (RFC 9162, section 2.1.3.2). */
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

/** Throws unless the tree of `to` leaves begins with the tree of `from` leaves (RFC 9162, section 2.1.4.2). */
export async function checkGrowth({ from, fromRoot, to, toRoot, path }) {
  if (from === 0) throw new Error('the older tree is empty: its growth proves nothing')
  if (from > to) throw new Error('the older checkpoint has more entries')
  if (from === to) {
    if (path.length > 0) throw new Error('the proof is too long')
    if (!same(fromRoot, toRoot)) throw new Error('the checkpoints have the same size but different roots')
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

const isText = (value, form) => typeof value === 'string' && form.test(value)
const isNumber = (value) => Number.isSafeInteger(value) && value > 0
const hex64 = /^[0-9a-f]{64}$/

/**
 * Calculates the hash of an entry of the journal (docs/contract/journal.md, “The chain”). The form of each field is checked, so that no two
 * entries have the same text to hash.
 */
export async function entryHash(previousHash, entry) {
  const { locationId, epoch, seq, acceptedAt, kind, id, prevSeq, types, commitment } = entry
  const isComplete =
    isText(previousHash, hex64) && isText(commitment, hex64) && isText(kind, /^[a-z.]+$/) && isNumber(seq) &&
    isText(acceptedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) && (prevSeq === null || (isNumber(prevSeq) && prevSeq < seq)) &&
    [locationId, epoch, id].every((one) => isText(one, /^[\w-]+$/)) &&
    Array.isArray(types) && types.every((type) => isText(type, /^[\w.]+$/))
  if (!isComplete) throw new Error('the entry is incomplete or malformed')
  const fields = [previousHash, locationId, epoch, seq, acceptedAt, kind, id, prevSeq ?? '', types.join(','), commitment]
  return sha256(utf8(`tillgate journal v2\n${fields.join('\n')}`))
}

/**
 * Returns whether a commitment is to this document. Earlier builds hashed only salt and document. No text has both forms, and the boundary
 * between salt and document is certain, because a salt is 32 hex digits.
 */
export async function commits(commitment, salt, document) {
  if (!isText(salt, /^[0-9a-f]{32}$/)) throw new Error('the salt is not 32 hex digits')
  if (typeof document !== 'string') throw new Error('the document is missing or not text')
  const made = async (text) => hexOf(await sha256(utf8(text)))
  return (
    (await made(`tillgate commitment v2\n32\n${salt}${document}`)) === commitment || (await made(salt + document)) === commitment
  )
}

/** Returns whether one of the entries of a redaction states this document for the sequence. */
async function leftBy(entries, { seq, salt, document }) {
  for (const { sequence, commitment } of entries)
    if (sequence === seq && (await commits(commitment, salt, document))) return true
  return false
}

/** Verifies the proof of one entry (c2sp.org/tlog-proof), signed by any of the keys; without keys, signatures are not checked. */
async function readProof(file, keys) {
  const at = file.indexOf('\n\n')
  const [head, extraLine = '', indexLine = '', ...hashes] = file.slice(0, at).split('\n')
  if (at < 0 || head !== 'c2sp.org/tlog-proof@v1') throw new Error('the file is not a proof (c2sp.org/tlog-proof)')
  const [, extra] = /^extra (\S+)$/.exec(extraLine) ?? []
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(indexLine) ?? []
  if (!extra || !index) throw new Error('the proof has no entry, or no index')
  const note = file.slice(at + 2)
  const checkpoint = await openByAny(note, keys)
  const { entry, previousHash, salt, document, redaction } = JSON.parse(new TextDecoder().decode(ofBase64(extra)))
  const hash = await entryHash(previousHash, entry)
  if (!isOfLog(checkpoint.origin, entry))
    throw new Error('the entry and the checkpoint have different locations or epochs')
  if (Number(index) >= entry.seq) throw new Error(`the entry has sequence ${entry.seq} but is at position ${Number(index) + 1}`)
  const root = await rootOf(await leafHash(hash), Number(index), checkpoint.size, hashes.map(ofBase64))
  if (!same(root, checkpoint.root)) throw new Error('the entry differs from the signed one: the proof leads to another root')
  const proven = { checkpoint, entry, document, note, isRedacted: false }
  if (await commits(entry.commitment, salt, document)) return proven
  if (redaction === undefined) throw new Error('the document does not match the commitment of the entry')
  const of = await readProof(redaction, keys)
  if (of.isRedacted || of.entry.kind !== 'redaction' || !isOfLog(of.checkpoint.origin, entry))
    throw new Error('the redaction in the proof does not belong to this journal')
  if (!(await leftBy(JSON.parse(of.document).entries, { ...entry, salt, document })))
    throw new Error('the document differs from the redacted one')
  return { ...proven, isRedacted: true }
}

/** Returns whether a checkpoint is of the log of a location and epoch. After a restore or rewrite, the name of the log ends in a number. */
const isOfLog = (origin, { locationId, epoch }) => {
  const at = origin.indexOf('/')
  return at > 0 && origin.slice(at).replace(/\.[1-9]\d*$/, '') === `/${locationId}/${epoch}`
}

/** Verifies the proof of one entry (c2sp.org/tlog-proof). Resolves to what is proven; throws if the proof is wrong. */
export const verifyProof = (file, keyText) => readProof(file, [keyText])

/** Verifies that a later checkpoint continues an older one (c2sp.org/tlog-witness, the body of add-checkpoint). */
export async function verifyGrowth(file, older, keyText) {
  const at = file.indexOf('\n\n')
  const [oldLine = '', ...hashes] = file.slice(0, at).split('\n')
  const [, from] = /^old (0|[1-9]\d{0,15})$/.exec(oldLine) ?? []
  if (!from) throw new Error('the file is not a proof of growth')
  const [before, after] = [await openCheckpoint(older, keyText), await openCheckpoint(file.slice(at + 2), keyText)]
  if (before.size !== Number(from)) throw new Error(`the proof begins at ${from} entries, but the older checkpoint has ${before.size}`)
  await checkGrowth({ from: before.size, fromRoot: before.root, to: after.size, toRoot: after.root, path: hashes.map(ofBase64) })
  return { before, after }
}

const describeHead = ({ origin, size }) => `${origin} was signed with ${size} entries.`
/** Returns the statement of a proof of growth. */
export const describeGrowth = ({ before, after }) =>
  `The journal of ${after.size} entries begins with the ${before.size} that were signed before.`

/** Returns the statement of a proof of an entry. */
export function describe({ checkpoint, entry, isRedacted }) {
  const { kind, id, seq, acceptedAt, locationId } = entry
  const where = `in the journal of ${checkpoint.size} entries that was signed as ${checkpoint.origin}`
  const document = isRedacted
    ? 'Its document was blanked since: the remaining text is what the redaction left; the original text is not proved.'
    : 'Its document is the one that was accepted, byte for byte.'
  return `${kind} ${id} of location ${locationId} is entry ${seq}, accepted at ${acceptedAt}, ${where}. ${document}`
}

/** Calculates the root of a tree (RFC 6962) to which leaves are added one by one. */
export class Edge {
  #whole = []

  /** `nodes` are the complete subtrees of the first `size` leaves, the largest first, as in start.json. */
  constructor(size = 0, nodes = []) {
    const levels = size.toString(2).split('').flatMap((bit, i, { length }) => (bit === '1' ? [length - 1 - i] : []))
    if (levels.join() !== nodes.map(({ level }) => level).join()) throw new Error(`the subtrees do not match ${size} entries`)
    this.size = size
    for (const { level, hash } of nodes) {
      if (!isText(hash, hex64)) throw new Error('a subtree has no hash')
      this.#whole[level] = ofHex(hash)
    }
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

const whole = async (blob) => new Uint8Array(await blob.arrayBuffer())

const mebibyte = 2 ** 20
const isList = (name) => name === 'manifest.json' || name === 'sha256sums.txt'
const isSmall = (name) =>
  /^((start|end)\.json|growth\.txt|keys\.txt|manifest\.note|manifest-keys\.txt|checkpoints\/.*)$/.test(name)

/** Returns whether an archive can have a file. No other file is opened, even if the manifest names it. */
const isMember = (name) =>
  /^((LISEZ-MOI|READ-ME|growth|keys)\.txt|verify\.(mjs|html)|(start|end)\.json|(closings|redactions|proofs)\.ndjson|journal\/\d{12,16}\.ndjson|checkpoints\/\d{1,16}\.note|books\/(batch-\d{4,9}\.json|accounts-v\d{1,9}\.json|\d{9}FEC\d{8}\.txt)|tables\/(\w[\w=-]*\/)*\w[\w-]*\.(csv|json)|docs\/\w[\w-]*\.txt)$/.test(
    name,
  )

/**
 * Returns the maximum unpacked size of a file. 32 MiB are enough for lists of the 65,535 files that a ZIP can have; 512 MiB is the maximum
 * length of a string. Entries compress about 15:1; a file that unpacks to more than 200 times its size is an attack.
 */
function mostOf(name, packed) {
  if (isSmall(name)) return mebibyte
  return isList(name) ? 32 * mebibyte : Math.min(512 * mebibyte, 64 * mebibyte + 200 * packed)
}

const harmful = (name, what) => new Error(`${name} unpacks to ${what}: do not use this archive, take another copy`)

/** Opens an archive that was unpacked into a folder. Only regular files in this folder are opened; links are not followed. */
export async function openFolder(folder) {
  const [{ open, readdir }, { constants }] = [await import('node:fs/promises'), await import('node:fs')]
  const names = []
  // Folder by folder, because a recursive listing follows links.
  const folders = ['']
  for (const at of folders)
    for (const one of await readdir(`${folder}/${at}`, { withFileTypes: true })) {
      if (one.isDirectory()) folders.push(`${at}${one.name}/`)
      else if (one.isFile()) names.push(`${at}${one.name}`)
      else throw new Error(`${at}${one.name} is neither a file nor a folder`)
    }
  const read = async (name) => {
    if (!names.includes(name)) throw new Error(`${name} is missing`)
    // The file may have been replaced since it was listed: does not follow a link, and does not wait for a pipe.
    const file = await open(`${folder}/${name}`, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    try {
      const stat = await file.stat()
      if (!stat.isFile()) throw new Error(`${name} is not a file`)
      if (stat.size > mostOf(name, stat.size)) throw harmful(name, `${Math.round(stat.size / mebibyte)} MiB, more than such a file can have`)
      return await file.readFile()
    } finally {
      await file.close()
    }
  }
  return { names, read }
}

/** Reads the directory of a ZIP (APPNOTE 4.3.12, 4.3.16). Throws if a file is listed twice, is too large, or is not in the ZIP. */
async function readDirectory(blob) {
  const end = await whole(blob.slice(Math.max(0, blob.size - 65_557)))
  const at = end.findLastIndex((byte, i) => byte === 0x50 && end[i + 1] === 0x4b && end[i + 2] === 5 && end[i + 3] === 6)
  if (at < 0 || at + 22 > end.length) throw new Error('the file is not a ZIP, or it was cut off')
  const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const [length, offset] = [view(end).getUint32(at + 12, true), view(end).getUint32(at + 16, true)]
  const [count, comment] = [view(end).getUint16(at + 10, true), view(end).getUint16(at + 20, true)]
  // Refuses a ZIP in which another program could find a different directory or different files.
  const isOne = at + 22 + comment === end.length && offset + length === blob.size - end.length + at
  if (length > 32 * mebibyte || !isOne) throw new Error('the directory of the ZIP is damaged, or it has more than one')
  const directory = await whole(blob.slice(offset, offset + length))
  const files = new Map()
  let all = 0
  for (let p = 0; p < directory.length;) {
    const of = view(directory.subarray(p))
    if (of.byteLength < 46 || of.getUint32(0, true) !== 0x02014b50) throw new Error('the directory of the ZIP is damaged')
    const [flags, nameLength, extra, ownComment] = [8, 28, 30, 32].map((field) => of.getUint16(field, true))
    const name = new TextDecoder().decode(directory.subarray(p + 46, p + 46 + nameLength))
    if (files.has(name)) throw new Error(`${name} is in the ZIP twice`)
    if (/(^|\/)\.\.?(\/|$)|^\/|[\\:]/.test(name)) throw new Error(`${JSON.stringify(name)} is a path outside the archive`)
    if (flags & 1) throw new Error(`${name} is encrypted`)
    const type = (of.getUint32(38, true) >>> 28) & 15
    if (type !== 0 && type !== 8 && !(type === 4 && name.endsWith('/'))) throw new Error(`${name} is neither a file nor a folder`)
    const [packed, size, begin] = [20, 24, 42].map((field) => of.getUint32(field, true))
    if (size > mostOf(name, packed)) throw harmful(name, `${Math.round(size / mebibyte)} MiB, more than such a file can have`)
    if (name.endsWith('/') && size > 0) throw new Error(`${name} is a folder but has content`)
    files.set(name, { method: of.getUint16(10, true), packed, size, begin })
    all += packed
    p += 46 + nameLength + extra + ownComment
  }
  if (files.size !== count) throw new Error(`the ZIP has ${files.size} files, but declares ${count}`)
  if (all > blob.size) throw new Error('the ZIP is damaged: its files overlap')
  return files
}

/** Opens an archive that is a ZIP, stored or deflated. Unpacked sizes are limited. */
export async function openZip(blob) {
  const files = await readDirectory(blob)
  const pieces = async function* (name) {
    const { method, packed, begin, size } = files.get(name) ?? {}
    if (begin === undefined) throw new Error(`${name} is missing`)
    if (method !== 0 && method !== 8) throw new Error(`${name} uses an unsupported compression method`)
    const head = await whole(blob.slice(begin, begin + 30))
    if (head.length < 30) throw new Error(`${name} is damaged`)
    const local = new DataView(head.buffer)
    const nameEnd = begin + 30 + local.getUint16(26, true)
    const own = new TextDecoder().decode(await whole(blob.slice(begin + 30, nameEnd)))
    if (local.getUint32(0, true) !== 0x04034b50 || own !== name) throw new Error(`${name} is damaged: ${JSON.stringify(own)} is stored in its place`)
    const from = nameEnd + local.getUint16(28, true)
    const stream = blob.slice(from, from + packed).stream()
    const reader = (method === 0 ? stream : stream.pipeThrough(new DecompressionStream('deflate-raw'))).getReader()
    let done = 0
    try {
      for (;;) {
        const { value } = await reader.read().catch(() => { throw new Error(`${name} is damaged`) })
        if (!value) break
        done += value.length
        if (done > size) throw harmful(`${name} is damaged: it`, 'more than the ZIP declares')
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

const textOf = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)

function jsonOf(name, text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${name} is not JSON`)
  }
}

/** Reads NDJSON. Each line must be exactly as JSON.stringify writes it: programs differ on a field that occurs twice. */
function linesOf(name, text) {
  if (text !== '' && !text.endsWith('\n')) throw new Error(`${name} ends in the middle of a line`)
  return text.split('\n').slice(0, -1).map((line, i) => {
    const of = jsonOf(`${name}: line ${i + 1}`, line)
    if (of === null || typeof of !== 'object' || JSON.stringify(of) !== line) throw new Error(`${name}: line ${i + 1} has the wrong format`)
    return of
  })
}

const hasFields = (of, names) => Object.keys(of).join() === names

/** Files of every archive. A year that no checkpoint covers has no growth.txt. */
const always = ['LISEZ-MOI.txt', 'READ-ME.txt', 'verify.mjs', 'verify.html', 'start.json', 'end.json', 'keys.txt', 'closings.ndjson',
  'redactions.ndjson', 'proofs.ndjson', 'tables/manifest.json']

/** Throws unless the files are exactly those of the manifest, with its hashes. Resolves to the manifest and functions that read the files. */
async function verifyFiles({ names, read }) {
  const bytesOf = async (name) => {
    if (!names.includes(name)) throw new Error(`${name} is missing`)
    return read(name)
  }
  const sums = textOf(await bytesOf('sha256sums.txt'))
  const lines = []
  for (const name of ['manifest.json', 'manifest.note', 'manifest-keys.txt']) {
    if (name !== 'manifest.json' && !names.includes(name)) continue
    lines.push(`${hexOf(await sha256(await bytesOf(name)))}  ${name}\n`)
    if (!sums.includes(lines.at(-1))) throw new Error(`${name} was changed, or sha256sums.txt`)
  }
  const manifest = jsonOf('manifest.json', textOf(await bytesOf('manifest.json')))
  if ((manifest.version ?? 1) !== 1 || !Array.isArray(manifest.files)) throw new Error('manifest.json is not the manifest of an archive of this version')
  const known = new Map()
  const proved = async (name) => {
    const bytes = await bytesOf(name)
    if (hexOf(await sha256(bytes)) !== known.get(name)) throw new Error(`${name} was changed`)
    return bytes
  }
  for (const { file, sha256: sum } of manifest.files) {
    if (!isMember(file)) throw new Error(`${JSON.stringify(file)} is not a file of an archive`)
    if (known.has(file)) throw new Error(`${file} is in the manifest twice`)
    known.set(file, sum)
    await proved(file)
  }
  const own = new Set([...known.keys(), ...lines.map((line) => line.slice(66, -1)), 'sha256sums.txt'])
  const other = names.find((name) => !own.has(name))
  if (other) throw new Error(`${other} is not in the manifest`)
  const missing = always.find((name) => !known.has(name))
  if (missing) throw new Error(`${missing} is missing`)
  const all = [...manifest.files.map(({ file, sha256: of }) => `${of}  ${file}\n`), ...lines]
  if (sums !== all.join('')) throw new Error('sha256sums.txt was changed, or a file of it is missing')
  return { manifest, files: [...known.keys()], proved, read: async (name) => textOf(await proved(name)) }
}

/** Returns whether one of the keys signed the manifest, which is the only proof of tables and texts. */
async function isManifestSigned({ names, read }, { location, fiscalYear }, keys) {
  if (!names.includes('manifest.note')) return false
  const note = textOf(await read('manifest.note'))
  const sum = hexOf(await sha256(await read('manifest.json')))
  const expected = `tillgate archive\n${location}\n${fiscalYear}\nsha256 ${sum}\n`
  const name = 'tillgate/checkpoint-keys'
  for (const keyText of keys) {
    const { key, bytes } = await readKey(keyText)
    const { text, isSigned } = await openNote(note, { name, id: await idOf(name, bytes), key })
    if (text !== expected) throw new Error('manifest.json was changed: manifest.note has another sum, location or year')
    if (isSigned) return true
  }
  return false
}

const sumOf = (list, value) => list.reduce((sum, one) => sum + value(one), 0)

/** Throws unless closings have no gaps and continue the perpetual totals, and each month and year is the sum of its days. */
function verifySums(closings) {
  const last = new Map()
  for (const closing of closings) {
    const { period, number, totals, perpetual, fromSequence } = closing
    const before = last.get(period)
    const wrong = (what) => new Error(`closings.ndjson: the closing of ${period} ${number} ${what}`)
    if (before && number !== before.number + 1) throw wrong(`follows ${before.number}`)
    if (period === 'day' && before && fromSequence !== before.toSequence + 1) throw wrong('skips entries')
    const own = closings.filter((one) => one.period === 'day' && one.number >= closing.first && one.number <= closing.last)
    if (period !== 'day' && own.length !== closing.last - closing.first + 1) throw wrong('does not match the days in the archive')
    if (period !== 'day' && closing.entries !== sumOf(own, (day) => day.entries)) throw wrong('has more or fewer entries than its days')
    for (const name of Object.keys(period === 'day' ? {} : totals))
      if (totals[name] !== sumOf(own, (day) => day.totals[name])) throw wrong(`has a different ${name} than its days`)
    for (const name of Object.keys(period === 'day' && before ? perpetual : {}))
      if (perpetual[name] !== before.perpetual[name] + totals[name]) throw wrong(`has a wrong perpetual ${name}`)
    last.set(period, closing)
  }
}

/** Throws unless each entry of a file in FEC format balances. */
function verifyFec(name, text) {
  const sums = new Map()
  const cents = (cell) => Math.round(Number(cell.replace(',', '.')) * 100)
  for (const cells of text.split('\r\n').slice(1, -1).map((line) => line.split('\t')))
    sums.set(cells[2], (sums.get(cells[2]) ?? 0) + cents(cells[11]) - cents(cells[12]))
  for (const [entry, sum] of sums) if (sum !== 0) throw new Error(`${name}: the entry ${entry} does not balance`)
}

const ofNumber = (seq) => String(seq).padStart(12, '0')

const isWithin = (sequence, { start, end }) => sequence >= start.fromSequence && sequence <= end.toSequence

/** Reads redactions.ndjson. With a key, each redaction must be proven: by its entry in the journal of the archive, or by its proof. */
async function readRedactions(archive, journal, unproven) {
  const name = 'redactions.ndjson'
  const [left, seen] = [[], new Set()]
  for (const line of linesOf(name, await archive.read(name))) {
    const { sequence, entries: own, proof } = line
    const wrong = (what) => new Error(`${name}: the redaction ${sequence} ${what}`)
    if (!hasFields(line, 'sequence,entries,proof') || !isNumber(sequence) || !Array.isArray(own)) throw wrong('has the wrong format')
    if (seen.has(sequence)) throw wrong('is duplicated')
    seen.add(sequence)
    const inside = journal.entries.get(sequence)
    let document = inside?.kind === 'redaction' ? inside.document : undefined
    if (isWithin(sequence, journal) && document === undefined) throw wrong('is not in the journal')
    if (proof !== null && archive.keys.length > 0) {
      const of = await archive.readProof(proof).catch((error) => { throw wrong(`has an invalid proof: ${error.message}`) })
      if (of.entry.kind !== 'redaction' || of.entry.seq !== sequence) throw wrong('has the proof of another entry')
      document = of.document
    }
    const all = document === undefined ? own : JSON.parse(document).entries.filter((one) => isWithin(one.sequence, journal))
    if (JSON.stringify(all) !== JSON.stringify(own)) throw wrong('differs from its entry')
    if (document === undefined && archive.keys.length > 0) throw wrong('has no proof, so it is not signed')
    if (document === undefined) unproven.push(`the documents after redaction ${sequence}`)
    left.push(...own)
  }
  for (const [seq, { kind, document }] of journal.entries) {
    const isOwn = kind === 'redaction' && JSON.parse(document).entries.some(({ sequence }) => isWithin(sequence, journal))
    if (isOwn && !seen.has(seq)) throw new Error(`${name}: the redaction ${seq} is missing`)
  }
  const bySequence = new Map()
  for (const one of left) bySequence.set(one.sequence, [...(bySequence.get(one.sequence) ?? []), one])
  return bySequence
}

/** Returns whether an entry can follow a sequence. Only an entry of kind `resumed`, which states this sequence, may skip numbers. */
const isAfter = ({ seq, kind, document }, before) =>
  seq === before + 1 || (seq > before && kind === 'resumed' && jsonOf(`entry ${seq}`, document).after === before)

/** Calculates chain and tree from the entries. Resolves to their ends, and to the documents that files of the archive are compared with. */
async function verifyJournal(archive) {
  const { files, read } = archive
  const [start, end] = [jsonOf('start.json', await read('start.json')), jsonOf('end.json', await read('end.json'))]
  if (!isNumber(start.fromSequence) || !Number.isSafeInteger(start.size) || start.size < 0 || !Array.isArray(start.edge))
    throw new Error('start.json does not belong to an archive')
  const edge = new Edge(start.size, start.edge)
  const [entries, roots] = [new Map(), new Map()]
  /** @type {{ name: string; seq: number; salt: string; document: string }[]} */
  const changed = []
  const signed = new Set(files.flatMap((file) => /^checkpoints\/(\d+)\.note$/.exec(file)?.[1] ?? []).map(Number))
  let [hash, seq, acceptedAt, count] = [start.hash, start.fromSequence - 1, '', 0]
  const parts = files.filter((file) => file.startsWith('journal/')).toSorted((a, b) => Number(a.slice(8, -7)) - Number(b.slice(8, -7)))
  for (const name of parts) {
    for (const [i, line] of linesOf(name, await read(name)).entries()) {
      const { document, salt, hash: stored, ...entry } = line
      const wrong = (what) => new Error(`${name}: entry ${entry.seq} ${what}`)
      if (!hasFields(line, 'seq,acceptedAt,kind,id,prevSeq,types,document,salt,commitment,hash')) throw wrong('has the wrong format')
      const made = await entryHash(hash, { ...entry, locationId: start.location, epoch: start.epoch }).catch((error) => { throw wrong(error.message) })
      if (hexOf(made) !== stored) throw wrong('was changed: its hash differs')
      if (!isAfter(line, seq)) throw wrong(`follows ${seq}`)
      if (i === 0 && name !== `journal/${ofNumber(entry.seq)}.ndjson`) throw wrong('is the first in a file that is named after another one')
      if (entry.acceptedAt < acceptedAt) throw wrong('was accepted before the previous entry')
      if (edge.size >= entry.seq) throw wrong(`is at position ${edge.size + 1}`)
      if (!(await commits(entry.commitment, salt, document).catch((error) => { throw wrong(error.message) })))
        changed.push({ name, seq: entry.seq, salt, document })
      await edge.add(await leafHash(made))
      ;[hash, seq, acceptedAt, count] = [stored, entry.seq, entry.acceptedAt, count + 1]
      if (/^(closing|batch|accounts|checkpoint|redaction)$/.test(entry.kind)) entries.set(seq, { kind: entry.kind, document })
      if (signed.has(edge.size)) roots.set(edge.size, await edge.root())
    }
  }
  const root = await edge.root()
  if (count === 0) throw new Error('the archive has no entry')
  if (hash !== end.hash || edge.size !== end.size || seq !== end.toSequence) throw new Error('end.json does not match the end of the journal')
  if (!same(ofBase64(end.root), root)) throw new Error('end.json has a different root than the tree')
  return { start, end, entries, changed, roots, size: edge.size, root, count }
}

/** Reads proofs.ndjson: entries from before and after the year with which files of the archive are compared. */
async function readProven(archive, journal) {
  const name = 'proofs.ndjson'
  const proven = new Map()
  if (archive.keys.length === 0) return proven
  for (const line of linesOf(name, await archive.read(name))) {
    const { sequence, proof } = line
    const wrong = (what) => new Error(`${name}: the proof of ${sequence} ${what}`)
    if (!hasFields(line, 'sequence,proof') || proven.has(sequence) || isWithin(sequence, journal)) throw wrong('has the wrong format')
    const { entry, document, isRedacted } = await archive.readProof(proof).catch((error) => { throw wrong(`is invalid: ${error.message}`) })
    if (entry.seq !== sequence || isRedacted) throw wrong('belongs to another entry')
    proven.set(sequence, { kind: entry.kind, document })
  }
  return proven
}

/** Throws unless the tree of the checkpoint in growth.txt begins with the tree of the year. All other proofs have this checkpoint, too. */
async function readGrowth(archive, { start, size, root }) {
  if (archive.keys.length === 0) return undefined
  if (!archive.files.includes('growth.txt')) throw new Error('growth.txt is missing: no checkpoint covers the year')
  const growth = await archive.read('growth.txt')
  const at = growth.indexOf('\n\n')
  const [oldLine, ...path] = growth.slice(0, at).split('\n')
  if (at < 0 || oldLine !== `old ${size}`) throw new Error(`growth.txt does not begin at the ${size} entries up to the end of the year`)
  const note = growth.slice(at + 2)
  const after = await openByAny(note, archive.keys).catch((error) => { throw new Error(`growth.txt: ${error.message}`) })
  if (!isOfLog(after.origin, { locationId: start.location, epoch: start.epoch })) throw new Error(`growth.txt belongs to ${after.origin}`)
  await checkGrowth({ from: size, fromRoot: root, to: after.size, toRoot: after.root, path: path.map(ofBase64) })
  return { ...after, note }
}

/** Throws if a file differs from its document in the journal. A missing document is an error or, without a key, added to `unproven`. */
function compare({ name, text, expected, keys }, unproven) {
  if (expected === undefined && keys.length > 0) throw new Error(`${name} is not in the journal of the archive and has no proof`)
  if (expected === undefined) unproven.push(name)
  else if (text !== expected) throw new Error(`${name} differs from the journal`)
}

const nextDay = (date) => new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** Returns the first day of the fiscal year that ends on a day. */
const firstDayOf = (last) => `${String(Number(nextDay(last).slice(0, 4)) - 1).padStart(4, '0')}${nextDay(last).slice(4)}`

/** Returns the closing of the year; its entries must be those of the archive. `verifyClosings` compares it with the signed one. */
function yearOf(closings, { start, end, count }) {
  const name = 'closings.ndjson'
  const [year, ...more] = closings.filter(({ period }) => period === 'year')
  if (!year || more.length > 0) throw new Error(`${name}: ${year ? 'more than one closing of a year' : 'the closing of the year is missing'}`)
  if (year.fromSequence !== start.fromSequence || year.toSequence !== end.toSequence || year.entries !== count)
    throw new Error(
      `the closing of the year has ${year.entries} entries from ${year.fromSequence} to ${year.toSequence}, but the archive has ${count} from ${start.fromSequence} to ${end.toSequence}`,
    )
  return year
}

/** Throws unless the closings are those of the journal, each once and in order. */
async function verifyClosings(archive, closings, { journal, documents }, unproven) {
  const name = 'closings.ndjson'
  const ofJournal = documents.filter(({ kind }) => kind === 'closing').map(({ document }) => JSON.parse(document))
  const expected = ofJournal.filter(({ fromSequence, toSequence }) => isWithin(fromSequence, journal) && isWithin(toSequence, journal))
  const called = ({ period, number }) => `the closing of ${period} ${number}`
  const seen = new Set()
  let order = -1
  for (const closing of closings) {
    const what = `${name}: ${called(closing)}`
    if (seen.has(called(closing))) throw new Error(`${what} is duplicated`)
    seen.add(called(closing))
    const at = expected.findIndex((one) => called(one) === called(closing))
    compare({ name: what, text: JSON.stringify(closing), expected: expected[at] && JSON.stringify(expected[at]), keys: archive.keys }, unproven)
    if (at >= 0 && at < order) throw new Error(`${what} is out of order`)
    order = Math.max(order, at)
  }
  const missing = expected.find((one) => !seen.has(called(one)))
  if (missing) throw new Error(`${name}: ${called(missing)} is missing`)
  verifySums(closings)
}

/** Throws unless batches with entries of the year, and the versions of accounts that they name, are those of the journal. */
async function verifyBooks(archive, { journal, documents }, { last, unproven }) {
  const [first, versions] = [firstDayOf(last), new Set()]
  const batches = new Map(documents.filter(({ kind }) => kind === 'batch').map((one) => [JSON.parse(one.document).number, one]))
  const accounts = new Map(documents.filter(({ kind }) => kind === 'accounts').map(({ document }) => [JSON.parse(document).version, document]))
  const hasEntries = (batch) => batch.entries.some(({ date }) => date >= first && date <= last)
  const fileOf = (number) => `books/batch-${String(number).padStart(4, '0')}.json`
  for (const name of archive.files.filter((file) => file.startsWith('books/batch-'))) {
    const text = await archive.read(name)
    const batch = jsonOf(name, text)
    compare({ name, text, expected: batches.get(batch.number)?.document, keys: archive.keys }, unproven)
    if (name !== fileOf(batch.number) || !hasEntries(batch)) throw new Error(`${name} does not contain the batch in its name, or not one of the year`)
    for (const { accountsVersion } of batch.entries) versions.add(accountsVersion)
  }
  for (const [number, { seq, document }] of batches)
    if (isWithin(seq, journal) && hasEntries(JSON.parse(document)) && !archive.files.includes(fileOf(number))) throw new Error(`${fileOf(number)} is missing`)
  for (const version of versions)
    if (!archive.files.includes(`books/accounts-v${version}.json`)) throw new Error(`books/accounts-v${version}.json is missing`)
  for (const name of archive.files.filter((file) => file.startsWith('books/accounts-v'))) {
    const text = await archive.read(name)
    const { version } = jsonOf(name, text)
    const document = version === 0 ? '{"own":{}}' : accounts.get(version)
    const expected = document && JSON.stringify({ version, own: JSON.parse(document).own })
    compare({ name, text, expected, keys: archive.keys }, unproven)
    if (name !== `books/accounts-v${version}.json`) throw new Error(`${name} does not contain the version in its name`)
  }
  for (const file of archive.files)
    if (/^books\/.*FEC\d+\.txt$/.test(file)) verifyFec(file, new TextDecoder('latin1').decode(await archive.proved(file)))
}

/** Throws unless the checkpoints of the year are those of the journal and match the tree of the entries. */
async function verifyCheckpoints(archive, { journal, documents, growth }, unproven) {
  const notes = new Map(documents.filter(({ kind }) => kind === 'checkpoint').map(({ document }) => JSON.parse(document)).map(({ size, note }) => [size, note]))
  if (growth) notes.set(growth.size, growth.note)
  for (const name of archive.files.filter((file) => file.startsWith('checkpoints/'))) {
    const text = await archive.read(name)
    const { size, root } = readHead(text)
    if (name !== `checkpoints/${size}.note`) throw new Error(`${name} covers ${size} entries`)
    const expected = journal.roots.get(size)
    if (!expected) throw new Error(`${name} covers entries that are not in the archive`)
    if (!same(root, expected)) throw new Error(`${name} signs other entries`)
    compare({ name, text, expected: notes.get(size), keys: archive.keys }, unproven)
  }
  for (const [size] of notes)
    if (size > journal.start.size && size <= journal.size && !archive.files.includes(`checkpoints/${size}.note`))
      throw new Error(`checkpoints/${size}.note is missing`)
}

/** Throws unless the tables are exactly those of tables/manifest.json. */
async function verifyTables(archive, location) {
  const of = jsonOf('tables/manifest.json', await archive.read('tables/manifest.json'))
  if (of.location !== location) throw new Error('tables/manifest.json belongs to another location')
  const named = new Map(of.files.map(({ file, sha256: sum }) => [`tables/${file}`, sum]))
  const files = archive.files.filter((file) => file.startsWith('tables/') && file !== 'tables/manifest.json')
  const other = files.find((file) => !named.has(file))
  if (other) throw new Error(`${other} is not in tables/manifest.json`)
  for (const [file, sum] of named) {
    if (!files.includes(file)) throw new Error(`${file} is missing`)
    if (hexOf(await sha256(await archive.proved(file))) !== sum) throw new Error(`${file} differs from tables/manifest.json`)
  }
}

const derived = 'whether tables, the file in FEC format and the texts match the entries'

/** Lists what was not checked. */
function notCheckedOf({ isSigned, hasKey, unproven }) {
  if (!hasKey) return ['whether the journal was rewritten, and who made this archive: no key was given', ...unproven, derived]
  if (isSigned) return [...unproven, `${derived}: they are signed as written`]
  return [...unproven, `${derived}: the manifest is not signed by this key`, 'whether batches or monthly closings after the end of the year are missing']
}

/**
 * Verifies an archive: files, chain, tree, checkpoints, redactions, closings, books, the extent of the year, and signatures, each of which
 * must be by one of the keys; without keys, signatures are not checked. Resolves to its statement, and to what was not checked. Throws if
 * anything is wrong or, unless `unsigned`, if none of the keys signed the manifest.
 */
export async function verifyArchive(archive, keyTexts, { unsigned = false } = {}) {
  const keys = [keyTexts ?? []].flat()
  for (const key of keys) await readKey(key)
  const { manifest, ...opened } = await verifyFiles(archive)
  const own = { ...opened, keys }
  const journal = await verifyJournal(own)
  const { start, count, changed } = journal
  if (manifest.location !== start.location) throw new Error('manifest.json and start.json have different locations')
  const closings = linesOf('closings.ndjson', await own.read('closings.ndjson'))
  const year = yearOf(closings, journal)
  const growth = await readGrowth(own, journal)
  own.readProof = async (file) => {
    const of = await readProof(file, keys)
    if (of.note !== growth?.note) throw new Error('it does not belong to the checkpoint of growth.txt')
    return of
  }
  const unproven = []
  const left = await readRedactions(own, journal, unproven)
  for (const { name, seq, salt, document } of changed)
    if (!(await leftBy(left.get(seq) ?? [], { seq, salt, document })))
      throw new Error(`${name}: entry ${seq} has a document that does not match its commitment`)
  const all = new Map([...journal.entries, ...(await readProven(own, journal))])
  const documents = [...all].map(([seq, one]) => ({ seq, ...one })).toSorted((a, b) => a.seq - b.seq)
  const found = { journal, documents, growth }
  await verifyClosings(own, closings, found, unproven)
  if (String(manifest.fiscalYear).padStart(4, '0') !== firstDayOf(year.date).slice(0, 4))
    throw new Error(`manifest.json is for ${manifest.fiscalYear}, but the closing is for the year that ends on ${year.date}`)
  await verifyBooks(own, found, { last: year.date, unproven })
  await verifyCheckpoints(own, found, unproven)
  await verifyTables(own, start.location)
  const isSigned = await isManifestSigned(archive, manifest, keys)
  if (keys.length > 0 && !isSigned && !unsigned)
    throw new Error('the manifest is not signed by this key: tables and texts cannot be proved. Use --unsigned to verify the rest')
  const notChecked = notCheckedOf({ isSigned, hasKey: keys.length > 0, unproven })
  const said = `fiscal year ${manifest.fiscalYear}: ${own.files.length} files, ${count} entries, ${changed.length} of them blanked, `
  const by = growth && keys.length > 0 ? `signed as ${growth.origin} with ${growth.size} entries, ` : ''
  const beside = !by ? 'agree with each other' : isSigned ? 'and so is the manifest, with tables and books' : 'without the manifest'
  return { says: [`${said}${by}${beside}.`, ...notChecked.map((one) => `not checked: ${one}`)].join('\n'), notChecked, isSigned }
}

/* Command line. */
async function main([command, ...all]) {
  const { openAsBlob } = await import('node:fs')
  const { readFile, stat } = await import('node:fs/promises')
  const read = (path) => readFile(path, 'utf8')
  const openPath = async (path) => ((await stat(path)).isDirectory() ? openFolder(path) : openZip(await openAsBlob(path)))
  const unsigned = [command, ...all].includes('--unsigned')
  const args = all.filter((one) => one !== '--unsigned')
  const archive = async (path, keys) => (await verifyArchive(await openPath(path), keys, { unsigned })).says
  if (command === 'archive' && args.length > 0) return archive(args[0], args.slice(1))
  if (command === 'proof' && args.length === 2) return describe(await verifyProof(await read(args[0]), args[1]))
  if (command === 'growth' && args.length === 3)
    return describeGrowth(await verifyGrowth(await read(args[0]), await read(args[1]), args[2]))
  if (command === 'checkpoint' && args.length === 2) return describeHead(await openCheckpoint(await read(args[0]), args[1]))
  const own = (await import('node:path')).dirname(process.argv[1])
  const keys = [command, ...args].filter((one) => one !== undefined && one !== '--unsigned')
  if (keys.every((one) => one.includes('+')) && (await stat(`${own}/manifest.json`).catch(() => undefined))) return archive(own, keys)
  throw new Error('usage: node verify.mjs proof|growth|checkpoint|archive <file> [<older checkpoint>] [--unsigned] <verifier key>')
}

/* The path of this file. No top-level `await`, so that CommonJS programs can require this file. */
const self = decodeURIComponent(new URL(import.meta.url).pathname).replace(/^\/(?=[a-z]:)/i, '')
const started = globalThis.process?.argv?.[1] ?? ''
if (self === started || self === started.replaceAll('\\', '/')) {
  const failed = (error) => { process.exitCode = 1; process.stderr.write(`NOT VERIFIED: ${error.message}\n`) }
  main(process.argv.slice(2)).then((said) => process.stdout.write(`verified: ${said}\n`), failed)
}
