import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupError } from './errors.ts'
import type { Encryption } from './manifest.ts'

/** N of scrypt, with r = 8 and p = 1: 64 MiB of memory for each guess. */
const cost = 2 ** 16

const [ivBytes, tagBytes] = [12, 16]

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** What seals the files of one backup; without a passphrase they are packed and not sealed. */
export type Seal = {
  encryption: Encryption | null
  /** Tells contents apart without telling them. */
  digest(content: Buffer): string
  /** `file` is its path in the backup: no other file opens under it. */
  seal(content: Buffer, file: string): Buffer
  /** Throws `BackupError` when it was not sealed with this passphrase as this file, or was changed since. */
  open(sealed: Buffer, file: string): Buffer
  /** How names of its files end. */
  end: 'sealed' | 'ndjson.gz'
}

const openSeal: Seal = {
  encryption: null,
  digest: (content) => hash('sha256', content),
  seal: (content) => content,
  open: (sealed) => sealed,
  end: 'ndjson.gz',
}

function sealWith(key: Buffer, encryption: Encryption): Seal {
  return {
    encryption,
    end: 'sealed',
    digest: (content) => createHmac('sha256', key).update(content).digest('hex'),
    seal(content, file) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(file))
      const sealed = Buffer.concat([cipher.update(content), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed])
    },
    open(sealed, file) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
      decipher.setAAD(Buffer.from(file))
      decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
      try {
        return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()])
      } catch (error) {
        throw new BackupError('backup_damaged', `${file} was changed after it was sealed`, { cause: error })
      }
    },
  }
}

const checkOf = (key: Buffer) => createHmac('sha256', key).update('tillgate backup').digest('hex')

/**
 * The seal of a backup that is there (`given`), or of a new one. Throws `BackupError` when the passphrase is not the one
 * that the backup was begun with.
 */
export async function createSeal(passphrase: string | null, given: Encryption | null | undefined): Promise<Seal> {
  if (given === null || (given === undefined && passphrase === null)) {
    if (passphrase === null) return openSeal
    throw new BackupError('backup_passphrase', 'the backup was begun without a passphrase: begin a new one elsewhere')
  }
  if (passphrase === null) {
    throw new BackupError('backup_passphrase', 'the backup is sealed: give its passphrase with --passphrase-file')
  }
  const salt = given ? Buffer.from(given.salt, 'hex') : randomBytes(16)
  const N = given?.cost ?? cost
  const key = await deriveKey(passphrase, salt, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
  const check = checkOf(key)
  if (given && check !== given.check) {
    throw new BackupError('backup_passphrase', 'this is not the passphrase that the backup was sealed with')
  }
  return sealWith(key, { kdf: 'scrypt', salt: salt.toString('hex'), cost: N, check })
}
