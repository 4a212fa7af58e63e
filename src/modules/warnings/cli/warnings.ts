import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { findSimilar } from '../../../core/domain/documents/spelling.ts'
import { warningCodes, type WarningCode } from '../schemas/warnings.ts'
import { CliError } from '../../../core/server/errors.ts'
import { listWarnings } from '../store/ingest-warnings.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { note, oneLine, print, printJson } from '../../../core/cli/terminal/output.ts'

function readCode(text: string | undefined): WarningCode | undefined {
  const code = warningCodes.find((one) => one === text)
  if (code !== undefined || text === undefined) return code
  const meant = findSimilar(text, warningCodes)
  const hint = meant ? `; did you mean ${meant}?` : ': see /docs/warnings'
  throw new CliError('usage', `--code ${JSON.stringify(text)} is not a warning code${hint}`)
}

async function list(flags: { location: string; code?: string; limit: string; json?: true }): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const limit = readInteger('--limit', flags.limit, 1, 1_000)
  const code = readCode(flags.code)
  const found = await withDatabase(flags, async ({ pool }) => {
    if (await findLocation(pool, locationId)) return listWarnings(pool, locationId, limit, { code })
    throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
  })
  if (flags.json) return printJson(found)
  if (found.length === 0) return note('There are no warnings.')
  for (const { receivedAt, line, type, resourceId, pointer, code, detail } of found) {
    print(
      `${receivedAt.toISOString()}  line ${line}  ${type} ${resourceId}\n    ${code} at ${oneLine(`${pointer}: ${detail}`)}`,
    )
  }
}

export function define(command: Command): void {
  const listing = command
    .command('list')
    .summary('List warnings')
    .description(
      'List warnings to tills, newest first: the records are stored but probably contain a mistake. Each code has a ' +
        'page under /docs/warnings.',
    )
    .requiredOption('--location <id>', 'location of the records')
    .option('--code <code>', 'only warnings with this code, such as total_mismatch')
    .option('--limit <n>', 'maximum number to show', '20')
  addSettings(listing, databaseSettings).action(list)
  finish(listing, [
    'warnings list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6',
    'warnings list --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --code total_mismatch --limit 1000 --json',
  ])
}
