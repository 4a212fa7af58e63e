import type { Command } from 'commander'
import type { OpeningSecret, SealingSecret } from '../../format/encryption.ts'
import { readSignerKey } from '../../format/signing.ts'
import { readConfig } from '../../../../core/config.ts'
import { readSecretFile } from './secret-file.ts'
import { CliError } from '../../../../core/server/errors.ts'

/** Size limit of a file with a passphrase or identities, in bytes. */
const longestFile = 1024 * 1024

/** Reads secrets from a file, because a command line is visible in every list of processes. */
async function readLines(option: string, file: string): Promise<string[]> {
  const bytes = await readSecretFile(file, longestFile).catch((error: Error) => {
    throw new CliError('file_unreadable', `${option}: ${error.message}`, { cause: error })
  })
  if (bytes.length > longestFile)
    throw new CliError(
      'usage',
      `${option}: ${file} exceeds 1 MiB, so it is not a secret: give the file with the secret`,
    )
  return bytes.toString('utf8').split(/\r?\n/)
}

async function readPassphrase(file: string): Promise<string> {
  const [line = ''] = await readLines('--passphrase-file', file)
  if (line.length >= 12) return line
  throw new CliError('usage', `the first line of ${file} must be a passphrase of at least 12 characters`)
}

/** Reads the secret keys of a file as `age-keygen` writes it; lines that begin with # are comments. */
async function readIdentities(file: string): Promise<string[]> {
  const lines = await readLines('--identity', file)
  const identities = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (identities.length > 0 && identities.every((line) => line.startsWith('AGE-SECRET-KEY-'))) return identities
  throw new CliError('usage', `${file} must contain age identities, in lines that begin with AGE-SECRET-KEY-`)
}

export type SealingFlags = { passphraseFile?: string; recipient?: string[] }

export type OpeningFlags = { passphraseFile?: string; identity?: string; signer?: string }

function refuseBoth(passphraseFile: unknown, option: string, given: unknown): void {
  if (passphraseFile === undefined || given === undefined) return
  throw new CliError(
    'usage',
    `--passphrase-file and ${option} cannot be combined: give the one that encrypts the backup`,
  )
}

/**
 * Reads the secret that encrypts: from the flags, else from the environment. A flag overrides both environment
 * variables, so `--passphrase-file` is valid even if a recipient is set for the timer.
 */
export async function readSealingSecret(
  flags: SealingFlags,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SealingSecret> {
  const isGiven = flags.recipient !== undefined || flags.passphraseFile !== undefined
  const { recipient, passphraseFile } = readConfig(['recipient', 'passphraseFile'], flags, isGiven ? {} : env)
  const recipients = recipient.length > 0 ? recipient : undefined
  refuseBoth(passphraseFile ?? undefined, '--recipient', recipients)
  if (recipients) return { recipients }
  return passphraseFile === null ? null : { passphrase: await readPassphrase(passphraseFile) }
}

export async function readOpeningSecret({ passphraseFile, identity }: OpeningFlags): Promise<OpeningSecret> {
  refuseBoth(passphraseFile, '--identity', identity)
  if (identity !== undefined) return { identities: await readIdentities(identity) }
  return passphraseFile === undefined ? null : { passphrase: await readPassphrase(passphraseFile) }
}

export function addIdentity(command: Command): Command {
  return command.option('--identity <file>', 'file with the age identity that decrypts a backup made with --recipient')
}

export function addSigner(command: Command): Command {
  return command.option('--signer <key>', 'public key of the installation that signed the backup, from `backup signer`')
}

/** Reads the public key of a signer from the flags. Throws `BackupError` if it is not one. */
export function readSigner({ signer }: OpeningFlags): string | undefined {
  return signer === undefined ? undefined : readSignerKey(signer)
}
