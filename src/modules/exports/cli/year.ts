import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { ChainWalk } from '../../operations/domain/chain-walk.ts'
import { genesis } from '../../../core/domain/journal/chain.ts'
import { daysProjection } from '../../figures/projections/days.ts'
import { catchUpProjection } from '../../figures/projections/projection.ts'
import { salesProjection } from '../../figures/projections/sales.ts'
import { CliError } from '../../../core/server/errors.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { countAside, listAsides, lyingIn } from '../../../core/store/journal/asides.ts'
import { listJournal, walkJournal, listRedactionSeqs } from '../../../core/store/journal/journal.ts'
import {
  BlankedMeanwhile,
  bringBack,
  chooseToArchive,
  NotWhatWasAccepted,
  archiveNext,
  StillRead,
  type ProvenArchive,
} from '../../operations/store/asides.ts'
import { findRedacted } from '../../../core/store/repair/redactions.ts'
import { listLocations } from '../../../core/contract/location/rows.ts'
import { findYear, getLocation, readRecipients, writeYear } from './archive.ts'
import { keepOnDisk, openArchive, type OpenedArchive } from './archive/opened.ts'
import { addIdentity, readOpeningSecret } from '../../backup/cli/backup/secrets.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { addSettings, finish, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { note, print, printJson, some, table } from '../../../core/cli/terminal/output.ts'

type YearFlags = {
  location: string
  year: string
  archive: string
  identity?: string
  recipient?: string[]
  dryRun?: true
  compact?: true
  json?: true
} & Record<string, unknown>

const sized = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

async function readIdentities(flags: { identity?: string }): Promise<readonly string[]> {
  const secret = await readOpeningSecret(flags)
  return secret && 'identities' in secret ? secret.identities : []
}

/**
 * Compares an archive with the journal, entry by entry: the chain must hold over the archive, and its documents must
 * equal those that the database still has. Throws `CliError`.
 */
async function prove(
  pool: Pool,
  locationId: string,
  archive: OpenedArchive,
  { fromSequence: from, toSequence: to }: { fromSequence: number; toSequence: number },
): Promise<ProvenArchive> {
  const invalid = (reason: string) => new CliError('archive_invalid', `${archive.name} ${reason}`)
  if (archive.location !== locationId || archive.from !== from || archive.to !== to)
    throw invalid(
      `has entries ${archive.from} to ${archive.to} of location ${archive.location}, not ${from} to ${to} of ${locationId}: give the archive of that year`,
    )
  const redactedAt = (await listRedactionSeqs(pool, locationId)).at(-1) ?? 0
  const [before] = from === 1 ? [] : await listJournal(pool, locationId, from - 2, 1)
  const start = { seq: from - 1, hash: before?.hash ?? genesis }
  const asides = await listAsides(pool, locationId)
  const walk = new ChainWalk(await findRedacted(pool, locationId), start, lyingIn(asides))
  for await (const entries of walkJournal(pool, locationId, { after: walk.seq, upTo: to })) {
    const archived = await archive.entries(walk.expected, entries.at(-1)?.seq ?? to)
    for (const entry of entries) {
      const document = archived.get(entry.seq)?.document
      const isSame = document !== undefined && (entry.document === null || entry.document === document)
      if (!isSame) throw invalid(`and the journal have different documents at sequence ${entry.seq}`)
      const fault = walk.fault({ ...entry, document })
      if (fault !== undefined) throw invalid(`does not verify against the journal at sequence ${entry.seq}: ${fault}`)
    }
  }
  if (walk.seq !== to) throw invalid(`ends at sequence ${to}, but the journal ends at ${walk.seq}`)
  return { from, to, archive: archive.name, sha256: archive.sha256, redactedAt }
}

type Sum = { documents: number; bytes: number; orders: number }

async function* stretches(
  pool: Pool,
  locationId: string,
  proven: ProvenArchive,
  isDry: boolean,
): AsyncGenerator<{ documents: number; bytes: number; orders: number }> {
  for (let after = proven.from - 1; after < proven.to;) {
    const chosen = await (isDry
      ? chooseToArchive(pool, locationId, proven, { after })
      : archiveNext(pool, locationId, proven, { after, now: new Date() }))
    if (!chosen) return
    yield { documents: chosen.seqs.length, bytes: chosen.bytes, orders: chosen.orders.length }
    after = chosen.to
  }
}

function toError(error: unknown): unknown {
  if (error instanceof StillRead) {
    const isWebhook = error.reader.startsWith('webhook')
    const advice = isWebhook
      ? 'wait until it catches up, or delete it: tillgate webhook list'
      : 'let a server run until they are computed, then try again'
    return new CliError(isWebhook ? 'webhook_behind' : 'figures_behind', `${error.message}: ${advice}`, {
      cause: error,
    })
  }
  if (error instanceof BlankedMeanwhile)
    return new CliError('archive_invalid', 'data was redacted after the archive was written: write the archive again', {
      cause: error,
    })
  if (error instanceof NotWhatWasAccepted) return new CliError('archive_invalid', error.message, { cause: error })
  return error
}

/** Frees the space of archived versions in the tables, for later entries; `isCompact` also shrinks the files. */
async function giveSpaceBack(pool: Pool, isCompact: boolean): Promise<void> {
  for (const name of ['journal', 'orders'])
    await pool.unsafe(`vacuum ${isCompact ? '(full, analyze)' : '(analyze)'} ${name}`)
}

async function archiveDocuments(flags: YearFlags): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const year = readInteger('--year', flags.year, 1, 9_999)
  const path = resolve(flags.archive)
  const identities = await readIdentities(flags)
  const { checkpointKey, publicUrl } = readConfig(['checkpointKey', 'publicUrl'], flags, process.env)
  const isDry = flags.dryRun === true
  if (flags.recipient && identities.length === 0)
    throw new CliError('usage', '--recipient requires --identity: the archive is read back before anything is removed')
  const options = { out: path, encrypter: readRecipients(flags), keyPath: checkpointKey, publicUrl }
  const sum: Sum = { documents: 0, bytes: 0, orders: 0 }
  await withDatabase(flags, async ({ pool }) => {
    const location = await getLocation(pool, locationId)
    const { closing } = await findYear(pool, location, year)
    const interval = { from: closing.fromSequence, to: closing.toSequence }
    if (!isDry && !existsSync(path)) {
      await writeYear(pool, { location, year }, options)
      note(`Wrote ${path}`)
    }
    const opened = isDry ? undefined : await openArchive(path, identities)
    if (opened) await keepOnDisk(path)
    try {
      if (!isDry) {
        for (const projection of [salesProjection, daysProjection])
          await catchUpProjection(pool, projection, locationId)
      }
      const proven = opened
        ? await prove(pool, locationId, opened, closing)
        : { ...interval, archive: '', sha256: '', redactedAt: 0 }
      for await (const one of stretches(pool, locationId, proven, isDry)) {
        sum.documents += one.documents
        sum.bytes += one.bytes
        sum.orders += one.orders
      }
    } catch (error) {
      throw toError(error)
    } finally {
      await opened?.close()
    }
    if (!isDry && sum.documents > 0) {
      await giveSpaceBack(pool, flags.compact === true)
      await byHand(pool, locationId, { act: 'data.put_aside', subject: String(year) })
    }
  })
  if (flags.json) return printJson({ year, archive: isDry ? null : path, ...sum })
  const what = `${some(sum.documents, 'version')} of ${some(sum.orders, 'order')}, ${sized(sum.bytes)}`
  if (isDry) return print(`would archive  ${locationId}  ${what}`)
  print(`archived  ${locationId}  ${what}`)
  if (sum.documents > 0) note(`Keep ${path}, and a copy elsewhere: its contents are no longer in the database.`)
}

async function returnYear(
  given: string,
  flags: { identity?: string; json?: true } & Record<string, unknown>,
): Promise<void> {
  const identities = await readIdentities(flags)
  const path = resolve(given)
  const opened = await openArchive(path, identities)
  let documents = 0
  try {
    await withDatabase(flags, async ({ pool }) => {
      const { id } = await getLocation(pool, opened.location)
      const asides = (await listAsides(pool, id)).filter(({ from, to }) => from >= opened.from && to <= opened.to)
      // The newest interval first: the archived versions of an order are always its earliest versions, or all of them.
      for (const aside of asides.toReversed()) {
        const entries = await opened.entries(aside.from, aside.to)
        const documentOf = (seq: number) => entries.get(seq)?.document
        documents += await bringBack(pool, id, aside, { documentOf, now: new Date() })
      }
      if (asides.length > 0) await byHand(pool, id, { act: 'data.brought_back', subject: String(opened.year) })
    })
  } catch (error) {
    throw toError(error)
  } finally {
    await opened.close()
  }
  if (flags.json) return printJson({ location: opened.location, year: opened.year, documents })
  print(`brought back  ${opened.location}  ${some(documents, 'version')} of orders`)
}

async function list(flags: { location?: string; json?: true } & Record<string, unknown>): Promise<void> {
  const given = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const found = await withDatabase(flags, async ({ pool }) => {
    const ids = given === undefined ? (await listLocations(pool)).map(({ id }) => id) : [given]
    const rows = []
    for (const id of ids) {
      const asides = await listAsides(pool, id)
      for (const [archive, of] of Map.groupBy(asides, (one) => one.archive)) {
        const documents = await countAside(pool, id, of)
        const [first, last] = [of[0], of.at(-1)]
        rows.push({ location: id, archive, sha256: last?.sha256, from: first?.from, to: last?.to, documents })
      }
    }
    return rows
  })
  if (flags.json) return printJson(found)
  if (found.length === 0) return note('No versions are archived.')
  const rows = found.map(({ location, archive, from, to, documents }) => [
    location,
    `${from}–${to}`,
    String(documents),
    archive,
  ])
  print(table(['LOCATION', 'ENTRIES', 'VERSIONS', 'ARCHIVE'], rows))
}

function definePutAside(command: Command): void {
  const put = command
    .command('put-aside')
    .summary('Move earlier versions of a closed fiscal year to its archive')
    .description(
      'Move earlier versions of orders of a closed fiscal year from the database to its archive. The archive is written if it does not ' +
        'exist, read back and compared with the journal, entry by entry, before anything is removed. The latest version of every order stays, ' +
        'with figures, reports, closings and the chain. Servers may keep running. If it is interrupted, run it again to continue.',
    )
    .requiredOption('--location <id>', 'location of the year')
    .requiredOption('--year <yyyy>', 'fiscal year, by the calendar year in which it begins')
    .requiredOption('--archive <file>', 'ZIP file of the year, from tillgate archive')
    .option('--recipient <key...>', 'public age keys that encrypt a new archive')
    .option('--dry-run', 'show what would be archived, without changing anything')
    .option('--compact', 'shrink the table files immediately; reads and pushes wait during this')
  addIdentity(addSettings(put, [...databaseSettings, 'checkpointKey', 'publicUrl'])).action(archiveDocuments)
  finish(put, [
    'year put-aside --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --year 2024 --archive archive-2024.zip --dry-run',
    'year put-aside --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --year 2024 --archive archive-2024.zip',
  ])
}

export function define(command: Command): void {
  definePutAside(command)
  const back = command
    .command('bring-back')
    .summary('Restore an archived year to the database')
    .description(
      'Restore an archived year to the database. Each document is verified against the journal. If it is interrupted, run it again to continue.',
    )
    .argument('<archive>', 'ZIP file of the year')
  addIdentity(addSettings(back, databaseSettings)).action(returnYear)
  finish(back, ['year bring-back archive-2024.zip'])
  const show = command
    .command('list')
    .summary('List archived years')
    .description('List archived versions and their archives.')
    .option('--location <id>', 'only this location')
  addSettings(show, databaseSettings).action(list)
  finish(show, ['year list --json'])
}
