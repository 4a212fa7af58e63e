import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import type { Location } from '../contract/location/schema.ts'
import { CliError } from '../server/errors.ts'
import type { Pool } from '../store/db/database.ts'
import {
  activateLocation,
  deactivateLocation,
  deleteLocation,
  scheduleDeletion,
} from '../store/repair/location-states.ts'
import { findHead } from '../store/journal/journal.ts'
import { findLocation } from '../contract/location/rows.ts'
import { byHand } from './acts.ts'
import { withDatabase } from './database.ts'
import { readDuration } from './keys.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { note, print, printJson, some } from './terminal/output.ts'

type Json = { json?: true }

async function getNamed(pool: Pool, id: string): Promise<{ name: string; deactivatedAt: Date | null }> {
  const row = await findLocation(pool, id)
  if (!row) throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
  return { name: (JSON.parse(row.withoutDevices) as Location).name, deactivatedAt: row.deactivatedAt }
}

async function deactivate(given: string, flags: Json): Promise<void> {
  const id = readUuid('the id', given)
  await withDatabase(flags, async ({ pool }) => {
    await getNamed(pool, id)
    const now = new Date()
    await deactivateLocation(pool, id, now)
    await byHand(pool, id, { act: 'location.deactivated', subject: id }, now)
  })
  if (flags.json) return printJson({ id, state: 'deactivated' })
  print(`deactivated ${id}`)
  note(`Its keys are refused within 5 seconds; its webhooks have stopped. To undo: tillgate location activate ${id}`)
}

async function activate(given: string, flags: Json): Promise<void> {
  const id = readUuid('the id', given)
  await withDatabase(flags, async ({ pool }) => {
    await getNamed(pool, id)
    if ((await findHead(pool, id)) === undefined) {
      throw new CliError(
        'location_not_found',
        `the deletion of location ${id} has begun and cannot be stopped. Finish the deletion with tillgate location delete ${id} --confirm <name> --grace 0, then run tillgate restore <backup> --location ${id}`,
      )
    }
    const now = new Date()
    await activateLocation(pool, id, now)
    await byHand(pool, id, { act: 'location.activated', subject: id }, now)
  })
  if (flags.json) return printJson({ id, state: 'active' })
  print(`activated ${id}`)
}

function readGrace(text: string): number {
  const graceMs = text === '0' ? 0 : readDuration(text)
  if (graceMs !== undefined) return graceMs
  throw new CliError('usage', `--grace must be a duration (7d, 12h), or 0, not ${JSON.stringify(text)}`)
}

/** Milliseconds for which a server may still accept a key after its location was deactivated. */
const refusedWithinMs = 5_000

/** Waits until no server accepts pushes: a push during the deletion could be acknowledged and then lost. */
async function untilUnused(deactivatedAt: Date): Promise<void> {
  const leftMs = Math.min(deactivatedAt.getTime() + refusedWithinMs - Date.now(), refusedWithinMs)
  if (leftMs <= 0) return
  note('Waiting until no server accepts its keys')
  await delay(leftMs)
}

async function remove(given: string, flags: Json & { confirm?: string; grace: string }): Promise<void> {
  const id = readUuid('the id', given)
  const graceMs = readGrace(flags.grace)
  const now = new Date()
  const deleteAt = new Date(now.getTime() + graceMs)
  const rows = await withDatabase(flags, async ({ pool }) => {
    const { name, deactivatedAt } = await getNamed(pool, id)
    if (flags.confirm !== name) {
      throw new CliError(
        'not_confirmed',
        `this permanently deletes every order, report and journal entry of ${JSON.stringify(name)}: make a backup first ` +
          '(tillgate backup), then pass the name with --confirm',
      )
    }
    if (!deactivatedAt) {
      throw new CliError('location_active', `the location is active: run tillgate location deactivate ${id} first`)
    }
    if (graceMs === 0) {
      await untilUnused(deactivatedAt)
      return deleteLocation(pool, id, now)
    }
    await scheduleDeletion(pool, id, deleteAt)
    return undefined
  })
  if (rows === undefined) {
    if (flags.json) return printJson({ id, rows: 0, deleteAt })
    print(`${id} will be deleted at ${deleteAt.toISOString()}`)
    return note(`A server deletes it within an hour after that. To cancel: tillgate location activate ${id}`)
  }
  if (flags.json) return printJson({ id, rows, deleteAt: now })
  print(`deleted ${id}`)
  note(`Deleted ${some(rows, 'row')}. Earlier backups still contain them.`)
}

export function defineLocationStates(command: Command): void {
  const someId = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
  const id = 'id of the location, as location list shows it'
  const ending = command
    .command('deactivate')
    .summary('Refuse the keys of a location and stop its webhooks')
    .description('Refuse the keys of a location (403 location_inactive) and stop its webhooks. Nothing is deleted.')
    .argument('<id>', id)
  addSettings(ending, databaseSettings).action(deactivate)
  finish(ending, [`location deactivate ${someId}`])
  const beginning = command
    .command('activate')
    .summary('Activate a deactivated location')
    .description('Accept the keys of a deactivated location again. Its webhooks continue where they stopped.')
    .argument('<id>', id)
  addSettings(beginning, databaseSettings).action(activate)
  finish(beginning, [`location activate ${someId}`])
  const deleting = command
    .command('delete')
    .summary('Delete a deactivated location')
    .description(
      'Permanently delete a deactivated location: its data, journal, keys, webhooks and logs. It first waits for --grace; until then ' +
        'location activate cancels it. Make a backup first. If it is interrupted, run it again.',
    )
    .argument('<id>', id)
    .option('--confirm <name>', 'name of the location, as a confirmation')
    .option('--grace <duration>', 'time until the deletion: 7d, 12h; 0 deletes immediately', '7d')
  addSettings(deleting, databaseSettings).action(remove)
  finish(deleting, [`location delete ${someId} --confirm "Bistro Exemple"`])
}
