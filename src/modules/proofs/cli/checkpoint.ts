import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { verifierKey } from '../domain/notes.ts'
import { logNameOf, makeCheckpoint } from '../projections/checkpoints.ts'
import { createKeyFile, rotateKeyFile, rotationName } from '../projections/signing-key.ts'
import { CliError } from '../../../core/server/errors.ts'
import { keepLogName, openSigningKey, storedLogName } from '../server/signing-key.ts'
import { findCheckpoint } from '../store/checkpoints.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findLocation, listLocations } from '../../../core/contract/location/rows.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson } from '../../../core/cli/terminal/output.ts'

const ownSettings = ['checkpointKey', 'publicUrl'] as const

const id = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

type CheckpointFlags = { location?: string; json?: true } & Record<string, unknown>

function keyPath(flags: CheckpointFlags): string {
  const { checkpointKey } = readConfig(ownSettings, flags, process.env)
  if (checkpointKey !== null) return checkpointKey
  throw new CliError('usage', 'set TILLGATE_CHECKPOINT_KEY or --checkpoint-key to the file of the key')
}

const publicUrlOf = (flags: CheckpointFlags) => readConfig(ownSettings, flags, process.env).publicUrl

async function key(_own: object, command: Command): Promise<void> {
  const flags: CheckpointFlags = command.optsWithGlobals()
  const path = keyPath(flags)
  if (!existsSync(path)) {
    createKeyFile(path)
    note(`The key is in ${path}: keep it, and the files next to it, out of database backups.`)
  }
  const [own] = openSigningKey(path).publicKeys(new Date())
  const publicUrl = publicUrlOf(flags)
  const name = publicUrl === null ? storedLogName(path) : keepLogName(path, publicUrl)
  if (name === null)
    note(
      'The name of this installation is set when its server first starts with this key: print the keys again after that.',
    )
  const keys = await withDatabase(flags, async ({ pool }) => {
    const locations = await listLocations(pool)
    return Promise.all(
      locations.map(async ({ id: location }) => {
        const [head, made] = await Promise.all([findHead(pool, location), findCheckpoint(pool, location)])
        const usual = `${name ?? logNameOf(null)}/${location}/${head?.epoch}`
        // The last signed name is the one to verify with: a log that was restored to an earlier state has a suffix in
        // its name.
        const last = made?.checkpoint.origin
        const origin = last?.includes(`/${location}/${head?.epoch}`) === true ? last : usual
        return { location, key: verifierKey(origin, own as Buffer) }
      }),
    )
  })
  const rotation = verifierKey(rotationName, own as Buffer)
  if (flags.json) return printJson({ file: path, rotation, keys })
  print([rotation, ...keys.map(({ key: of }) => of)].join('\n'))
}

async function rotate(_own: object, command: Command): Promise<void> {
  const flags: CheckpointFlags = command.optsWithGlobals()
  const path = keyPath(flags)
  openSigningKey(path)
  const signed = rotateKeyFile(path, new Date())
  if (flags.json) return printJson({ file: path, note: signed })
  note('From now on the new key signs. For 30 days, the former key also signs.')
  note('Print the new verifier keys with tillgate checkpoint key, and send them to everyone who verifies checkpoints.')
  note('The new keys can be trusted because the former key and the new key signed this note:')
  print(signed.trimEnd())
}

async function requireLocation(sql: Sql, id: string): Promise<void> {
  if (await findLocation(sql, id)) return
  throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
}

async function make(flags: CheckpointFlags): Promise<void> {
  const locationId = readUuid('--location', flags.location ?? '')
  const path = keyPath(flags)
  const signer = openSigningKey(path)
  const logName = keepLogName(path, publicUrlOf(flags))
  const made = await withDatabase(flags, async ({ pool }) => {
    await requireLocation(pool, locationId)
    const now = new Date()
    const found = await makeCheckpoint(pool, locationId, { signer, logName, now })
    if (found?.isNew)
      await byHand(pool, locationId, { act: 'checkpoint.made', subject: String(found.checkpoint.size) }, now)
    return found
  })
  if (!made) return note('The journal of this location is empty.')
  if (!made.isNew) note('There are no entries after the last checkpoint:')
  if (flags.json) return printJson(made.checkpoint)
  print(made.checkpoint.note.trimEnd())
}

async function latest(flags: CheckpointFlags): Promise<void> {
  const locationId = readUuid('--location', flags.location ?? '')
  const checkpoint = await withDatabase(flags, async ({ pool }) => {
    await requireLocation(pool, locationId)
    return (await findCheckpoint(pool, locationId))?.checkpoint
  })
  if (!checkpoint)
    throw new CliError('checkpoint_not_found', 'this location has no checkpoint: see tillgate checkpoint make')
  if (flags.json) return printJson(checkpoint)
  print(checkpoint.note.trimEnd())
}

export function define(command: Command): void {
  command.description(
    'Sign the journals, so that anyone who keeps a checkpoint elsewhere can prove later that no entry was changed, not even by ' +
      'someone who can write to the database and recompute every hash. See docs/modules/proofs.md.',
  )
  const keys = command
    .command('key')
    .summary('Create the signing key, and print its verifier keys')
    .description(
      'Create the key file if it does not exist, and print its verifier keys: one for rotations, and one per location.',
    )
  addSettings(keys, [...databaseSettings, ...ownSettings]).action(key)
  finish(keys, ['checkpoint key --checkpoint-key /etc/tillgate/checkpoint.pem'])

  const rotates = command
    .command('rotate')
    .summary('Replace the signing key')
    .description('Create a new key, signed by the old one. For 30 days, checkpoints carry both signatures.')
  addSettings(rotates, ownSettings).action(rotate)
  finish(rotates, ['checkpoint rotate --checkpoint-key /etc/tillgate/checkpoint.pem'])

  const makes = command
    .command('make')
    .summary('Sign the journal of a location')
    .description('Create a checkpoint and print it. The server also creates one with every closing.')
    .requiredOption('--location <id>', 'location of the journal')
  addSettings(makes, [...databaseSettings, ...ownSettings]).action(make)
  finish(makes, [`checkpoint make --location ${id} > 2026-11-26.checkpoint`])

  const last = command
    .command('latest')
    .summary('Print the last checkpoint of a location')
    .description('Print the last checkpoint. Keep it where the operator of the database cannot write.')
    .requiredOption('--location <id>', 'location of the checkpoint')
  addSettings(last, databaseSettings).action(latest)
  finish(last, [`checkpoint latest --location ${id}`])
}
