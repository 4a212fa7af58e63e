import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { CliError } from '../../../core/server/errors.ts'
import { transact, type Pool } from '../../../core/store/db/database.ts'
import { findLocation, listLocations } from '../../../core/contract/location/rows.ts'
import { assertNotArchived } from '../../../core/store/journal/asides.ts'
import { holdHead } from '../../../core/store/journal/journal.ts'
import { describeDamage, findDamage, type Damage } from '../store/damage.ts'
import { deleteState, emptyState, replayJournal } from '../store/rebuild.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some } from '../../../core/cli/terminal/output.ts'
import { showProgress } from '../../../core/cli/terminal/progress.ts'

type RebuildFlags = { location?: string; all?: true; json?: true }

type Rebuilt = { id: string; entries: number }

/** Runs in one transaction: if it is interrupted, or a journal is invalid, nothing changes. */
async function rebuild(pool: Pool, ids: readonly string[], isAll: boolean): Promise<Rebuilt[]> {
  const progress = showProgress(null)
  try {
    return await transact(pool, async (tx) => {
      const rebuilt: Rebuilt[] = []
      let done = 0
      for (const id of ids) {
        await holdHead(tx, id)
        await assertNotArchived(tx, id)
      }
      if (isAll) await emptyState(tx)
      for (const id of ids) {
        if (!isAll) await deleteState(tx, id)
        const before = done
        const entries = await replayJournal(tx, id, (n) => progress.update((done = before + n), before + n))
        rebuilt.push({ id, entries })
      }
      return rebuilt
    })
  } finally {
    progress.stop()
  }
}

const journalAdvice =
  'nothing can be rebuilt without it: save readable data with tillgate export, and restore the last backup into a new data directory'

function toError(damage: Damage, id: string | undefined, cause: unknown): CliError {
  const advice =
    damage.table === 'journal'
      ? journalAdvice
      : id === undefined
        ? 'restore the last backup into a new data directory'
        : 'run tillgate rebuild --all, which rewrites the tables of all locations without reading that page'
  return new CliError('page_damaged', `${describeDamage(damage)}; nothing was changed. ${advice}`, { cause })
}

async function run(flags: RebuildFlags): Promise<void> {
  const id = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  if ((id === undefined) === (flags.all === undefined)) {
    throw new CliError('usage', 'give --location <id> or --all')
  }
  const rebuilt = await withDatabase(flags, async ({ pool }) => {
    if (id !== undefined && !(await findLocation(pool, id))) {
      throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
    }
    const ids = id === undefined ? (await listLocations(pool)).map((one) => one.id) : [id]
    const done = await rebuild(pool, ids, id === undefined).catch(async (error: unknown) => {
      const damage = await findDamage(pool, error)
      throw damage ? toError(damage, id, error) : error
    })
    for (const one of done) await byHand(pool, one.id, { act: 'data.rebuilt', subject: null })
    return done
  })
  if (flags.json) return printJson(rebuilt)
  for (const { id, entries } of rebuilt) print(`rebuilt  ${id}  from ${some(entries, 'entry', 'entries')}`)
  note('A running server rebuilds the figures. Next, run tillgate verify')
}

export function define(command: Command): void {
  command
    .description(
      'Rebuild the orders, reports, catalog and counts of a location from its journal in one transaction. Every entry ' +
        'is verified; if the journal is not valid, nothing changes. Use it for tables that verify reports as damaged or changed. Pushes to the ' +
        'location wait. --all rebuilds every location without reading the damaged tables; then reads wait too.',
    )
    .option('--location <id>', 'only this location')
    .option('--all', 'all locations, in new files')
  addSettings(command, databaseSettings).action(run)
  finish(command, ['rebuild --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6', 'rebuild --all'])
}
