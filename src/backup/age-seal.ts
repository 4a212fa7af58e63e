import { createHmac, randomBytes } from 'node:crypto'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { BackupError } from './errors.ts'
import type { AgeEncryption } from './manifest.ts'
import type { Opener, Seal } from './seal.ts'

/** Is the text that the check of a manifest seals, for somebody who can open it. */
const checked = 'tillgate backup'

function encrypterFor(recipients: readonly string[]): Encrypter {
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      // What does not look like one may be the secret part.
      const what = recipient.startsWith('age1') ? `${recipient} is not a recipient` : 'that is not a recipient'
      throw new BackupError('backup_key', `${what}: one begins with age1`)
    }
  }
  return encrypter
}

/**
 * Seals to the holders of keys. Each file is one of age, so that `age --decrypt` opens it, too. Throws `BackupError` when
 * the backup that is there has other recipients: those of its manifest are not taken, for whoever can write there could
 * name himself.
 */
export async function createAgeSeal(recipients: readonly string[], given: AgeEncryption | undefined): Promise<Seal> {
  const wanted = [...new Set(recipients)].toSorted()
  const encrypter = encrypterFor(wanted)
  if (given && given.recipients.join() !== wanted.join()) {
    const names = given.recipients.join(', ')
    throw new BackupError('backup_key', `the backup is sealed to ${names}: name the same, or begin a new one elsewhere`)
  }
  const seal = async (content: Buffer | string) => Buffer.from(await encrypter.encrypt(content))
  const check = given?.check ?? (await seal(checked)).toString('base64')
  // Nobody here can open what the last run sealed, so contents are told apart for as long as the process runs.
  const key = randomBytes(32)
  return {
    encryption: { kdf: 'age', recipients: wanted, check },
    end: 'ndjson.gz.age',
    digest: (content) => createHmac('sha256', key).update(content).digest('hex'),
    seal,
  }
}

/** Throws `BackupError` when none of the identities opens the backup. */
export async function createAgeOpener(identities: readonly string[], given: AgeEncryption): Promise<Opener> {
  const decrypter = new Decrypter()
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity)
    } catch {
      // Without the cause, which may quote the line.
      throw new BackupError('backup_key', 'a line of the identity is not a key of age: it was cut or changed')
    }
  }
  const opened = await decrypter.decrypt(Buffer.from(given.check, 'base64'), 'text').catch((error: unknown) => error)
  if (opened !== checked) {
    const names = given.recipients.join(', ')
    throw new BackupError('backup_key', `this identity does not open the backup, which is sealed to ${names}`, {
      cause: opened,
    })
  }
  return async (sealed, file) => {
    try {
      return Buffer.from(await decrypter.decrypt(sealed))
    } catch (error) {
      throw new BackupError('backup_damaged', `${file} was changed after it was sealed`, { cause: error })
    }
  }
}

/** Makes a new key: the identity, which opens, and its recipient, which seals. */
export async function generateKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}
