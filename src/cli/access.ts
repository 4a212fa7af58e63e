import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { allTime } from '../domain/days/day-ranges.ts'
import type { ActEntry, ReadsEntry } from '../schemas/access.ts'
import { findAccessHead, listAccess, type AccessEntry } from '../store/accounts/access.ts'
import { findLocation } from '../store/documents/locations.ts'
import { CliError } from '../server/errors.ts'
import { withDatabase } from './database.ts'
import { addSettings, finish, readSince, readUuid, readWhole } from './terminal/options.ts'
import { count, note, print, printJson, table } from './terminal/output.ts'

type Flags = { location: string; since?: string; after: string; limit: string; json?: true }

const byOf = ({ by, account }: ActEntry) => (account === undefined ? by : `${by} (${account})`)

function toRow({ seq, at, document }: AccessEntry): string[] {
  const entry = JSON.parse(document) as ReadsEntry | ActEntry
  const row = [String(seq), at.toISOString()]
  if (entry.kind === 'act') return [...row, byOf(entry), entry.act, '', '', '', entry.subject ?? '']
  const { keyId, operation, requests, refused, documents, from, to } = entry
  const range = from === null && to === null ? '' : `${from ?? ''} … ${to ?? ''}`
  return [...row, keyId, operation, count(requests), count(refused), count(documents), range]
}

async function list(flags: Flags): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const after = readWhole('--after', flags.after, 0, Number.MAX_SAFE_INTEGER)
  const limit = readWhole('--limit', flags.limit, 1, 10_000)
  const since = flags.since === undefined ? new Date(allTime.first) : readSince(flags.since)
  const entries = await withDatabase(flags, async ({ pool }) => {
    if (!(await findLocation(pool, locationId)))
      throw new CliError('location_not_found', `there is no location ${locationId}: see tillgate location list`)
    const ends = (await findAccessHead(pool, locationId))?.seq ?? 0
    if (after > ends) throw new CliError('sequence_ahead', `the log ends at ${ends}: nothing follows ${after}`)
    return listAccess(pool, locationId, { after, since, limit })
  })
  if (flags.json) {
    return printJson(
      entries.map(({ seq, at, document }) => ({ sequence: seq, at, ...(JSON.parse(document) as object) })),
    )
  }
  if (entries.length === 0) return note('Nobody has read anything, as far as it is written: see --since.')
  const headings = ['SEQUENCE', 'AT', 'BY', 'WHAT', 'REQUESTS', 'REFUSED', 'DOCUMENTS', 'RANGE OR SUBJECT']
  print(table(headings, entries.map(toRow)))
}

export function define(command: Command): void {
  command
    .description(
      'Show who read which data of a location, by key, operation and minute, and the changes that operators ' +
        'made by hand. tillgate verify proves that nobody has changed this log.',
    )
    .requiredOption('--location <id>', 'location whose data was read')
    .option('--since <when>', 'from this date or ISO 8601 datetime on')
    .option('--after <sequence>', 'entries after this one', '0')
    .option('--limit <n>', 'maximum number to show', '1000')
  addSettings(command, databaseSettings).action(list)
  finish(command, [
    'access --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --since 2026-11-01',
    'access --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json',
  ])
}
