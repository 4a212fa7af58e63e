import { resolve } from 'node:path'
import type { Command } from 'commander'
import { authenticate, type Authenticity } from '../../format/authenticity.ts'
import { createOpener } from '../../format/encryption.ts'
import { countBackedUp, locationsToRestore, type Manifest } from '../../format/manifest.ts'
import { restoreBackup } from '../../format/restore.ts'
import type { Opener } from '../../format/seal.ts'
import { readManifest } from '../../format/stored-manifest.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { withDatabase } from '../../../../core/cli/database.ts'
import { finish } from '../../../../core/cli/terminal/options.ts'
import { print, printJson, some } from '../../../../core/cli/terminal/output.ts'
import { showProgress } from '../../../../core/cli/terminal/progress.ts'
import { verifyLocation } from '../../../operations/cli/verify.ts'
import { withScratch } from './scratch.ts'
import { addIdentity, addSigner, readOpeningSecret, readSigner, type OpeningFlags } from './secrets.ts'

type VerifyFlags = OpeningFlags & { json?: true }

/** Describes who wrote the backup, or that its author is unknown. */
export function describeAuthenticity(found: Authenticity, { proven }: Manifest): string {
  if (found === 'signer') return `signed by ${proven?.proof.signer}`
  if (found === 'passphrase') return 'written by someone who knows the passphrase'
  return 'but the author of the backup is not proven: check the author with --signer'
}

/** Restores into a temporary database and proves the result. */
async function verify(path: string, _own: object, command: Command): Promise<void> {
  // If the parent command has an option of the same name, the parser assigns it to the parent, wherever it is written.
  const flags: VerifyFlags = command.optsWithGlobals()
  const dir = resolve(path)
  const signer = readSigner(flags)
  const manifest = await readManifest(dir)
  const opener = await createOpener(await readOpeningSecret(flags), manifest.encryption)
  const authentic = authenticate(manifest, opener.mac, signer)
  const work = ({ pool }: { pool: Pool }) => prove(pool, manifest, { dir, opener })
  const { locations, entries } = await withScratch((dataDir) =>
    withDatabase({ dataDir }, work, { creates: true, env: {} }),
  )
  const { takenAt } = manifest
  if (flags.json) {
    const by = { authentic: authentic !== null, signer: manifest.proven?.proof.signer ?? null }
    return printJson({ verified: true, ...by, takenAt, locations, entries })
  }
  const what = `${some(locations, 'location')}, ${some(entries, 'entry', 'entries')}, taken at ${takenAt}`
  print(`${authentic ? 'verified' : 'intact'}  ${what}, ${describeAuthenticity(authentic, manifest)}`)
}

async function prove(pool: Pool, manifest: Manifest, from: { dir: string; opener: Opener }) {
  const locations = locationsToRestore(manifest, true)
  const progress = showProgress(countBackedUp(locations))
  try {
    const onEntries = (entries: number) => progress.update(entries, entries)
    const options = { ...from, now: new Date(), delivers: false, withDeleted: true, onEntries }
    const restored = await restoreBackup(pool, manifest, options)
    for (const { id } of locations) {
      const verdict = await verifyLocation(pool, id)
      if (!verdict.verified) throw new Error(`location ${id} of the restored backup is not valid: ${verdict.reason}`)
    }
    return restored
  } finally {
    progress.stop()
  }
}

export function define(backup: Command): void {
  const command = backup
    .command('verify')
    .summary('Verify that a backup can be restored')
    .description(
      'Restore the backup into a temporary embedded database, verifying every hash, and compare heads and ' +
        'counts. Exits with 2 and names the damaged file or entry. Without the passphrase or --signer, the result is “intact”: ' +
        'the backup is complete, but the author of the backup is not proven.',
    )
    .argument('<dir>', 'directory of the backup')
  addSigner(addIdentity(command)).action(verify)
  finish(command, ['backup verify /mnt/backup', 'backup verify /mnt/backup --identity identity.txt --signer tgs_…'])
}
