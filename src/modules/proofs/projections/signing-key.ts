import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, readSync, renameSync, statSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import { publicBytes, readHeadText, readNote, signNote, verifierKey, type TreeHead } from '../domain/notes.ts'

/** Time after a rotation in which notes have both signatures. */
const bothMs = 30 * dayMs

/** The name under which a key signs its successor. */
export const rotationName = 'tillgate/checkpoint-keys'

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function bytesOf(path: string, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from))
  } finally {
    closeSync(file)
  }
}

/** Makes a file that only its owner can read; it is on disk when this returns. */
function writeOwn(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Appends to a file that only its owner can read; on disk when this resolves. */
async function appendOwn(path: string, text: string): Promise<void> {
  await using file = await open(path, 'a', 0o600)
  await file.write(text)
  await file.datasync()
}

const newPem = () => generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' })

/** Makes the file of a key. Throws `EEXIST` if it exists. */
export function createKeyFile(path: string): void {
  writeOwn(path, newPem())
}

function readKey(path: string, text: string): KeyObject {
  const key = createPrivateKey(text)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} does not contain an Ed25519 key`)
  return key
}

const encoded = (key: KeyObject) => Buffer.concat([Buffer.of(1), publicBytes(key)]).toString('base64')

/**
 * Replaces the key of a file with a new key, which the old key signs. The old key is kept as `<path>.previous`, and the
 * note in which both keys sign the new key as `<path>.rotation`. Returns the note.
 */
export function rotateKeyFile(path: string, now: Date): string {
  const before = readKey(path, readFileSync(path, 'utf8'))
  const pem = newPem()
  const after = readKey(path, pem)
  const text = `${rotationName}\nrotation ${now.toISOString()}\n${encoded(before)}\n${encoded(after)}\n`
  const note = signNote(text, rotationName, [before, after])
  for (const [name, content] of [
    [`${path}.next`, pem],
    [`${path}.rotation.next`, note],
  ] as const)
    writeOwn(name, content)
  renameSync(path, `${path}.previous`)
  renameSync(`${path}.next`, path)
  renameSync(`${path}.rotation.next`, `${path}.rotation`)
  return note
}

/** Reads a line of the signed notes; undefined for an empty or truncated line. */
function headOf(line: string): TreeHead | undefined {
  try {
    const { note } = JSON.parse(line) as { note: string }
    return readHeadText(readNote(note)?.text ?? '')
  } catch {
    return undefined
  }
}

/** A signed note with its keys. It must not be published before `written` resolves: then it is stored. */
export type SignedHead = { note: string; keys: string[]; rotation: string | null; written: Promise<void> }

/**
 * Signs heads of trees with a key file outside the database, and stores the signed notes beside it (`<path>.notes`).
 * The notes reveal, before signing, that a database was restored to an earlier state or rewritten.
 */
export class SigningKey {
  readonly #path: string
  readonly #last = new Map<string, TreeHead>()
  #read = 0

  /** Opens a key file. Throws if the file does not exist, or has no Ed25519 key. */
  constructor(path: string) {
    this.#path = path
    this.#keys(new Date())
  }

  /** Returns the last signed head whose origin equals `prefix`, or begins with `prefix` and a dot. */
  lastOf(prefix: string): TreeHead | undefined {
    this.#catchUp()
    return [...this.#last.values()].findLast(({ origin }) => origin === prefix || origin.startsWith(`${prefix}.`))
  }

  /** Signs a head, and begins to store the note. */
  sign(head: TreeHead, text: string, now: Date): SignedHead {
    const { keys, rotation } = this.#keys(now)
    const note = signNote(text, head.origin, keys)
    // On a line of its own, even if a process ended in the middle of the previous line.
    const written = appendOwn(`${this.#path}.notes`, `\n${JSON.stringify({ note })}\n`)
    return { note, keys: keys.map((key) => verifierKey(head.origin, publicBytes(key))), rotation, written }
  }

  /** Signs a text that is not a head, under `rotationName`. */
  signText(text: string, now: Date): { note: string; keys: string[] } {
    const { keys } = this.#keys(now)
    return {
      note: signNote(text, rotationName, keys),
      keys: keys.map((key) => verifierKey(rotationName, publicBytes(key))),
    }
  }

  /** Returns the public keys in use, the newest first. */
  publicKeys(now: Date): Buffer[] {
    return this.#keys(now).keys.map(publicBytes)
  }

  #keys(now: Date): { keys: KeyObject[]; rotation: string | null } {
    const own = readKey(this.#path, readFileSync(this.#path, 'utf8'))
    const rotation = textOf(`${this.#path}.rotation`) ?? null
    const at = /\nrotation (\S+)\n/.exec(rotation ?? '')?.[1]
    const former = textOf(`${this.#path}.previous`)
    const isBoth = at !== undefined && former !== undefined && Date.parse(at) + bothMs > now.getTime()
    return { keys: isBoth ? [own, readKey(`${this.#path}.previous`, former)] : [own], rotation }
  }

  /** Reads the complete lines that this process or another process has written since the last call. */
  #catchUp(): void {
    const path = `${this.#path}.notes`
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size < this.#read) this.#read = 0
    if (size === this.#read) return
    const bytes = bytesOf(path, this.#read, size)
    const end = bytes.lastIndexOf('\n') + 1
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      const head = headOf(line)
      if (!head) continue
      // A map keeps the order of insertion: the origin that signed last is at the end.
      this.#last.delete(head.origin)
      this.#last.set(head.origin, head)
    }
    this.#read += end
  }
}
