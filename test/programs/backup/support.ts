import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createOpener,
  createSeal,
  type OpeningSecret,
  type SealingSecret,
} from '../../../src/modules/backup/format/encryption.ts'
import { authenticate, refuseOthers } from '../../../src/modules/backup/format/authenticity.ts'
import type { Manifest } from '../../../src/modules/backup/format/manifest.ts'
import { restoreBackup, type RestoreOptions } from '../../../src/modules/backup/format/restore.ts'
import { generateSigningKey, getSigner, toSigner } from '../../../src/modules/backup/format/signing.ts'
import { findManifest, readManifest, storeManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { writeBackup, type WriteOptions } from '../../../src/modules/backup/format/write.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { atEnd } from '../../support/database.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tillgate-backup-test-'))
atEnd(() => rm(scratch, { recursive: true }))

export const takenAt = new Date('2026-04-01T10:00:00.000Z')

let made = 0

/** Returns the path of a directory that does not exist yet. */
export const newDirectory = () => join(scratch, String(++made))

/** Updates the backup in a directory, as the command does. */
export async function backUp(
  pool: Pool,
  dir: string,
  { secret = null, ...options }: Partial<WriteOptions> & { secret?: SealingSecret } = {},
) {
  const before = await findManifest(dir)
  const signer = await getSigner(pool, takenAt)
  const seal = await createSeal(secret, before?.encryption, signer)
  if (before) refuseOthers(before, seal.mac, signer)
  return writeBackup(pool, { dir, seal, signer, version: '0.0.0', now: takenAt, before, sweeps: true, ...options })
}

/** Signs with another key, without the secret of the installation. */
export const stranger = toSigner(generateSigningKey(), [])

/** Replaces the manifest, as somebody with write access to the directory can. */
export async function forge(dir: string, manifest: Manifest): Promise<void> {
  await rm(join(dir, 'manifest.json'))
  const seal = await createSeal(null, null, stranger)
  await storeManifest(dir, manifest, { seal, signer: stranger, unchanged: new Set(), before: undefined })
}

export async function restore(
  pool: Pool,
  dir: string,
  { secret = null, signer, ...options }: Partial<RestoreOptions> & { secret?: OpeningSecret; signer?: string } = {},
) {
  const manifest = await readManifest(dir)
  const opener = await createOpener(secret, manifest.encryption)
  authenticate(manifest, opener.mac, signer)
  return restoreBackup(pool, manifest, { dir, opener, now: takenAt, delivers: true, ...options })
}

export type FoundFile = { file: string; bytes: Buffer; mode: number; ino: number }

/** Reads every file of a directory, by its relative path. */
export async function filesOf(dir: string): Promise<Map<string, FoundFile>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry): Promise<[string, FoundFile]> => {
        const path = join(entry.parentPath, entry.name)
        const { mode, ino } = await stat(path)
        const file = path.slice(dir.length + 1)
        return [file, { file, bytes: await readFile(path), mode: mode & 0o777, ino }]
      }),
  )
  return new Map(found)
}
