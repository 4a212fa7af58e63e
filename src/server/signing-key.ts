import { SigningKey } from '../projections/signing-key.ts'
import { CliError } from './errors.ts'

/** Opens the file of `--checkpoint-key`. Throws `CliError` where there is none, or none of a key, and names it. */
export function openSigningKey(path: string): SigningKey {
  try {
    return new SigningKey(path)
  } catch (error) {
    throw new CliError('file_unreadable', `the key in ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
