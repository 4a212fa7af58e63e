import { constants } from 'node:fs'
import { lstat, mkdir, mkdtemp, open, rm, rmdir } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findClosedDirectory, type Account } from './accounts.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { findText, giveTo } from './files.ts'
import { askHolding, longestPathBytes } from './presence.ts'

/** Each server has a directory of its own, so the port only names the socket file. */
export const port = 5432

const socketName = `.s.PGSQL.${port}`

/** Returns the socket directory inside a home: stable, and removed with the data directory. */
export const insideSocketDirectory = (home: string): string => join(home, 'postgres.socket')

/**
 * Makes an empty directory (mode 0700, owned by the account) for the socket of a server to be started: inside `home`,
 * or at a new short path if that path is too long or its file system has no sockets. postmaster.pid names the short
 * path. `former`, the directory of a crashed server, is reused if it is certainly ours, so that clients find the
 * socket.
 */
export async function makeSocketDirectory(
  home: string,
  account: Account,
  former: { directory: string; pid: number } | undefined,
): Promise<string> {
  const inside = insideSocketDirectory(home)
  if (fits(inside)) {
    await mkdir(inside, { recursive: true, mode: 0o700 })
    await makePrivate(inside, account)
    await clear(inside)
    if (await takesSockets(inside)) return inside
  }
  if (former !== undefined && former.directory !== inside && (await isOurs(former, account))) {
    await clear(former.directory)
    return former.directory
  }
  for (const parent of account.switching ? ['/run', '/tmp'] : ['/tmp', tmpdir()]) {
    if (!fits(join(parent, 'tillgate-XXXXXX'))) continue
    try {
      if ((await findClosedDirectory(account, parent)) !== undefined) continue
      // mkdtemp makes a new directory with mode 0700 or fails: another user cannot have created it.
      const directory = await mkdtemp(join(parent, 'tillgate-'))
      await giveTo(account, directory)
      return directory
    } catch {
      continue
    }
  }
  throw new EmbeddedDatabaseError(
    `The path ${home} is too long for a Unix socket and /tmp is not writable: choose a shorter --data-dir`,
  )
}

/** Removes the directory of a server that is gone, if it was outside `home`. */
export async function removeSocketDirectory(directory: string, home: string): Promise<void> {
  if (directory !== insideSocketDirectory(home)) await rmdir(directory).catch(() => {})
}

/** Returns whether the socket in the directory belongs to that postmaster and is answered. */
export async function isAnswered(directory: string, pid: number): Promise<boolean> {
  const owner = await findText(join(directory, `${socketName}.lock`)).catch(() => undefined)
  if (owner === undefined || Number.parseInt(owner, 10) !== pid) return false
  return new Promise((resolve) => {
    const socket = createConnection(join(directory, socketName))
    const finish = (answered: boolean) => {
      socket.destroy()
      resolve(answered)
    }
    // An SSLRequest: the one message that PostgreSQL answers, with one byte, before authentication.
    socket.on('connect', () => socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])))
    socket.on('data', () => finish(true))
    socket.on('error', () => finish(false))
    socket.on('close', () => finish(false))
    socket.setTimeout(1000, () => finish(false))
  })
}

/** Returns whether the directory has a socket on which nothing listens. */
export async function isRefused(directory: string): Promise<boolean> {
  return (await askHolding(join(directory, socketName))) === 'free'
}

function fits(directory: string): boolean {
  // postmaster.pid has only one line for the directory.
  return !directory.includes('\n') && Buffer.byteLength(join(directory, socketName)) <= longestPathBytes
}

/** Sets owner and mode through a handle that follows no link: it changes exactly what was checked. */
async function makePrivate(directory: string, account: Account): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    if (account.switching) await handle.chown(account.uid, account.gid)
    await handle.chmod(0o700)
  } finally {
    await handle.close()
  }
}

/** Returns whether a socket can be bound in the directory: the mounts of some desktop containers refuse it. */
async function takesSockets(directory: string): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.on('error', () => resolve(false))
    server.listen(join(directory, '.s.try'), () => server.close(() => resolve(true)))
  })
}

/** Removes what a crashed server left behind: its lock file would prevent a start if the process id were reused. */
async function clear(directory: string): Promise<void> {
  for (const name of [socketName, `${socketName}.lock`, '.s.try']) await rm(join(directory, name), { force: true })
}

async function isOurs(former: { directory: string; pid: number }, account: Account): Promise<boolean> {
  const found = await lstat(former.directory).catch(() => undefined)
  if (found === undefined || !found.isDirectory() || found.uid !== account.uid || (found.mode & 0o777) !== 0o700) {
    return false
  }
  // A server that was started since on a copy of this data directory would have written its own process id.
  const owner = await findText(join(former.directory, `${socketName}.lock`)).catch(() => undefined)
  return (
    owner !== undefined &&
    Number.parseInt(owner, 10) === former.pid &&
    !(await isAnswered(former.directory, former.pid))
  )
}
