import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { findBinaries, prepareBinaries, readBinaryPackage, type Binaries, type FoundBinaries } from './binaries.ts'
import {
  changePassword,
  createCluster,
  findCluster,
  findPassword,
  keepPassword,
  randomPassword,
  role,
} from './cluster.ts'
import { EmbeddedDatabaseError, isSystemError, toEmbeddedDatabaseError } from './error.ts'
import { headsPath, readHeads } from './heads.ts'
import { isOnNetwork, refuseOtherHost } from './host.ts'
import { isLockName, withLock } from './lock.ts'
import { placeCluster, prepareDataDirectory, prepareSystemDirectory, type Placement } from './placement.ts'
import { findPostmaster, isPresent, startPostmaster, stopPostmaster, type Postmaster } from './postmaster.ts'
import type { Presence } from './presence.ts'
import { runs } from './processes.ts'
import { machineMemory } from './settings.ts'
import { isRefused, port } from './socket-directory.ts'
import { addUser, countUsers } from './users.ts'

export { EmbeddedDatabaseError }

/** `host` is the absolute directory of the Unix socket. */
export type ConnectionOptions = { host: string; port: number; user: string; password: string; database: string }

export type EmbeddedDatabase = {
  connection: ConnectionOptions
  /** Whether this call started the server; false if it found one running. */
  started: boolean
  /** Messages for the user, one line each. */
  notices: string[]
  /** Directory of the cluster, on the disk that it fills. */
  directory: string
  /** The postmaster's process id in its own namespace. */
  pid: number
  /** Whether the server that this call found or started is still running. */
  isRunning(): Promise<boolean>
  /**
   * Stops the server, even if other processes use it, and resolves when it has ended; open transactions are rolled
   * back. A server in another container or namespace keeps running, because only processes there can stop it.
   */
  stop(): Promise<void>
  /**
   * Ends this process's use of the server, and stops the server unless another live process uses it or it runs in
   * another container. Resolves to whether the server was stopped. So a short command never takes the database from a
   * `serve` that found the command's server running. Call it once for each open.
   */
  release(): Promise<boolean>
}

/** Properties of the machine, which tests replace. */
export type Machine = {
  /** Root of the binary package; undefined: the installed one. */
  packageRoot: string | undefined
  /** Where root puts files that the server's account cannot reach elsewhere. */
  systemDir: string
  memoryBytes: number
  /** Whether other machines may have the file system of a path open as well. */
  isOnNetwork(path: string): Promise<boolean>
  /** Settings of the server that take precedence over those of `settings.ts`. */
  settings: Record<string, string>
  /** Additional environment of the server, only for tests that set its clock. */
  environment: Record<string, string>
}

/** `pgBin` is the directory of the machine's own PostgreSQL programs; null or left out for those that npm installed. */
type OpenOptions = {
  signal?: AbortSignal
  pgBin?: string | null
  /** Whether to create a database where an earlier one is missing, for a restore that replaces it. */
  replacesLost?: boolean
  /** Called once PostgreSQL has been started, before it is ready. */
  meanwhile?: (() => void) | undefined
  machine?: Partial<Machine>
}

/**
 * Returns whether a data directory may contain a database: a missing or empty directory does not. Anything else at
 * the path counts, so that opening it reports the problem.
 */
export async function hasEmbeddedDatabase(dataDir: string): Promise<boolean> {
  try {
    return (await readdir(dataDir)).some((name) => !isLockName(lockPath(dataDir), name))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/**
 * Opens the PostgreSQL of a data directory: creates a missing one, uses a running one, starts a stopped one. Several
 * processes may call this on one directory at once. Throws EmbeddedDatabaseError with the message for the user. When
 * aborted, rejects with the reason of `signal`, and leaves nothing running.
 */
export async function openEmbeddedDatabase(dataDir: string, options: OpenOptions = {}): Promise<EmbeddedDatabase> {
  const machine = { ...thisMachine(), ...options.machine }
  try {
    options.signal?.throwIfAborted()
    const { packageRoot } = machine
    const { pgBin = null } = options
    const isInstalled = packageRoot === undefined || pgBin !== null
    const found = await (isInstalled ? findBinaries(pgBin) : readBinaryPackage(packageRoot))
    const directory = await prepareDataDirectory(dataDir)
    return await withLock(lockPath(directory), options.signal, async () => {
      const user = await addUser(directory)
      try {
        return await openLocked({
          dataDir: directory,
          user,
          found,
          machine,
          signal: options.signal,
          replacesLost: options.replacesLost === true,
          meanwhile: options.meanwhile,
        })
      } catch (error) {
        await user.end()
        throw error
      }
    })
  } catch (error) {
    throw toEmbeddedDatabaseError(error, dataDir)
  }
}

function thisMachine(): Machine {
  return {
    packageRoot: undefined,
    systemDir: process.platform === 'darwin' ? '/usr/local/var/tillgate' : '/var/lib/tillgate',
    memoryBytes: machineMemory(),
    isOnNetwork,
    settings: {},
    environment: {},
  }
}

/** The caller holds the lock of the data directory; `user` is this call's entry among the users of the server. */
type Opening = {
  dataDir: string
  user: Presence
  found: FoundBinaries
  machine: Machine
  signal: AbortSignal | undefined
  replacesLost: boolean
  meanwhile: (() => void) | undefined
}

async function openLocked(opening: Opening): Promise<EmbeddedDatabase> {
  const { dataDir, found, machine, signal, meanwhile } = opening
  const placement = await placeCluster(dataDir, machine.systemDir)
  const { home, account, notices } = placement
  await refuseOtherHost(home, machine.isOnNetwork)
  const cluster = join(home, 'postgres')
  let exists = await findCluster(cluster, found)
  let password = await findPassword(dataDir)
  let binaries: Binaries | undefined
  for (;;) {
    const running = exists ? await findPostmaster(home, cluster, signal) : undefined
    if (running !== undefined) {
      if (password === undefined) {
        throw new EmbeddedDatabaseError(
          `The password file of the running database in ${dataDir} is missing: stop the database with "kill -INT ${running.pid}" and start again to create a new one`,
        )
      }
      notices.push(`Using the database that is already running (process ${running.pid})`)
      return toDatabase(opening, placement, running, { password, started: false })
    }
    binaries ??= await prepareBinaries(found, account, {
      linksDir: join(home, 'postgres.libraries'),
      prepareSystemDir: async (closed) => {
        await prepareSystemDirectory(machine.systemDir, account, closed)
        return machine.systemDir
      },
    })
    const context = { binaries, account, signal }
    if (!exists) {
      if (!opening.replacesLost) await refuseLost(home)
      // The password is stored before the cluster exists, so that a complete cluster always has a known password.
      if (password === undefined) await keepPassword(dataDir, (password = randomPassword()))
      await createCluster(home, password, context)
      exists = true
    } else if (password === undefined) {
      password = randomPassword()
      await changePassword(cluster, password, context)
      await keepPassword(dataDir, password)
    }
    const logPath = join(dataDir, 'postgres.log')
    const { memoryBytes, settings, environment } = machine
    const about = { ...context, home, cluster, logPath, memoryBytes, settings, environment, meanwhile }
    const started = await startPostmaster(about)
    if (started !== undefined) return toDatabase(opening, placement, started, { password, started: true })
  }
}

function toDatabase(
  { dataDir, user }: Opening,
  { home, notices }: Placement,
  postmaster: Postmaster,
  { password, started }: { password: string; started: boolean },
): EmbeddedDatabase {
  const stop = async (running: Postmaster) => {
    const stopped = await stopPostmaster(running, home)
    await user.end()
    return stopped
  }
  return {
    connection: { host: postmaster.socketDir, port, user: role, password, database: role },
    started,
    notices,
    directory: home,
    pid: postmaster.pid,
    isRunning: async () =>
      (postmaster.isOurs ? runs(postmaster.pid) : await isPresent(postmaster, home)) &&
      !(await isRefused(postmaster.socketDir)),
    stop: async () => void (await stop(postmaster)),
    release: async () => {
      const leave = async () => {
        await user.end()
        if ((await countUsers(dataDir)) > 0) return false
        // The server that is running now: after a crash it may differ from the one that this call found.
        return stop((await findPostmaster(home, join(home, 'postgres'))) ?? postmaster)
      }
      try {
        return await withLock(lockPath(dataDir), undefined, leave)
      } catch (error) {
        if (!takesNoFile(error)) throw error
        // A full disk has no room for a lock file either. Leaving needs no space, and the lock only avoids duplicate work.
        return leave()
      }
    },
  }
}

/** Refuses to create a database where one existed: its directory may be unmounted, or moved by mistake. */
async function refuseLost(home: string): Promise<void> {
  const heads = await readHeads(home)
  if (heads.size === 0) return
  throw new EmbeddedDatabaseError(
    `The database ${join(home, 'postgres')} is missing, including the ${heads.size === 1 ? 'journal of a location' : `journals of ${heads.size} locations`}. Put the directory back, or run tillgate restore <backup>, which reports lost entries. To start with an empty database, delete ${headsPath(home)}`,
  )
}

function takesNoFile(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS'].some((code) => isSystemError(error, code))
}

const lockPath = (dataDir: string): string => join(dataDir, 'postgres.lock')
