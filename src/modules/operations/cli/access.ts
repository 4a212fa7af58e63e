import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { allTime } from '../../../core/domain/days/day-ranges.ts'
import type { ActEntry, ReadsEntry } from '../../../core/schemas/access.ts'
import { findAccessHead, listAccess, type AccessEntry } from '../../../core/store/accounts/access.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { readEntries } from '../../../core/store/journal/journal.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { CliError } from '../../../core/server/errors.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readSince, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { count, note, print, printJson, table } from '../../../core/cli/terminal/output.ts'

type AccessFlags = {
  location: string
  key?: string
  written?: true
  since?: string
  after: string
  limit: string
  json?: true
}

const byOf = ({ by, account }: ActEntry) => (account === undefined ? by : `${by} (${account})`)

function toRow({ seq, at, document }: AccessEntry): string[] {
  const entry = JSON.parse(document) as ReadsEntry | ActEntry
  const row = [String(seq), at.toISOString()]
  if (entry.kind === 'act') return [...row, byOf(entry), entry.act, '', '', '', entry.subject ?? '']
  const { keyId, operation, requests, refused, documents, from, to } = entry
  const range = from === null && to === null ? '' : `${from ?? ''} … ${to ?? ''}`
  return [...row, keyId, operation, count(requests), count(refused), count(documents), range]
}

async function list(flags: AccessFlags): Promise<void> {
  if (flags.written) return listWritten(flags)
  const locationId = readUuid('--location', flags.location)
  const after = readInteger('--after', flags.after, 0, Number.MAX_SAFE_INTEGER)
  const limit = readInteger('--limit', flags.limit, 1, 10_000)
  const since = flags.since === undefined ? new Date(allTime.first) : readSince(flags.since)
  const keyId = flags.key === undefined ? undefined : readUuid('--key', flags.key)
  const entries = await withDatabase(flags, async ({ pool }) => {
    if (!(await findLocation(pool, locationId)))
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    const ends = (await findAccessHead(pool, locationId))?.seq ?? 0
    if (after > ends)
      throw new CliError(
        'sequence_ahead',
        `the log ends at ${ends}, so there are no entries after ${after}: use a smaller --after`,
      )
    return listAccess(pool, locationId, { after, since, limit, keyId })
  })
  if (flags.json) {
    return printJson(
      entries.map(({ seq, at, document }) => ({ sequence: seq, at, ...(JSON.parse(document) as object) })),
    )
  }
  if (entries.length === 0) return note('No access was recorded in this range: see --since.')
  const headings = ['SEQUENCE', 'AT', 'BY', 'WHAT', 'REQUESTS', 'REFUSED', 'DOCUMENTS', 'RANGE OR SUBJECT']
  print(table(headings, entries.map(toRow)))
}

/** Returns the ranges of journal numbers that a key wrote, merged and in ascending order. */
function writtenBy(entries: readonly AccessEntry[]): [from: number, to: number][] {
  const ranges = entries
    .flatMap(({ document }) => (JSON.parse(document) as Partial<ReadsEntry>).written ?? [])
    .map(([from = 0, to = 0]): [number, number] => [from, to])
    .toSorted(([a], [b]) => a - b)
  const merged: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = merged.at(-1)
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else merged.push([from, to])
  }
  return merged
}

/** Reads every entry of the log of one key, page by page. */
async function readAll(pool: Pool, locationId: string, of: { since: Date; keyId: string }): Promise<AccessEntry[]> {
  const all: AccessEntry[] = []
  for (;;) {
    const page = await listAccess(pool, locationId, { after: all.at(-1)?.seq ?? 0, limit: 1_000, ...of })
    all.push(...page)
    if (page.length < 1_000) return all
  }
}

type Written = { sequence: number; at: string; kind: string; id: string; types: string[]; document: string }

async function listWritten(flags: AccessFlags): Promise<void> {
  if (flags.key === undefined) throw new CliError('usage', '--written requires --key')
  const locationId = readUuid('--location', flags.location)
  const keyId = readUuid('--key', flags.key)
  const limit = readInteger('--limit', flags.limit, 1, 10_000)
  const since = flags.since === undefined ? new Date(allTime.first) : readSince(flags.since)
  const written = await withDatabase(flags, async ({ pool }) => {
    if (!(await findLocation(pool, locationId)))
      throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
    const found: Written[] = []
    for (const [from, to] of writtenBy(await readAll(pool, locationId, { since, keyId }))) {
      for (let at = from - 1; at < to && found.length < limit;) {
        const entries = await readEntries(pool, locationId, at, Math.min(500, limit - found.length))
        const own = entries.filter(({ seq }) => seq <= to)
        for (const { seq, acceptedAt, kind, id, types, document } of own)
          found.push({ sequence: seq, at: acceptedAt, kind, id, types, document: document.toString() })
        if (own.length === 0 || own.length < entries.length) break
        at = own.at(-1)?.seq ?? to
      }
    }
    return found
  })
  if (flags.json) return printJson(written.map((one) => ({ ...one, document: JSON.parse(one.document) as unknown })))
  if (written.length === 0)
    return note(
      'The log has no records of this key. Very recent records, and those before the log began, are not in it.',
    )
  const rows = written.map(({ sequence, at, kind, id, types }) => [String(sequence), at, kind, id, types.join(',')])
  print(table(['SEQUENCE', 'AT', 'KIND', 'ID', 'EVENTS'], rows))
}

export function define(command: Command): void {
  command
    .description(
      'Show who read and wrote which data of a location, by key, operation and minute, and the changes that operators ' +
        'made. tillgate verify finds changed and missing entries, unless all later hashes were recomputed.',
    )
    .requiredOption('--location <id>', 'location whose data was read')
    .option('--key <id>', 'only requests of this key')
    .option('--written', 'list the records that the key wrote, one per journal entry')
    .option('--since <when>', 'from this date or ISO 8601 datetime on')
    .option('--after <sequence>', 'entries after this one', '0')
    .option('--limit <n>', 'maximum number to show', '1000')
  addSettings(command, databaseSettings).action(list)
  finish(command, [
    'access --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --since 2026-11-01',
    'access --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json',
    'access --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --key 5c9d4d5e-0f3a-4f0e-8a1b-0d6c0c1f2a3b --written',
  ])
}
