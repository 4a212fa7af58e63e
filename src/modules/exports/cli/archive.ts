import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Encrypter } from 'age-encryption'
import type { Command } from 'commander'
import { encrypterFor } from '../../backup/format/age-seal.ts'
import { databaseSettings, readConfig } from '../../../core/config.ts'
import { addDays } from '../../../core/domain/days/business-time.ts'
import { yearStart } from '../../proofs/domain/closing-dates.ts'
import { fiscalYearOf } from '../../books/domain/numbers.ts'
import { tableNames } from '../domain/columns.ts'
import { verifierPage } from '../../proofs/http/verifier.ts'
import { makeCheckpoint } from '../../proofs/projections/checkpoints.ts'
import type { Closing } from '../../proofs/schemas/closings.ts'
import { CliError } from '../../../core/server/errors.ts'
import { keepLogName, openSigningKey } from '../../proofs/server/signing-key.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findCheckpoint } from '../../proofs/store/checkpoints.ts'
import { listAllClosings, readClosings } from '../../proofs/store/closings.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { byHand } from '../../../core/cli/acts.ts'
import { writeBooks } from './archive/books.ts'
import { writeJournal, writeProofs } from './archive/journal.ts'
import { readMe } from './archive/texts.ts'
import { writeArchive } from './archive/zip.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { exportTables } from './export-tables.ts'
import { addSettings, finish, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { note, printJson, some } from '../../../core/cli/terminal/output.ts'
import { makeScratchFolder, removeScratch } from '../../../core/cli/terminal/scratch.ts'

type ArchiveFlags = { location: string; year: string; out: string; recipient?: string[]; json?: true } & Record<
  string,
  unknown
>

const docs = join(import.meta.dirname, '../../../../docs')

/** Pages that describe how the content is made. */
const pages = [
  'contract/journal',
  'modules/proofs',
  'modules/books',
  'modules/tables',
  'modules/figures',
  'contract/money',
] as const

/**
 * Finds the closing of a fiscal year and the closings within that year. `year` is the calendar year in which it begins.
 * Throws `CliError`.
 */
export async function findYear(
  pool: Pool,
  location: LocationRow,
  year: number,
): Promise<{ closing: Closing; own: Closing[]; seqs: number[] }> {
  const { rows } = await listAllClosings(pool, location.id)
  const closings = await readClosings(pool, location.id, rows)
  const yearOf = ({ date }: Closing) => fiscalYearOf(date, location.fiscalYearStarts)
  const closing = closings.find((one) => one.period === 'year' && Number(yearStart(one.date).slice(0, 4)) === year)
  if (!closing) {
    const first = closings.find(({ period }) => period === 'day')
    throw new CliError(
      'year_open',
      first && yearOf(first) > year
        ? `the fiscal year ${year} has no closings: the first closing is dated ${first.date}. Archive the fiscal year ${yearOf(first)}, which includes all earlier data`
        : `the fiscal year ${year} is not closed. A running server closes the year 36 hours after it ends. To close the year earlier, run tillgate books close up to its last day`,
    )
  }
  const { fromSequence, toSequence } = closing
  const isOwn = (one: Closing) => one.fromSequence >= fromSequence && one.toSequence <= toSequence
  const seqs = rows.filter((_, i) => isOwn(closings[i] as Closing)).map(({ seq }) => seq)
  return { closing, own: closings.filter(isOwn), seqs }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}

/** Lists the files of a folder and its subfolders, by name. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = entries
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
  return names.map((name) => name.replaceAll('\\', '/')).toSorted()
}

type ArchiveYear = { pool: Pool; location: LocationRow; year: number; folder: string; now: Date }

/** The numbers of journal entries and checkpoints in the archive; `lacking` counts the entries without a proof. */
type Contents = { entries: number; checkpoints: number; lacking: number }

/** Writes everything except the manifest. */
async function writeContents({ pool, location, year, folder, now }: ArchiveYear): Promise<Contents> {
  const { closing, own, seqs } = await findYear(pool, location, year)
  const head = await findHead(pool, location.id)
  const first = yearStart(closing.date)
  const name = `${(JSON.parse(location.document) as { name?: string }).name ?? location.id}, ${first} – ${closing.date}`
  for (const [file, text] of Object.entries(readMe)) await writeFile(join(folder, file), text(name))
  const written = await writeJournal(pool, { locationId: location.id, epoch: head?.epoch ?? '', closing }, folder)
  await writeFile(join(folder, 'closings.ndjson'), own.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const books = await writeBooks(pool, location.id, { folder, year: { first, last: closing.date } })
  const lacking = await writeProofs(pool, location.id, folder, { ...written, seqs: [...seqs, ...books] })
  await exportTables(pool, {
    locationId: location.id,
    out: join(folder, 'tables'),
    format: 'csv',
    tables: tableNames,
    since: first.slice(0, 7),
    until: addDays(closing.date, 0).slice(0, 7),
    now,
  })
  await mkdir(join(folder, 'docs'), { recursive: true })
  for (const page of pages) await copyFile(join(docs, `${page}.md`), join(folder, `docs/${basename(page)}.txt`))
  await copyFile(join(docs, 'verify/verify.mjs'), join(folder, 'verify.mjs'))
  await writeFile(join(folder, 'verify.html'), await verifierPage())
  return { ...written, lacking: lacking + written.lacking }
}

/** Signs the current journal, so that the whole archive is proven; does nothing if nothing was ever signed. */
async function signFirst(
  { pool, location, now }: ArchiveYear,
  keyPath: string,
  publicUrl: string | null,
): Promise<void> {
  if (!(await findCheckpoint(pool, location.id))) return
  const signing = { signer: openSigningKey(keyPath), logName: keepLogName(keyPath, publicUrl), now }
  const made = await makeCheckpoint(pool, location.id, signing)
  if (made?.isNew)
    await byHand(pool, location.id, { act: 'checkpoint.made', subject: String(made.checkpoint.size) }, now)
}

/**
 * Writes `manifest.json`, its signed checksum if there is a key, and the checksums of all files for `sha256sum -c`.
 * Returns the names of all files.
 */
async function writeManifest({ location, year, folder, now }: ArchiveYear, keyPath: string | null): Promise<string[]> {
  const names = await listFiles(folder)
  const files = []
  for (const file of names)
    files.push({ file, bytes: (await stat(join(folder, file))).size, sha256: await digestOf(join(folder, file)) })
  const manifest = { version: 1, location: location.id, fiscalYear: year, createdAt: now.toISOString(), files }
  await writeFile(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  if (keyPath !== null) {
    const sum = await digestOf(join(folder, 'manifest.json'))
    const { note: signed, keys } = openSigningKey(keyPath).signText(
      `tillgate archive\n${location.id}\n${year}\nsha256 ${sum}\n`,
      now,
    )
    await writeFile(join(folder, 'manifest.note'), signed)
    await writeFile(join(folder, 'manifest-keys.txt'), keys.map((key) => `${key}\n`).join(''))
  }
  const sums = files.map(({ file, sha256 }) => `${sha256}  ${file}\n`)
  for (const name of ['manifest.json', ...(keyPath === null ? [] : ['manifest.note', 'manifest-keys.txt'])])
    sums.push(`${await digestOf(join(folder, name))}  ${name}\n`)
  await writeFile(join(folder, 'sha256sums.txt'), sums.join(''))
  return listFiles(folder)
}

type ArchiveOptions = {
  out: string
  encrypter: Encrypter | undefined
  keyPath: string | null
  publicUrl?: string | null
}

/** Returns what encrypts for `--recipient`. Throws `BackupError` if that is not an age public key. */
export const readRecipients = (flags: { recipient?: string[] }) => flags.recipient && encrypterFor(flags.recipient)

/** Writes the archive of a fiscal year: completely or not at all. Resolves to the contents and the number of files. */
export async function writeYear(
  pool: Pool,
  { location, year }: Pick<ArchiveYear, 'location' | 'year'>,
  { out, encrypter, keyPath, publicUrl = null }: ArchiveOptions,
): Promise<Contents & { files: number }> {
  if (existsSync(out)) throw new CliError('output_failed', `${out} already exists: choose another file`)
  const folder = makeScratchFolder(`${out}.`)
  try {
    const place = { pool, location, year, folder, now: new Date() }
    if (keyPath !== null) {
      await findYear(pool, location, year)
      await signFirst(place, keyPath, publicUrl)
    }
    const contents = await writeContents(place)
    const names = await writeManifest(place, keyPath)
    const onWritten = () => byHand(pool, location.id, { act: 'data.exported', subject: `archive ${year}` })
    await writeArchive(folder, names, { out, encrypter, onWritten })
    return { ...contents, files: names.length }
  } finally {
    await removeScratch(folder)
  }
}

export async function getLocation(pool: Pool, id: string): Promise<LocationRow> {
  const location = await findLocation(pool, id)
  if (location) return location
  throw new CliError('location_not_found', `location ${id} does not exist: see tillgate location list`)
}

async function run(flags: ArchiveFlags): Promise<void> {
  const locationId = readUuid('--location', flags.location)
  const year = readInteger('--year', flags.year, 1, 9_999)
  const { out } = flags
  const { checkpointKey, publicUrl } = readConfig(['checkpointKey', 'publicUrl'], flags, process.env)
  const options = { out, encrypter: readRecipients(flags), keyPath: checkpointKey, publicUrl }
  const written = await withDatabase(flags, async ({ pool }) =>
    writeYear(pool, { location: await getLocation(pool, locationId), year }, options),
  )
  const { files, entries, checkpoints, lacking } = written
  if (flags.json) return printJson({ out, files, entries, checkpoints })
  note(`${out}: ${some(entries, 'entry', 'entries')} of the journal, ${some(files, 'file', 'files')}`)
  if (checkpoints === 0)
    note('No checkpoint covers it: its files can be compared, but nothing proves that the journal was not rewritten.')
  else if (lacking > 0)
    note(
      `${some(lacking, 'entry', 'entries')} without a proof, so the archive does not verify: set TILLGATE_CHECKPOINT_KEY, or run tillgate checkpoint make, and write it again.`,
    )
}

export function define(command: Command): void {
  command
    .description(
      'Write one ZIP of a closed fiscal year for an auditor: every entry of the journal, closings, issued booking entries and tables in open ' +
        'text formats, with the scripts that verify them. See docs/modules/archive.md.',
    )
    .requiredOption('--location <id>', 'location of the archive')
    .requiredOption('--year <yyyy>', 'fiscal year, by the calendar year in which it begins')
    .requiredOption('--out <file>', 'ZIP file to write; it must not exist')
    .option('--recipient <key...>', 'public age keys that encrypt the archive')
  addSettings(command, [...databaseSettings, 'checkpointKey', 'publicUrl']).action(run)
  finish(command, [
    'archive --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --year 2026 --out archive-2026.zip',
    'archive --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --year 2026 --out archive-2026.zip.age --recipient age1…',
  ])
}
