import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpener, createSeal, type OpeningSecret, type SealingSecret } from '../../src/backup/encryption.ts'
import { findManifest, readManifest } from '../../src/backup/manifest.ts'
import { restoreBackup, type RestoreOptions } from '../../src/backup/restore.ts'
import { writeBackup, type WriteOptions } from '../../src/backup/write.ts'
import type { Pool } from '../../src/store/db/database.ts'
import { atEnd } from '../support/database.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tillgate-backup-test-'))
atEnd(() => rm(scratch, { recursive: true }))

export const takenAt = new Date('2026-04-01T10:00:00.000Z')

let made = 0

/** A directory that is not there yet. */
export const newDirectory = () => join(scratch, String(++made))

/** Brings the backup in a directory up to date, as the command does. */
export async function backUp(
  pool: Pool,
  dir: string,
  { secret = null, ...options }: Partial<WriteOptions> & { secret?: SealingSecret } = {},
) {
  const before = await findManifest(dir)
  const seal = await createSeal(secret, before?.encryption)
  return writeBackup(pool, { dir, seal, version: '0.0.0', now: takenAt, before, ...options })
}

export async function restore(
  pool: Pool,
  dir: string,
  { secret = null, ...options }: Partial<RestoreOptions> & { secret?: OpeningSecret } = {},
) {
  const manifest = await readManifest(dir)
  const open = await createOpener(secret, manifest.encryption)
  return restoreBackup(pool, manifest, { dir, open, now: takenAt, delivers: true, ...options })
}

export type FoundFile = { file: string; bytes: Buffer; mode: number; ino: number }

/** Every file of a directory, by its path in it. */
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
