import { resolve } from 'node:path'
import type { Command } from 'commander'
import { createOpener } from '../backup/encryption.ts'
import { countBackedUp, locationsToRestore, readManifest } from '../backup/manifest.ts'
import { restoreBackup } from '../backup/restore.ts'
import { databaseSettings } from '../config.ts'
import { addIdentity, readOpeningSecret, type OpeningFlags } from './backup/secrets.ts'
import { byHand } from './acts.ts'
import { withDatabase } from './database.ts'
import { addSettings, finish } from './terminal/options.ts'
import { note, print, printJson, some } from './terminal/output.ts'
import { showProgress } from './terminal/progress.ts'

type Flags = OpeningFlags & { deliver?: true; withDeleted?: true; json?: true }

async function run(path: string, flags: Flags): Promise<void> {
  const dir = resolve(path)
  const manifest = await readManifest(dir)
  const open = await createOpener(await readOpeningSecret(flags), manifest.encryption)
  const withDeleted = flags.withDeleted === true
  const locations = locationsToRestore(manifest, withDeleted)
  const work = async ({ pool }: Parameters<Parameters<typeof withDatabase>[1]>[0]) => {
    const progress = showProgress(countBackedUp(locations))
    try {
      const onEntries = (entries: number) => progress.update(entries, entries)
      const options = { dir, open, now: new Date(), delivers: flags.deliver === true, withDeleted, onEntries }
      const restored = await restoreBackup(pool, manifest, options)
      for (const { id } of locations) await byHand(pool, id, { act: 'data.restored', subject: null })
      return restored
    } finally {
      progress.stop()
    }
  }
  const restored = await withDatabase(flags, work, { creates: true })
  const { entries, webhooks, deleted } = restored
  if (flags.json) return printJson({ takenAt: manifest.takenAt, ...restored })
  print(
    `restored  ${some(restored.locations, 'location')}, ${some(entries, 'entry', 'entries')}, as of ${manifest.takenAt}`,
  )
  if (webhooks > 0) {
    note(`Paused ${some(webhooks, 'webhook')}, for the original may still deliver: tillgate webhook enable <id>`)
  }
  if (deleted > 0) {
    note(
      withDeleted
        ? `${some(deleted, 'deleted location')} stayed in the backup: the id is in use again, or a later state came back`
        : `${some(deleted, 'deleted location')} stayed in the backup: --with-deleted restores what was deleted`,
    )
  }
}

export function define(command: Command): void {
  command
    .description(
      'Fill an empty database from a backup: an embedded one, or the one that DATABASE_URL names, of any ' +
        'supported version. Every file and every entry is verified. Each journal skips all numbers that could ' +
        'have been used after the backup. Webhooks are disabled unless --deliver is given.',
    )
    .argument('<dir>', 'directory of the backup')
    .option('--passphrase-file <file>', 'file whose first line is the passphrase of the backup')
    .option('--deliver', 'let webhooks continue where they were; only if the original is gone or stopped')
    .option('--with-deleted', 'also restore locations that were deleted after they were backed up')
  addIdentity(addSettings(command, databaseSettings)).action(run)
  finish(command, [
    'restore /mnt/backup --data-dir ./copy',
    'restore /mnt/backup --deliver --database-url postgres://tillgate@db/tillgate',
  ])
}
