import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { listRejected } from '../../../core/store/pushes/rejected.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addSettings, finish, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { excerpt, note, oneLine, print, printJson } from '../../../core/cli/terminal/output.ts'

async function list(flags: { location: string; limit: string; json?: true }): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const limit = readInteger('--limit', flags.limit, 1, 10_000)
  const records = await withDatabase(flags, async ({ pool }) => {
    if (await findLocation(pool, locationId)) return listRejected(pool, locationId, limit)
    throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
  })
  if (flags.json)
    return printJson(records.map((record) => ({ ...record, errors: JSON.parse(record.errors) as unknown })))
  if (records.length === 0) return note('There are no rejected records.')
  for (const { receivedAt, line, code, detail, record } of records) {
    print(`${receivedAt.toISOString()}  line ${line}  ${code}: ${oneLine(detail)}\n    ${excerpt(record, 110)}`)
  }
}

export function define(command: Command): void {
  const listing = command
    .command('list')
    .summary('List rejected records')
    .description('List records from tills that were not stored, newest first, with the reason and the original record.')
    .requiredOption('--location <id>', 'location of the records')
    .option('--limit <n>', 'maximum number to show', '20')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, [
    'rejected list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6',
    'rejected list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --limit 1000 --json',
  ])
}
