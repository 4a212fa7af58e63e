import type { Command } from 'commander'
import { CliError } from '../server/errors.ts'
import { Unreadable } from '../sources/adapter.ts'
import { suggestMap } from '../sources/csv-map/suggest.ts'
import { openSourceFiles } from './sources/files.ts'
import { finish } from './terminal/options.ts'
import { note, print } from './terminal/output.ts'

async function suggest(path: string): Promise<void> {
  const { files, close } = await openSourceFiles(path)
  try {
    const [file, ...others] = files
    if (!file || others.length > 0)
      throw new CliError('usage', 'a map is suggested of one file: the one with the item lines')
    print(JSON.stringify(await suggestMap(file), null, 2))
  } catch (error) {
    if (error instanceof Unreadable) throw new CliError('file_unreadable', error.message, { cause: error })
    throw error
  } finally {
    await close()
  }
  note('Guessed: read it, correct it, and look at the days of import --from csv --map … --dry-run')
}

export function define(command: Command): void {
  const suggesting = command
    .command('suggest')
    .summary('Guess the map of a CSV')
    .description('Guess which column of a CSV is what, as a map for import --from csv; a person reads and corrects it.')
    .argument('<file>', 'CSV with a line for each item')
    .action(suggest)
  finish(suggesting, ['map suggest export.csv > bistrot.json', 'map suggest export.csv --json'])
}
