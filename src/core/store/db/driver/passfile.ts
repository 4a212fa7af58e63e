import { readFileSync, statSync } from 'node:fs'
import type { Host } from './database-url.ts'

/** The password file cannot be used. It may be corrected later, so the error has the code of a wrong password. */
class PassfileRefused extends Error {
  readonly code = '28P01'
}

/** Splits a line into its five fields; a backslash escapes a colon or a backslash. */
const fieldsOf = (line: string) =>
  line.split(/(?<!(?<!\\)(?:\\\\)*\\):/).map((field) => field.replaceAll(/\\([\\:])/g, '$1'))

/** Returns the names of a host in the file: a socket is listed by its directory, or as `localhost`. */
const namesOf = ({ host }: Host) => (host.startsWith('/') ? [host, 'localhost'] : [host])

/**
 * Finds the password in a file in the format of libpq's `PGPASSFILE`: lines of `host:port:database:user:password`,
 * where `*` matches anything, and the first match counts. Returns an empty text if no line matches. Throws if the file
 * cannot be read, or other users on the machine can read it.
 */
export function findPassword(file: string, host: Host, { database, user }: { database: string; user: string }): string {
  let text: string
  let isOpen: boolean
  try {
    isOpen = (statSync(file).mode & 0o077) !== 0 && process.platform !== 'win32'
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new PassfileRefused(`the passfile of the database cannot be read: ${(error as Error).message}`)
  }
  if (isOpen) throw new PassfileRefused(`the passfile ${file} is readable by other users: chmod 600 ${file}`)
  const wanted = [namesOf(host), [String(host.port)], [database], [user]]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = fieldsOf(line)
    if (fields.length >= 5 && wanted.every((names, i) => ['*', ...names].includes(fields[i] ?? '')))
      return fields[4] ?? ''
  }
  return ''
}
