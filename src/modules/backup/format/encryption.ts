import { hash } from 'node:crypto'
import { createAgeOpener, createAgeSeal } from './age-seal.ts'
import { BackupError } from './errors.ts'
import type { Encryption } from './manifest.ts'
import { createPassphraseSeal } from './passphrase-seal.ts'
import type { Opener, Seal } from './seal.ts'
import type { Signer } from './signing.ts'

/** A passphrase, which encrypts and decrypts, or age recipients (`age1…`), which only encrypt. */
export type SealingSecret = { passphrase: string } | { recipients: readonly string[] } | null

/** A passphrase, or age identities: the secret parts of such keys (`AGE-SECRET-KEY-…`). */
export type OpeningSecret = { passphrase: string } | { identities: readonly string[] } | null

const openSeal: Seal = {
  encryption: null,
  digest: (content) => hash('sha256', content),
  seal: async (content) => content,
  end: 'ndjson.gz',
}

const elsewhere = 'start a new backup elsewhere'

/**
 * Resolves to the seal of an existing backup (`given`) or of a new one. Throws `BackupError` if the secret is not of
 * the kind that the backup uses, or is a different passphrase.
 */
export async function createSeal(
  secret: SealingSecret,
  given: Encryption | null | undefined,
  signer: Pick<Signer, 'secretFor'>,
): Promise<Seal> {
  if (given === null && secret !== null) {
    const code = 'passphrase' in secret ? 'backup_passphrase' : 'backup_key'
    throw new BackupError(code, `the existing backup is not encrypted and cannot be encrypted later: ${elsewhere}`)
  }
  if (secret === null) {
    if (given) throw missing(given, '--recipient')
    return openSeal
  }
  if ('passphrase' in secret) {
    if (given?.kdf === 'age') throw missing(given, '--recipient')
    return (await createPassphraseSeal(secret.passphrase, given ?? undefined)).seal
  }
  if (given?.kdf === 'scrypt') throw missing(given, '--recipient')
  return createAgeSeal(secret.recipients, given ?? undefined, signer.secretFor)
}

/** Resolves to the opener of a backup. Throws `BackupError` if this secret does not open it. */
export async function createOpener(secret: OpeningSecret, given: Encryption | null): Promise<Opener> {
  if (given === null) {
    if (secret === null) return { open: async (content) => content }
    const [code, option] =
      'passphrase' in secret
        ? (['backup_passphrase', '--passphrase-file'] as const)
        : (['backup_key', '--identity'] as const)
    throw new BackupError(code, `the backup is not encrypted: remove ${option}`)
  }
  if (given.kdf === 'scrypt' && secret && 'passphrase' in secret) {
    return (await createPassphraseSeal(secret.passphrase, given)).opener
  }
  if (given.kdf === 'age' && secret && 'identities' in secret) return createAgeOpener(secret.identities, given)
  throw missing(given, '--identity')
}

function missing(given: Encryption, option: '--recipient' | '--identity'): BackupError {
  if (given.kdf === 'scrypt') {
    return new BackupError('backup_passphrase', 'the backup is encrypted: give its passphrase with --passphrase-file')
  }
  const means = option === '--recipient' ? 'pass the recipients again with' : 'pass the identity file with'
  return new BackupError('backup_key', `the backup is encrypted to ${given.recipients.join(', ')}: ${means} ${option}`)
}
