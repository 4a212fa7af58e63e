import { createPublicKey, hash, sign, verify, type KeyObject } from 'node:crypto'

// Signed notes and checkpoints of C2SP: c2sp.org/signed-note, c2sp.org/tlog-checkpoint.

const ed25519 = Buffer.of(1)

/** Returns the 32 bytes of an Ed25519 public key; for a private key, those of its public key. */
export function publicBytes(key: KeyObject): Buffer {
  const { x = '' } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' })
  return Buffer.from(x, 'base64url')
}

const keyId = (name: string, publicKey: Uint8Array): Buffer =>
  Buffer.from(hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), ed25519, publicKey]), 'buffer').subarray(0, 4))

/** Writes the key for verifiers: name, key id and public key. */
export function verifierKey(name: string, publicKey: Uint8Array): string {
  const encoded = Buffer.concat([ed25519, publicKey]).toString('base64')
  return `${name}+${keyId(name, publicKey).toString('hex')}+${encoded}`
}

export type VerifierKey = { name: string; id: Buffer; publicKey: Buffer }

/** Reads a verifier key; undefined if the text is not the verifier key of an Ed25519 key. */
export function readVerifierKey(text: string): VerifierKey | undefined {
  const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/.exec(text.trim()) ?? []
  if (name === undefined || id === undefined || encoded === undefined) return undefined
  const bytes = Buffer.from(encoded, 'base64')
  const publicKey = bytes.subarray(1)
  const isKey = bytes.length === 33 && bytes[0] === 1 && keyId(name, publicKey).toString('hex') === id
  return isKey ? { name, id: Buffer.from(id, 'hex'), publicKey } : undefined
}

/** Signs a text, which ends with a newline, with each of the keys. */
export function signNote(text: string, name: string, keys: readonly KeyObject[]): string {
  const lines = keys.map((key) => {
    const signature = Buffer.concat([keyId(name, publicBytes(key)), sign(null, Buffer.from(text), key)])
    return `— ${name} ${signature.toString('base64')}\n`
  })
  return `${text}\n${lines.join('')}`
}

export type Note = { text: string; signatures: { name: string; id: Buffer; signature: Buffer }[] }

/** Reads a note without verifying it; undefined if it is not a note. */
export function readNote(note: string): Note | undefined {
  const at = note.lastIndexOf('\n\n')
  // eslint-disable-next-line no-control-regex
  if (at < 0 || !note.endsWith('\n') || /[\x00-\x09\x0b-\x1f]/.test(note)) return undefined
  const lines = note.slice(at + 2, -1).split('\n')
  const signatures = lines.map((line) => {
    const [, name = '', encoded = ''] = /^— (\S+) ([A-Za-z0-9+/]+=*)$/.exec(line) ?? []
    const bytes = Buffer.from(encoded, 'base64')
    return { name, id: bytes.subarray(0, 4), signature: bytes.subarray(4) }
  })
  return signatures.every(({ name, signature }) => name !== '' && signature.length > 0)
    ? { text: note.slice(0, at + 1), signatures }
    : undefined
}

/** Whether a note is signed by a key: it has signatures with the name and id of the key, and all of them are valid. */
export function isSignedBy({ text, signatures }: Note, { name, id, publicKey }: VerifierKey): boolean {
  const own = signatures.filter((one) => one.name === name && one.id.equals(id))
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') },
    format: 'jwk',
  })
  return own.length > 0 && own.every(({ signature }) => verify(null, Buffer.from(text), key, signature))
}

export type TreeHead = { origin: string; size: number; root: Buffer }

export const headText = ({ origin, size, root }: TreeHead): string => `${origin}\n${size}\n${root.toString('base64')}\n`

/** Reads the text of a checkpoint; undefined if it is not a checkpoint. */
export function readHeadText(text: string): TreeHead | undefined {
  const [, origin = '', size = '', root = ''] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n/.exec(text) ?? []
  return origin === '' ? undefined : { origin, size: Number(size), root: Buffer.from(root, 'base64') }
}
