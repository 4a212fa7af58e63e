import { existsSync } from 'node:fs'
import { chmod, lstat, mkdtemp, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { makeDirectory } from '../directories.ts'
import { findClosedDirectory, findServerAccount, isAllowed, sharedAccount, type Account } from './accounts.ts'
import { EmbeddedDatabaseError } from './error.ts'
import { findText, writePrivateFile } from './files.ts'
import { withLock } from './lock.ts'

/**
 * Where a data directory's cluster is. `home` contains `postgres/` (the cluster) and `postgres.socket/`: the data
 * directory itself or, if the server's account may not enter it, a directory below `systemDir` that
 * `<dataDir>/postgres.location` points to and whose `data-directory` points back.
 */
export type Placement = { home: string; account: Account; notices: string[] }

/** Creates the data directory if needed and returns its real path. */
export async function prepareDataDirectory(dataDir: string): Promise<string> {
  const path = resolve(dataDir)
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isDirectory()) {
    throw new EmbeddedDatabaseError(`The data directory ${path} is a file: remove it, or choose another --data-dir`)
  }
  if (found === undefined) {
    await makeDirectory(dirname(path))
    await makeDirectory(path, 0o700)
  }
  return realpath(path)
}

/** Finds where the cluster is, or chooses where a new one goes. The caller holds the lock of the data directory. */
export async function placeCluster(dataDir: string, systemDir: string): Promise<Placement> {
  const notices: string[] = []
  const pointed = await followPointer(dataDir, notices)
  const home = pointed ?? dataDir
  const account = await findServerAccount([join(home, 'postgres'), dataDir])
  if (account.switching && account.name === sharedAccount) notices.push(shared)
  if (pointed === undefined) {
    const closed = await findClosedWay(dataDir, account)
    if (closed !== undefined) {
      if (existsSync(join(dataDir, 'postgres'))) {
        throw new EmbeddedDatabaseError(
          `The database in ${dataDir} runs as ${account.name}, which can no longer access ${closed}: allow it (chmod o+x ${closed}), or move the data directory`,
        )
      }
      const outside = await makeOutsideHome({ dataDir, systemDir, closed }, account, notices)
      return { home: outside, account, notices }
    }
  }
  if (pointed !== undefined) notices.push(`The database of ${dataDir} is in ${home}`)
  return { home, account, notices }
}

/** Finds the first directory on the way to a cluster inside the data directory that the account may not enter. */
async function findClosedWay(dataDir: string, account: Account): Promise<string | undefined> {
  const closed = await findClosedDirectory(account, dataDir)
  if (closed !== dataDir) return closed
  // All files in a data directory are private, so others may pass through it. A directory with other files is left as is.
  const entries = await readdir(dataDir)
  if (!entries.includes('postgres') && !entries.every((name) => name.startsWith('postgres.'))) return closed
  const { mode } = await stat(dataDir)
  await chmod(dataDir, (mode & 0o777) | 0o011)
  return (await isAllowed(account, dataDir, 0o1)) ? undefined : closed
}

async function makeOutsideHome(
  { dataDir, systemDir, closed }: { dataDir: string; systemDir: string; closed: string },
  account: Account,
  notices: string[],
): Promise<string> {
  await prepareSystemDirectory(systemDir, account, closed)
  for (const other of await readdir(systemDir)) {
    const owner = await findText(join(systemDir, other, 'data-directory')).catch(() => undefined)
    if (owner !== dataDir || !existsSync(join(systemDir, other, 'postgres'))) continue
    notices.push(
      `An earlier database of ${dataDir} is still in ${join(systemDir, other)}: delete it if it is not needed`,
    )
  }
  const name = basename(dataDir)
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .slice(0, 24)
  const home = await mkdtemp(join(systemDir, `${name}-`))
  await chmod(home, 0o711)
  await writePrivateFile(join(home, 'data-directory'), dataDir)
  await writePrivateFile(pointerPath(dataDir), home)
  notices.push(
    `PostgreSQL runs as ${account.name}, which cannot access ${closed}: the database of ${dataDir} is in ${home}`,
  )
  return home
}

/** Shown to root at each start. */
const shared =
  `PostgreSQL runs as ${sharedAccount}: other programs that run as ${sharedAccount} can read this database. ` +
  'Run Tillgate as a dedicated user, or make a dedicated user the owner of the data directory. If an account "tillgate" exists, a new data directory uses that account'

/** Creates the directory for files that cannot be in a data directory. It belongs to root, and only root may write there. */
export async function prepareSystemDirectory(systemDir: string, account: Account, closed: string): Promise<void> {
  const advice = `choose a --data-dir that ${account.name} can access, run Tillgate as an ordinary user, or set DATABASE_URL`
  try {
    if (!existsSync(systemDir)) {
      await makeDirectory(systemDir, 0o711)
      await chmod(systemDir, 0o711)
    }
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL runs as ${account.name}, which cannot access ${closed}, and ${systemDir} cannot be created instead: ${advice}`,
      { cause: error },
    )
  }
  const { uid, mode } = await lstat(systemDir)
  const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0 && (mode & 0o170000) === 0o040000
  if (!isPrivate || (await findClosedDirectory(account, systemDir)) !== undefined) {
    throw new EmbeddedDatabaseError(
      `${systemDir} must belong to root, and others must be able to enter it but not to write in it (chmod 711): correct it, or ${advice}`,
    )
  }
}

/**
 * Returns the home that the data directory points to, undefined without a pointer. A home belongs to one data
 * directory. If the directory was moved, the home goes with it; a copy is refused as long as the original exists.
 */
async function followPointer(dataDir: string, notices: string[]): Promise<string | undefined> {
  const home = await findText(pointerPath(dataDir))
  if (home === undefined) return undefined
  if (!existsSync(join(home, 'data-directory'))) {
    throw new EmbeddedDatabaseError(
      `The database of ${dataDir} was in ${home}, which does not exist on this machine: put that directory back, or delete ${pointerPath(dataDir)} to start with an empty database`,
    )
  }
  return withLock(join(home, 'lock'), undefined, async () => {
    const owner = (await findText(join(home, 'data-directory'))) ?? ''
    if (owner === dataDir || (await isSameDirectory(owner, dataDir))) return home
    if ((await findText(pointerPath(owner)).catch(() => undefined)) === home) {
      throw new EmbeddedDatabaseError(
        `${dataDir} is a copy of ${owner}, but the database in ${home} belongs to ${owner}. To start with an empty database, delete ${pointerPath(dataDir)}. To copy the data into the new database, use tillgate export and import`,
      )
    }
    await writePrivateFile(join(home, 'data-directory'), dataDir)
    notices.push(`The data directory was moved from ${owner}; its database stays in ${home}`)
    return home
  })
}

const pointerPath = (dataDir: string): string => join(dataDir, 'postgres.location')

async function isSameDirectory(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => stat(path).catch(() => undefined)))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}
