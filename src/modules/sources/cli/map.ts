import type { Command } from 'commander'
import { CliError } from '../../../core/server/errors.ts'
import { Unreadable, type SourceFile } from '../adapters/adapter.ts'
import { suggestMap } from '../adapters/csv-map/suggest.ts'
import { openSourceFiles, type SourceFiles } from './sources/files.ts'
import { finish } from '../../../core/cli/terminal/options.ts'
import { note, print } from '../../../core/cli/terminal/output.ts'

/** Returns the files that look like tables, or all files if none does. */
function tablesOf(files: readonly SourceFile[]): readonly SourceFile[] {
  const tables = files.filter(({ name }) => /\.(csv|tsv|txt)$/i.test(name))
  return tables.length > 0 ? tables : files
}

async function suggest(paths: readonly string[]): Promise<void> {
  const opened: SourceFiles[] = []
  try {
    for (const path of paths) opened.push(await openSourceFiles(path))
    const files = tablesOf(opened.flatMap((one) => one.files))
    if (files.length === 0) throw new CliError('file_unreadable', `no files found in ${paths.join(', ')}`)
    const { map, unused, doubts } = await suggestMap(files)
    print(JSON.stringify(map, null, 2))
    if (unused.length > 0) note(`files not in the map: ${unused.join(', ')}`)
    for (const doubt of doubts) note(doubt)
  } catch (error) {
    if (error instanceof Unreadable) throw new CliError('file_unreadable', error.message, { cause: error })
    throw error
  } finally {
    for (const { close } of opened) await close()
  }
  note('This is a guess: read and correct it, then check the days with import --from csv --map … --dry-run')
}

export function define(command: Command): void {
  const suggesting = command
    .command('suggest')
    .summary('Suggest a column map for CSV files')
    .description(
      'Suggest a map for import --from csv from the columns of a CSV: the lines of items, payments in another file or in the ' +
        'same lines, and refunds. Read and correct it before use.',
    )
    .argument(
      '<files...>',
      'CSV with one line per item, and CSV with the payments; or a directory or ZIP archive with both',
    )
    .action(suggest)
  finish(suggesting, [
    'map suggest export.csv > bistrot.json',
    'map suggest lignes.csv reglements.csv > bistrot.json',
    'map suggest export.csv --json',
  ])
}
