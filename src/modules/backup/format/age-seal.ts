import { createHmac } from 'node:crypto'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import { BackupError } from './errors.ts'
import type { AgeEncryption } from './manifest.ts'
import type { Opener, Seal } from './seal.ts'
import type { Signer } from './signing.ts'

/** The text that is encrypted in a manifest: an identity that decrypts it can open the backup. */
const checked = 'tillgate backup'

/** Returns an encrypter to these age public keys. Throws `BackupError` for an invalid key. */
export function encrypterFor(recipients: readonly string[]): Encrypter {
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      // A value that does not look like a recipient may be the secret part.
      throw new BackupError(
        'backup_key',
        recipient.startsWith('age1')
          ? `${recipient} is not a valid age recipient: check that it was copied completely`
          : 'the value is not an age recipient: a recipient begins with age1',
      )
    }
  }
  return encrypter
}

/**
 * Makes a seal that encrypts to `recipients`, as age files that `age --decrypt` also opens. The recipients named in an
 * existing backup are not used, because anyone who can write there could add a key. If the backup has other recipients,
 * the seal has a new `encryption`. This machine cannot open sealed files, so it compares contents by a digest that is
 * keyed with a secret of the installation.
 */
export async function createAgeSeal(
  recipients: readonly string[],
  given: AgeEncryption | undefined,
  secretFor: Signer['secretFor'],
): Promise<Seal> {
  const wanted = [...new Set(recipients)].toSorted()
  const encrypter = encrypterFor(wanted)
  const seal = async (content: Buffer | string) => Buffer.from(await encrypter.encrypt(content))
  const isSame = given?.recipients.join() === wanted.join()
  const check = given && isSame ? given.check : (await seal(checked)).toString('base64')
  const key = secretFor(`contents ${check}`)
  return {
    encryption: { kdf: 'age', recipients: wanted, check },
    end: 'ndjson.gz.age',
    digest: (content) => createHmac('sha256', key).update(content).digest('hex'),
    seal,
  }
}

/** Makes the opener of a sealed backup. Throws `BackupError` if none of the identities opens it. */
export async function createAgeOpener(identities: readonly string[], given: AgeEncryption): Promise<Opener> {
  const decrypter = new Decrypter()
  for (const identity of identities) {
    try {
      decrypter.addIdentity(identity)
    } catch {
      // The cause is left out, because it may quote the line, which is a secret.
      throw new BackupError(
        'backup_key',
        'a line of the identity is not an age key: it was truncated or changed; use the original file',
      )
    }
  }
  const opened = await decrypter.decrypt(Buffer.from(given.check, 'base64'), 'text').catch((error: unknown) => error)
  if (opened !== checked) {
    const names = given.recipients.join(', ')
    throw new BackupError(
      'backup_key',
      `this identity does not decrypt the backup, which is encrypted to ${names}: give the identity of one of them`,
      {
        cause: opened,
      },
    )
  }
  const open: Opener['open'] = async (sealed, file) => {
    try {
      return Buffer.from(await decrypter.decrypt(sealed))
    } catch (error) {
      if (/no identity matched/.test((error as Error).message)) {
        const reason = `${file} is encrypted to earlier recipients: add their identity to the same file`
        throw new BackupError('backup_key', reason, { cause: error })
      }
      throw new BackupError('backup_damaged', `${file} was changed after it was encrypted`, { cause: error })
    }
  }
  return { open }
}

/** Makes a new key pair: the secret identity, which decrypts, and its public recipient, which encrypts. */
export async function generateKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}
