import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { BackupError } from './errors.ts'
import type { ScryptEncryption } from './manifest.ts'
import type { Opener, Seal } from './seal.ts'

/** N of scrypt, with r = 8 and p = 1: 64 MiB of memory for each guess. */
const cost = 2 ** 16

const [ivBytes, tagBytes] = [12, 16]

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)

const checkOf = (key: Buffer) => createHmac('sha256', key).update('tillgate backup').digest('hex')

/**
 * Makes the seal of a key and the opener of what it seals. The path of a file is authenticated with its content, so
 * the content does not open under another path.
 */
function sealWith(key: Buffer, encryption: ScryptEncryption): { seal: Seal; opener: Opener } {
  const macKey = Buffer.from(hkdfSync('sha256', key, '', 'tillgate backup manifest', 32))
  const mac = (text: string) => createHmac('sha256', macKey).update(text).digest('hex')
  const seal: Seal = {
    encryption,
    end: 'sealed',
    mac,
    digest: (content) => createHmac('sha256', key).update(content).digest('hex'),
    async seal(content, file) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(file))
      const sealed = Buffer.concat([cipher.update(content), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), sealed])
    },
  }
  const open: Opener['open'] = async (sealed, file) => {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes))
    decipher.setAAD(Buffer.from(file))
    decipher.setAuthTag(sealed.subarray(ivBytes, ivBytes + tagBytes))
    try {
      return Buffer.concat([decipher.update(sealed.subarray(ivBytes + tagBytes)), decipher.final()])
    } catch (error) {
      throw new BackupError('backup_damaged', `${file} was changed after it was encrypted`, { cause: error })
    }
  }
  return { seal, opener: { open, mac } }
}

/** Makes the seal of a passphrase. Throws `BackupError` if an existing backup has another passphrase. */
export async function createPassphraseSeal(
  passphrase: string,
  given: ScryptEncryption | undefined,
): Promise<{ seal: Seal; opener: Opener }> {
  const salt = given ? Buffer.from(given.salt, 'hex') : randomBytes(16)
  const N = given?.cost ?? cost
  const key = await deriveKey(passphrase, salt, 32, { N, r: 8, p: 1, maxmem: 256 * N * 8 })
  const check = checkOf(key)
  if (given && check !== given.check) {
    throw new BackupError('backup_passphrase', 'the passphrase is wrong: give the one with which the backup was made')
  }
  return sealWith(key, { kdf: 'scrypt', salt: salt.toString('hex'), cost: N, check })
}
