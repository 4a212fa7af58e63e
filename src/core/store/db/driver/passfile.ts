import { readFileSync, statSync } from 'node:fs'
import type { Host } from './database-url.ts'

/** The file of passwords cannot be used. Its code is that of a wrong password, which may be right at the next connection. */
class PassfileRefused extends Error {
  readonly code = '28P01'
}

/** The five fields of a line, in which a backslash precedes a colon or a backslash that is meant. */
const fieldsOf = (line: string) =>
  line.split(/(?<!(?<!\\)(?:\\\\)*\\):/).map((field) => field.replaceAll(/\\([\\:])/g, '$1'))

/** A socket may be named by its directory too. */
const namesOf = ({ host }: Host) => (host.startsWith('/') ? [host, 'localhost'] : [host])

/**
 * Finds the password in a file as libpq's `PGPASSFILE` is written: lines of `host:port:database:user:password`, where `*` is any, and the
 * first that fits counts. An empty text where none does. Throws when it cannot be read, or others of the machine can read it.
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
