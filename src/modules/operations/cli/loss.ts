import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { acknowledgeLosses, listLosses, type Loss } from '../../../core/store/journal/losses.ts'
import { writeLost } from '../../../core/domain/journal/marks.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addSettings, finish, readUuid } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson } from '../../../core/cli/terminal/output.ts'

type LossFlags = { location?: string; all?: true; json?: true }

const toJson = ({ locationId, sequence, from, to, foundAt }: Loss) => ({
  locationId,
  from,
  to,
  resumedAt: sequence,
  foundAt: foundAt.toISOString(),
})

const toLine = ({ locationId, sequence, foundAt, ...lost }: Loss) =>
  `lost  ${locationId}  ${writeLost(lost)}, before the journal resumed at ${sequence}, found ${foundAt.toISOString()}`

async function list(flags: LossFlags): Promise<void> {
  const losses = await withDatabase(flags, ({ pool }) => listLosses(pool))
  if (flags.json) return printJson(losses.map(toJson))
  for (const loss of losses) print(toLine(loss))
  if (losses.length === 0) note('There are no unacknowledged losses.')
}

async function acknowledge(flags: LossFlags): Promise<void> {
  const requestedId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  if ((requestedId === undefined) === (flags.all === undefined)) throw new CliError('usage', 'give --location or --all')
  const done = await withDatabase(flags, async ({ pool }) => {
    if (requestedId !== undefined && !(await findLocation(pool, requestedId)))
      throw new CliError('location_not_found', `location ${requestedId} does not exist: see tillgate location list`)
    const ids =
      requestedId === undefined ? new Set((await listLosses(pool)).map(({ locationId }) => locationId)) : [requestedId]
    const acknowledged: Loss[] = []
    for (const id of ids) {
      const losses = await acknowledgeLosses(pool, id, new Date())
      for (const { from, to } of losses) await byHand(pool, id, { act: 'loss.acknowledged', subject: `${from}-${to}` })
      acknowledged.push(...losses)
    }
    return acknowledged
  })
  if (flags.json) return printJson(done.map(toJson))
  for (const loss of done) print(toLine(loss).replace('lost', 'seen'))
  if (done.length === 0) note('There is nothing to acknowledge.')
}

export function define(command: Command): void {
  const listing = command
    .command('list')
    .summary('List lost entries')
    .description(
      'List journal entries that were acknowledged to tills and lost because the database was restored to an earlier state, until ' +
        'the loss is acknowledged.',
    )
  addSettings(listing, databaseSettings).action(list)
  finish(listing, ['loss list', 'loss list --json'])
  const acknowledging = command
    .command('acknowledge')
    .summary('Acknowledge a loss')
    .description(
      'Acknowledge the losses of a location, or all losses: status, metrics and console no longer show them.',
    )
    .option('--location <id>', 'losses of this location')
    .option('--all', 'losses of all locations')
  addSettings(acknowledging, databaseSettings).action(acknowledge)
  finish(acknowledging, ['loss acknowledge --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6', 'loss acknowledge --all'])
}
