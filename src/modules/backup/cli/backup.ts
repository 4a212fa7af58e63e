import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { refuseOthers } from '../format/authenticity.ts'
import { createSeal } from '../format/encryption.ts'
import { BackupError } from '../format/errors.ts'
import type { Manifest } from '../format/manifest.ts'
import type { Seal } from '../format/seal.ts'
import { getSigner, type Signer } from '../format/signing.ts'
import { findManifest } from '../format/stored-manifest.ts'
import { writeBackup, type Written } from '../format/write.ts'
import { databaseSettings, settingHelp } from '../../../core/config.ts'
import { readVersion } from '../../../core/server/version.ts'
import { recordUpkeep } from '../../../core/store/db/upkeep.ts'
import { isUnavailable, type Pool } from '../../../core/store/db/database.ts'
import { define as defineKeygen } from './backup/keygen.ts'
import { define as definePrune } from './backup/prune.ts'
import { readSealingSecret, type SealingFlags } from './backup/secrets.ts'
import { define as defineSigner } from './backup/signer.ts'
import { define as defineVerify } from './backup/verify.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readNumber } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../core/cli/terminal/output.ts'
import { showProgress } from '../../../core/cli/terminal/progress.ts'

type BackupFlags = SealingFlags & { follow?: true; interval: string; json?: true }

function printRun(
  { manifest, entries, segments, replaced, deleted, left, renewed }: Written,
  json: true | undefined,
): void {
  const { takenAt, locations, proven } = manifest
  const signer = proven?.proof.signer
  const kept = manifest.deleted.length
  if (json)
    return printJson({ takenAt, locations: locations.length, entries, segments, replaced, deleted: kept, left, signer })
  const redone = replaced > 0 ? `, ${some(replaced, 'segment')} replaced after a redaction or a restored year` : ''
  print(
    `${takenAt}  ${some(locations.length, 'location')}, ${some(entries, 'new entry', 'new entries')} in ${some(segments, 'segment')}${redone}`,
  )
  if (renewed) note('the backup was rewritten: it had an older format or different recipients')
  for (const { id, head, ended } of deleted) {
    const lacks =
      ended === head.seq
        ? ''
        : `, without the entries ${head.seq + 1} to ${ended}, which were added after the previous run`
    const isBack = locations.some((one) => one.id === id)
    note(
      `location ${id} was deleted${isBack ? ' and now has another journal' : ''}; the backup keeps the deleted journal up to ${head.seq}${lacks}`,
    )
  }
  for (const { id, reason } of left) note(`location ${id} was skipped: ${reason}`)
}

type Run = { dir: string; seal: Seal; signer: Signer; before: Manifest | undefined; sweeps: boolean }

async function runOnce(pool: Pool, run: Run): Promise<Written> {
  const progress = showProgress(null)
  try {
    const onEntries = (entries: number) => progress.update(entries, entries)
    return await writeBackup(pool, { ...run, version: readVersion(), now: new Date(), onEntries })
  } finally {
    progress.stop()
  }
}

/** Prepares a run: the first run on a directory, or a run after another process wrote to the directory. */
async function prepare(pool: Pool, dir: string, flags: BackupFlags): Promise<Run> {
  const secret = await readSealingSecret(flags, process.env)
  const before = await findManifest(dir)
  const signer = await getSigner(pool, new Date())
  const seal = await createSeal(secret, before?.encryption, signer)
  if (before) refuseOthers(before, seal.mac, signer)
  return { dir, seal, signer, before, sweeps: true }
}

async function run(path: string, flags: BackupFlags): Promise<void> {
  const dir = resolve(path)
  const intervalMs = readNumber('--interval', flags.interval, 0.1, 86_400) * 1000
  await readSealingSecret(flags, process.env)
  await findManifest(dir)
  // With `--follow` the whole run is recorded as one act per location.
  const noted = new Set<string>()
  const reported = new Set<string>()
  let next: Run | undefined
  await withDatabase(flags, async ({ pool }, signal) => {
    for (;;) {
      try {
        next ??= await prepare(pool, dir, flags)
        const written = await runOnce(pool, next)
        const { manifest } = written
        if (!next.before?.proven && !flags.json) {
          note(
            `The backup is signed by ${next.signer.publicKey}: store it separately from the backup, for backup verify --signer`,
          )
        }
        next = { ...next, before: manifest, sweeps: false }
        const done = { at: new Date(manifest.takenAt), ok: true }
        const left = new Set(written.left.map(({ id }) => id))
        const backedUp = manifest.locations.filter(({ id }) => !left.has(id))
        for (const { id } of backedUp) await recordUpkeep(pool, id, 'backup', done)
        for (const { id } of backedUp.filter((one) => !noted.has(one.id))) {
          await byHand(pool, id, { act: 'data.backed_up', subject: null })
          noted.add(id)
        }
        const isNews =
          written.entries > 0 || written.deleted.length > 0 || written.left.some(({ id }) => !reported.has(id))
        if (!flags.follow || isNews) printRun(written, flags.json)
        for (const { id } of written.left) reported.add(id)
        if (left.size > 0) process.exitCode = 1
      } catch (error) {
        const isOvertaken = error instanceof BackupError && error.code === 'backup_in_use'
        if (!flags.follow || !(isOvertaken || isUnavailable(error))) throw error
        // With `--follow` the command retries until the database answers, and continues from a backup that another
        // process wrote.
        if (isOvertaken) next = undefined
        note(isOvertaken ? error.message : `the database does not answer, retrying: ${(error as Error).message}`)
      }
      if (!flags.follow) return
      await delay(intervalMs, undefined, { signal })
    }
  })
}

export function define(command: Command): void {
  command
    .description(
      'Write a backup of the running installation to a directory, or update the backup there: journals, keys, ' +
        'webhooks with their secrets, retries, rejected records and settings. Only new data is written. See ' +
        'docs/operate/backup.md.',
    )
    .argument('<dir>', 'directory of the backup')
    // `addSettings` would add an option that takes all following arguments, and so the directory too.
    .option('--recipient <key>', settingHelp('recipient'), (key: string, before?: string[]) => [...(before ?? []), key])
    .option('--passphrase-file <file>', settingHelp('passphraseFile'))
    .option('--follow', 'keep running: write new data at each interval, until interrupted')
    .option('--interval <seconds>', 'pause between two checks with --follow', '2')
  addSettings(command, databaseSettings).action(run)
  finish(command, ['backup /mnt/backup', 'backup /mnt/backup --follow --passphrase-file /etc/tillgate/passphrase'])
  defineVerify(command)
  defineSigner(command)
  definePrune(command)
  defineKeygen(command)
}
