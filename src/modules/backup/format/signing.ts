import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, sign, verify } from 'node:crypto'
import { insertBackupSigner, listBackupSigners } from '../store/backup-signers.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { BackupError } from './errors.ts'

/** Signs manifests as this installation. Public keys are written as `tgs_` and 43 characters. */
export type Signer = {
  publicKey: string
  /**
   * The signers whose backups this installation continues: its own key, and the keys of the backups that it was
   * restored from.
   */
  known: ReadonlySet<string>
  sign(text: string): string
  /** Derives a secret of the installation, a different one for each `use`. */
  secretFor(use: string): Buffer
}

const prefix = 'tgs_'

/** Prefix of the signed text, so that the signature is valid for nothing else that this key may ever sign. */
const context = 'tillgate backup manifest\n'

const toText = (publicKey: string) => prefix + publicKey

/** Returns the text if it is the public key of a signer. Throws `BackupError` otherwise. */
export function readSignerKey(text: string): string {
  if (/^tgs_[A-Za-z0-9_-]{43}$/.test(text)) return text
  throw new BackupError(
    'backup_signer',
    `a signer must be tgs_ and 43 characters, from \`tillgate backup signer\`, not ${JSON.stringify(text)}`,
  )
}

export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.slice(prefix.length) }
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    return verify(null, Buffer.from(context + text), key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** Makes the signer of an installation, which also continues the backups of the signers in `known`. */
export function toSigner(jwk: { x: string; d: string }, known: Iterable<string>): Signer {
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', ...jwk }, format: 'jwk' })
  const secret = Buffer.from(jwk.d, 'base64url')
  return {
    publicKey: toText(jwk.x),
    known: new Set([toText(jwk.x), ...known]),
    sign: (text) => sign(null, Buffer.from(context + text), key).toString('base64url'),
    secretFor: (use) => Buffer.from(hkdfSync('sha256', secret, '', `tillgate backup ${use}`, 32)),
  }
}

export function generateSigningKey(): { x: string; d: string } {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return { x, d }
}

/** Resolves to the signing key of this installation, which is created on first use. */
export async function getSigner(pool: Pool, now: Date): Promise<Signer> {
  for (;;) {
    const all = await listBackupSigners(pool)
    const own = all.find(({ privateKey }) => privateKey !== null)
    if (own) {
      const jwk = { x: own.publicKey.slice(prefix.length), d: own.privateKey as string }
      return toSigner(
        jwk,
        all.map(({ publicKey }) => publicKey),
      )
    }
    const { x, d } = generateSigningKey()
    await insertBackupSigner(pool, { publicKey: toText(x), privateKey: d }, now)
  }
}
