import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { logNameOf } from '../projections/checkpoints.ts'
import { SigningKey } from '../projections/signing-key.ts'
import { CliError } from '../../../core/server/errors.ts'

/** Opens the file of `--checkpoint-key`. Throws a `CliError` that names the file if it is missing or contains no key. */
export function openSigningKey(path: string): SigningKey {
  if (!existsSync(path))
    throw new CliError('file_unreadable', `the key file ${path} does not exist: create it with tillgate checkpoint key`)
  try {
    return new SigningKey(path)
  } catch (error) {
    throw new CliError('file_unreadable', `the key in ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const namePath = (path: string) => `${path}.name`

/** Returns the name of the installation in origins, stored beside its key; null until it is stored. */
export const storedLogName = (path: string): string | null =>
  existsSync(namePath(path)) ? readFileSync(namePath(path), 'utf8').trim() : null

/**
 * Returns the installation's name in the origins of its checkpoints, which is stored beside the key. The first server
 * or signing command stores the host of its public URL there, so that the name does not change later.
 */
export function keepLogName(path: string, publicUrl: string | null): string {
  const stored = storedLogName(path)
  if (stored !== null) return stored
  try {
    writeFileSync(namePath(path), `${logNameOf(publicUrl)}\n`, { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return storedLogName(path) ?? logNameOf(publicUrl)
}
