import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { createOpener, createSeal } from '../backup/encryption.ts'
import type { Opener, Seal } from '../backup/seal.ts'
import { countBackedUp, findManifest, locationsToRestore, readManifest, type Manifest } from '../backup/manifest.ts'
import { restoreBackup } from '../backup/restore.ts'
import { writeBackup, type Written } from '../backup/write.ts'
import { databaseSettings, settingHelp } from '../config.ts'
import { readVersion } from '../server/version.ts'
import { recordUpkeep } from '../store/db/upkeep.ts'
import { isUnavailable, type Pool } from '../store/db/database.ts'
import { define as defineKeygen } from './backup/keygen.ts'
import {
  addIdentity,
  readOpeningSecret,
  readSealingSecret,
  type OpeningFlags,
  type SealingFlags,
} from './backup/secrets.ts'
import { byHand } from './acts.ts'
import { withDatabase } from './database.ts'
import { addSettings, finish, readNumber } from './terminal/options.ts'
import { note, print, printJson, some } from './terminal/output.ts'
import { showProgress } from './terminal/progress.ts'
import { verifyLocation } from './verify.ts'

type Flags = SealingFlags & { follow?: true; interval: string; json?: true }

function tell({ manifest, entries, segments, replaced, deleted }: Written, json: true | undefined): void {
  const { takenAt, locations } = manifest
  const kept = manifest.deleted.length
  if (json) return printJson({ takenAt, locations: locations.length, entries, segments, replaced, deleted: kept })
  const redone = replaced > 0 ? `, ${some(replaced, 'segment')} replaced after a redaction` : ''
  print(
    `${takenAt}  ${some(locations.length, 'location')}, ${some(entries, 'new entry', 'new entries')} in ${some(segments, 'segment')}${redone}`,
  )
  for (const { id, head, ended } of deleted) {
    const lacks = ended === head.seq ? '' : `, without ${head.seq + 1} to ${ended}, which came after the run before`
    note(`location ${id} was deleted; the backup keeps its journal up to ${head.seq}${lacks}`)
  }
}

async function runOnce(pool: Pool, dir: string, seal: Seal, before: Manifest | undefined): Promise<Written> {
  const progress = showProgress(null)
  try {
    const onEntries = (entries: number) => progress.update(entries, entries)
    return await writeBackup(pool, { dir, seal, version: readVersion(), now: new Date(), before, onEntries })
  } finally {
    progress.stop()
  }
}

async function run(path: string, flags: Flags): Promise<void> {
  const dir = resolve(path)
  const intervalMs = readNumber('--interval', flags.interval, 0.1, 86_400) * 1000
  const secret = await readSealingSecret(flags, process.env)
  let before = await findManifest(dir)
  const seal = await createSeal(secret, before?.encryption)
  // With `--follow` the whole run is recorded as one act.
  const noted = new Set<string>()
  await withDatabase(flags, async ({ pool }, signal) => {
    for (;;) {
      try {
        const written = await runOnce(pool, dir, seal, before)
        before = written.manifest
        const done = { at: new Date(written.manifest.takenAt), ok: true }
        for (const { id } of written.manifest.locations) await recordUpkeep(pool, id, 'backup', done)
        for (const { id } of before.locations.filter((one) => !noted.has(one.id))) {
          await byHand(pool, id, { act: 'data.backed_up', subject: null })
          noted.add(id)
        }
        if (!flags.follow || written.entries > 0 || written.deleted.length > 0) tell(written, flags.json)
      } catch (error) {
        // With `--follow` the run continues when the database is back.
        if (!flags.follow || !isUnavailable(error)) throw error
        note(`the database does not answer, and is asked again: ${(error as Error).message}`)
      }
      if (!flags.follow) return
      await delay(intervalMs, undefined, { signal })
    }
  })
}

type VerifyFlags = OpeningFlags & { json?: true }

/** Restores into a database of its own, which is thrown away, and proves what is there then. */
async function verify(path: string, _own: object, command: Command): Promise<void> {
  // Options of the same name are those of the command above, wherever they stand.
  const flags: VerifyFlags = command.optsWithGlobals()
  const dir = resolve(path)
  const manifest = await readManifest(dir)
  const open = await createOpener(await readOpeningSecret(flags), manifest.encryption)
  const scratch = await mkdtemp(join(tmpdir(), 'tillgate-backup-'))
  try {
    const work = ({ pool }: { pool: Pool }) => prove(pool, manifest, { dir, open })
    const { locations, entries } = await withDatabase({ dataDir: scratch }, work, { creates: true, env: {} })
    const { takenAt } = manifest
    if (flags.json) return printJson({ verified: true, takenAt, locations, entries })
    print(`verified  ${some(locations, 'location')}, ${some(entries, 'entry', 'entries')}, taken at ${takenAt}`)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

async function prove(pool: Pool, manifest: Manifest, from: { dir: string; open: Opener }) {
  const locations = locationsToRestore(manifest, true)
  const progress = showProgress(countBackedUp(locations))
  try {
    const onEntries = (entries: number) => progress.update(entries, entries)
    const options = { ...from, now: new Date(), delivers: false, withDeleted: true, onEntries }
    const restored = await restoreBackup(pool, manifest, options)
    for (const { id } of locations) {
      const verdict = await verifyLocation(pool, id)
      if (!verdict.verified) throw new Error(`location ${id} of the restored backup does not hold: ${verdict.reason}`)
    }
    return restored
  } finally {
    progress.stop()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Write a backup of the running installation to a directory, or update the backup there: journals, keys, ' +
        'webhooks with their secrets, retries, rejected records and settings. Only new data is written. See ' +
        'docs/backup.md.',
    )
    .argument('<dir>', 'directory of the backup')
    // Not by `addSettings`: an option that takes all that follows would take the directory, too.
    .option('--recipient <key>', settingHelp('recipient'), (key: string, before?: string[]) => [...(before ?? []), key])
    .option('--passphrase-file <file>', settingHelp('passphraseFile'))
    .option('--follow', 'keep running: write new data at each interval, until interrupted')
    .option('--interval <seconds>', 'pause between two checks with --follow', '2')
  addSettings(command, databaseSettings).action(run)
  finish(command, ['backup /mnt/backup', 'backup /mnt/backup --follow --passphrase-file /etc/tillgate/passphrase'])
  const verifying = command
    .command('verify')
    .summary('Verify that a backup can be restored')
    .description(
      'Restore the backup into a temporary embedded database, verifying every hash, and compare heads and ' +
        'counts. Exits with 2 and names the damaged file or entry.',
    )
    .argument('<dir>', 'directory of the backup')
  addIdentity(verifying).action(verify)
  finish(verifying, ['backup verify /mnt/backup', 'backup verify /mnt/backup --identity identity.txt'])
  defineKeygen(command)
}
