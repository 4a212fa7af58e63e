import { resolve } from 'node:path'
import type { Command } from 'commander'
import { authenticate } from '../format/authenticity.ts'
import { createOpener } from '../format/encryption.ts'
import { chooseLocation, countBackedUp, locationsToRestore, type Manifest } from '../format/manifest.ts'
import { restoreBackup, restoreLocation, type Restored } from '../format/restore.ts'
import { readManifest } from '../format/stored-manifest.ts'
import { databaseSettings } from '../../../core/config.ts'
import { writeLost } from '../../../core/domain/journal/marks.ts'
import { readAcknowledged } from '../../../core/server/acknowledged.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addIdentity, addSigner, readOpeningSecret, readSigner, type OpeningFlags } from './backup/secrets.ts'
import { describeAuthenticity } from './backup/verify.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../core/cli/terminal/output.ts'
import { showProgress } from '../../../core/cli/terminal/progress.ts'

type RestoreFlags = OpeningFlags & {
  deliver?: true
  withDeleted?: true
  location?: string
  epoch?: string
  json?: true
}

type RestoreContext = {
  manifest: Manifest
  authentic: ReturnType<typeof authenticate>
  flags: RestoreFlags
  /** Locations whose journals were acknowledged here but not restored. */
  missing: readonly [id: string, acknowledged: number][]
}

function report(restored: Restored, { manifest, authentic, flags, missing }: RestoreContext): void {
  const { entries, webhooks, sources, deleted } = restored
  const absent = missing.map(([location, acknowledged]) => ({ id: location, acknowledged }))
  if (flags.json) {
    const gone = absent.length > 0 ? { absent } : {}
    return printJson({ takenAt: manifest.takenAt, authentic: authentic !== null, ...restored, ...gone })
  }
  print(
    `restored  ${some(restored.locations, 'location')}, ${some(entries, 'entry', 'entries')}, as of ${manifest.takenAt}`,
  )
  // With `--location`, only files of that location were read.
  const read = flags.location === undefined ? 'The backup is intact' : 'The restored data is intact'
  note(`${read}, ${describeAuthenticity(authentic, manifest)}`)
  for (const { id: location, ...lost } of restored.lost ?? []) {
    note(`Location ${location}: the acknowledged entries ${writeLost(lost)} are not in the backup (tillgate loss list)`)
  }
  for (const { id: location, acknowledged } of absent) {
    note(
      `Location ${location}, with a journal up to ${acknowledged}, was not restored: it was deleted, or is not in the backup`,
    )
  }
  if (webhooks > 0) {
    note(`Paused ${some(webhooks, 'webhook')}, because the original may still deliver: tillgate webhook enable <id>`)
  }
  if (sources > 0) {
    note(
      `Paused ${some(sources, 'source')}, because each sends a secret of this machine. Check tillgate source list, then run tillgate source resume <id>`,
    )
  }
  if (deleted > 0) {
    note(
      flags.withDeleted
        ? `${some(deleted, 'deleted location')} not restored: the id is in use again, or a later state was restored`
        : `${some(deleted, 'deleted location')} not restored: use --with-deleted to restore deleted locations`,
    )
  }
}

async function run(path: string, flags: RestoreFlags): Promise<void> {
  const dir = resolve(path)
  const signer = readSigner(flags)
  const manifest = await readManifest(dir)
  const opener = await createOpener(await readOpeningSecret(flags), manifest.encryption)
  const authentic = authenticate(manifest, opener.mac, signer)
  const withDeleted = flags.withDeleted === true
  const id = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  if (flags.epoch !== undefined && id === undefined) throw new CliError('usage', '--epoch requires --location')
  const chosen = id === undefined ? undefined : chooseLocation(manifest, id, flags.epoch)
  const locations = chosen ? [chosen] : locationsToRestore(manifest, withDeleted)
  let missing: [id: string, acknowledged: number][] = []
  const work = async ({ pool, kept }: Parameters<Parameters<typeof withDatabase>[1]>[0]) => {
    const acknowledged = await readAcknowledged(kept)
    const known = new Set(locations.map(({ id }) => id))
    if (!chosen) missing = [...acknowledged].filter(([id]) => !known.has(id))
    const progress = showProgress(countBackedUp(locations))
    try {
      const onEntries = (entries: number) => progress.update(entries, entries)
      const options = {
        dir,
        opener,
        now: new Date(),
        delivers: flags.deliver === true,
        withDeleted,
        onEntries,
        acknowledged,
      }
      const restored = await (chosen
        ? restoreLocation(pool, manifest, chosen, options)
        : restoreBackup(pool, manifest, options))
      for (const { id } of locations) await byHand(pool, id, { act: 'data.restored', subject: null })
      return restored
    } finally {
      progress.stop()
    }
  }
  const isFullRestore = chosen === undefined
  const restored = await withDatabase(flags, work, { creates: isFullRestore, replacesLost: isFullRestore })
  report(restored, { manifest, authentic, flags, missing })
}

export function define(command: Command): void {
  command
    .description(
      'Restore a backup into an empty database: an embedded one, or the one in DATABASE_URL, of any ' +
        'supported version. Every file and every entry is verified. Each journal skips all numbers that could ' +
        'have been used after the backup. Without --deliver, webhooks are disabled and sources paused. With --location, one location is restored into ' +
        'an installation that may be in use, if it has no location with this id.',
    )
    .argument('<dir>', 'directory of the backup')
    .option('--passphrase-file <file>', 'file whose first line is the passphrase of the backup')
    .option('--deliver', 'let webhooks and sources continue; only if the original installation no longer runs')
    .option('--with-deleted', 'also restore locations that were deleted after they were backed up')
    .option('--location <id>', 'only this location, even if deleted, in addition to existing ones')
    .option('--epoch <epoch>', 'journal of the location, if the backup has several')
  addSigner(addIdentity(addSettings(command, databaseSettings))).action(run)
  finish(command, [
    'restore /mnt/backup --data-dir ./copy',
    'restore /mnt/backup --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6',
    'restore /mnt/backup --deliver --database-url postgres://tillgate@db/tillgate',
  ])
}
