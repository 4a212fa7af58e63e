import { readFile } from 'node:fs/promises'
import { CliError } from '../../server/errors.ts'

/** The first line of a file; null when none is named. A passphrase on the command line would stand in every list of processes. */
export async function readPassphrase(file: string | undefined): Promise<string | null> {
  if (file === undefined) return null
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    throw new CliError('file_unreadable', `--passphrase-file: ${(error as Error).message}`, { cause: error })
  }
  const [line = ''] = text.split(/\r?\n/)
  if (line.length >= 12) return line
  throw new CliError('usage', `the first line of ${file} must be a passphrase of at least 12 characters`)
}
