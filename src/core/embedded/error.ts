import { resolve } from 'node:path'

/**
 * A failure of the embedded database that the user can act on: the first line of `message` says what is wrong and what
 * to change. Further lines, if any, are the end of PostgreSQL's log.
 */
export class EmbeddedDatabaseError extends Error {
  override name = 'EmbeddedDatabaseError'
}

/** A failure of the embedded database because its disk or shared memory is full. */
export class NoRoomError extends EmbeddedDatabaseError {}

const reasonsByCode: Record<string, string> = {
  EACCES: 'permission denied; run Tillgate as the owner of that directory, or choose another --data-dir',
  EPERM: 'the operation is not permitted to this user; run Tillgate as the owner, or choose another --data-dir',
  ENOSPC: 'the disk is full; free some space and start again',
  EDQUOT: 'the disk quota is used up; free some space and start again',
  EROFS: 'the file system is read-only; choose another --data-dir',
  ENOTDIR: 'part of the path is a file; choose another --data-dir',
  EEXIST: 'part of the path is a file; choose another --data-dir',
  ENAMETOOLONG: 'the path is too long; choose another --data-dir',
  ELOOP: 'the path is a loop of symbolic links; choose another --data-dir',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  EIO: 'the disk reports an error; check it before anything else',
}

/** Converts a system error to the message for the user; returns other errors (a bug, an abort) unchanged. */
export function toEmbeddedDatabaseError(error: unknown, dataDir: string): unknown {
  if (error instanceof EmbeddedDatabaseError || !(error instanceof Error)) return error
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined) return error
  const reason = reasonsByCode[code] ?? error.message
  const directory = resolve(dataDir)
  const where = path === undefined || `${path}/`.startsWith(`${directory}/`) ? '' : ` (${path})`
  return new EmbeddedDatabaseError(`The data directory ${directory} cannot be used${where}: ${reason}`, {
    cause: error,
  })
}

export function isSystemError(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Finds in the output of PostgreSQL what is full, and what to do; undefined if nothing is. A write that was cut short
 * has a different message. Shared memory is a separate file system, small in containers.
 */
export function findNoRoom(output: string): string | undefined {
  if (/shared memory segment .*No space left on device/.test(output)) {
    return 'shared memory (/dev/shm) is too small: give it 64 MiB or more (docker run --shm-size 64m) and start again'
  }
  const isFull = /No space left on device|Check free disk space|Disk quota exceeded/.test(output)
  return isFull ? 'the disk is full: free some space and start again' : undefined
}

/** Whether the output of PostgreSQL reports that its account is not in /etc/passwd. */
export const reportsNoAccount = (output: string) => output.includes('could not look up effective user ID')

/** Whether the output of PostgreSQL reports that processes of a server on these files are still running. */
export const reportsOther = (log: string) =>
  /lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(log)

/** Returns whether an error of the system, PostgreSQL or the embedded server is, or is caused by, a full disk. */
export function isOfNoRoom(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof NoRoomError || isSystemError(error, 'ENOSPC', 'EDQUOT', '53100')) return true
  return isOfNoRoom(error.cause)
}
