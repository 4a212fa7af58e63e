import { existsSync } from 'node:fs'
import { SigningKey } from '../projections/signing-key.ts'
import { CliError } from './errors.ts'

/** Opens the file of `--checkpoint-key`. Throws `CliError` where there is none, or none of a key, and names it. */
export function openSigningKey(path: string): SigningKey {
  if (!existsSync(path))
    throw new CliError('file_unreadable', `there is no key in ${path}: make it with tillgate checkpoint key`)
  try {
    return new SigningKey(path)
  } catch (error) {
    throw new CliError('file_unreadable', `the key in ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
