import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { spawnIdentity, type Account } from './accounts.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedDatabaseError, isSystemError, NoRoomError, findNoRoom, reportsOther } from './error.ts'
import { findHost, forgetHost, keepHost, sharesProcesses } from './host.ts'
import { disarmPostmasterFile, findPostmasterFile, isPostmasterOf, type PostmasterFile } from './postmaster-file.ts'
import { askHolding, inodeOf, takePlace, type Presence } from './presence.ts'
import { describeSpawnFailure, pause } from './processes.ts'
import { serverSettings, toArguments } from './settings.ts'
import {
  insideSocketDirectory,
  isAnswered,
  isRefused,
  makeSocketDirectory,
  removeSocketDirectory,
} from './socket-directory.ts'

/**
 * A postmaster that accepts connections. `inode` is the inode of its presence, undefined if an earlier Tillgate started
 * it. `isOurs`: its process id is valid here too, so that it can be signaled.
 */
export type Postmaster = { pid: number; socketDir: string; inode: number | undefined; isOurs: boolean }

const logLimitBytes = 10 * 2 ** 20

/** Milliseconds for which a server that reports ready may not respond on its socket. */
const silenceMs = 5000

/** Milliseconds that the processes of a killed postmaster may take to notice that it is gone. */
const orphansMs = 20_000

/**
 * Returns the path of a server's presence, which the processes of the server inherit: it ends with the last process.
 * The process that starts the server holds the lock of the data directory meanwhile.
 */
const presencePath = (home: string): string => join(home, 'postgres.running')

type Sight = { file: PostmasterFile | undefined; inode: number | undefined }

/**
 * Looks for a server on the cluster. Undefined only if none of its processes can be running: a process that cannot be
 * seen from here counts as running, unless its presence has ended.
 */
async function lookForServer(home: string, cluster: string): Promise<Sight | undefined> {
  const path = presencePath(home)
  const holding = await askHolding(path)
  const file = await findPostmasterFile(cluster)
  if (holding === 'held') return { file, inode: await inodeOf(path) }
  if (file === undefined) return undefined
  // Started without a presence: by an earlier Tillgate, or by hand.
  const runsHere = isPostmasterOf(file.pid, cluster) ?? holding === 'none'
  return runsHere || (await isAnswered(insideSocketDirectory(home), file.pid)) ? { file, inode: undefined } : undefined
}

/**
 * Finds the postmaster of the cluster. Waits while the postmaster starts, recovers or stops. Undefined if no process of
 * a server is left. Throws, and changes nothing, if a server is running but does not answer.
 */
export async function findPostmaster(
  home: string,
  cluster: string,
  signal?: AbortSignal,
): Promise<Postmaster | undefined> {
  let readySince: number | undefined
  for (;;) {
    const sight = await lookForServer(home, cluster)
    if (sight === undefined) return undefined
    const { file, inode } = sight
    if (file?.status === 'ready') {
      const host = await findHost(home)
      const isOurs = host === undefined ? isPostmasterOf(file.pid, cluster) === true : sharesProcesses(host)
      const places = [...new Set([file.socketDir, insideSocketDirectory(home)])]
      for (const socketDir of places) {
        // If a parent directory was renamed while the server was running, the socket is in the second directory.
        if (await isAnswered(socketDir, file.pid)) return { pid: file.pid, socketDir, inode, isOurs }
      }
      readySince ??= Date.now()
      // A refusal comes from the kernel: the postmaster is gone, and its last processes are ending.
      const isGone = await Promise.all(places.map((place) => isRefused(place))).then((all) => all.some(Boolean))
      if (Date.now() - readySince > (isGone ? orphansMs : silenceMs)) throw unreachable(home, file, isOurs)
    }
    await pause(signal)
  }
}

function unreachable(home: string, { pid, socketDir }: PostmasterFile, isOurs: boolean): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    isOurs
      ? `The running database (process ${pid}) does not respond on its socket in ${socketDir}: stop it with "kill -INT ${pid}" and start again`
      : `A database uses ${home} in another container or namespace, and its socket in ${socketDir} cannot be reached: run the command there (docker exec, kubectl exec), or stop that database first. Nothing was changed`,
  )
}

/** Returns whether the earlier server is still running, including processes about to end. */
export async function isPresent(postmaster: Postmaster, home: string): Promise<boolean> {
  const { pid, inode } = postmaster
  const sight = await lookForServer(home, join(home, 'postgres'))
  return sight !== undefined && (inode === undefined ? sight.file?.pid === pid : sight.inode === inode)
}

/**
 * Starts a postmaster and waits until it accepts connections, including crash recovery. Undefined if another process
 * was faster. The postmaster runs in a session of its own, so that Ctrl-C does not reach it before Tillgate has stopped
 * in order, and does not keep this process alive.
 */
export async function startPostmaster(context: {
  home: string
  cluster: string
  binaries: Binaries
  account: Account
  memoryBytes: number
  settings: Record<string, string>
  environment: Record<string, string>
  logPath: string
  signal: AbortSignal | undefined
  meanwhile: (() => void) | undefined
}): Promise<Postmaster | undefined> {
  const { home, cluster, account } = context
  const deadline = Date.now() + orphansMs
  // Kept across attempts: the files of a crashed server name this directory only until the next server starts.
  let socketDir: string | undefined
  const giveUpDirectory = () => socketDir === undefined || removeSocketDirectory(socketDir, home)
  try {
    for (;;) {
      const former: PostmasterFile | undefined = await findPostmasterFile(cluster)
      if ((await lookForServer(home, cluster)) !== undefined) {
        if (socketDir !== former?.socketDir) await giveUpDirectory()
        return undefined
      }
      if (former !== undefined) await disarmPostmasterFile(cluster, former)
      const previous = former === undefined ? undefined : { directory: former.socketDir, pid: former.pid }
      socketDir ??= await makeSocketDirectory(home, account, previous)
      await keepHost(home)
      const presence = await takePlace(presencePath(home))
      const { inode } = presence
      const { pid, log } = await launch(context, socketDir, presence).finally(() => presence.end())
      if (pid !== undefined) return { pid, socketDir, inode, isOurs: true }
      // Processes of an old server that was started without a presence are still ending.
      const mayPass = reportsOther(log)
      if (!mayPass || Date.now() > deadline) {
        const other = await findOtherOwner(cluster, account)
        throw other === undefined ? describeFailure(log, context) : new EmbeddedDatabaseError(other)
      }
      await pause(context.signal, 50)
    }
  } catch (error) {
    await giveUpDirectory()
    throw error
  }
}

/**
 * Stops a postmaster at once but in order (open transactions are rolled back) and waits until all its processes are
 * gone. Resolves to false and stops nothing if it runs in another namespace: a signal would reach another process.
 */
export async function stopPostmaster(postmaster: Postmaster, home: string): Promise<boolean> {
  if (!(await isPresent(postmaster, home))) return true
  if (!postmaster.isOurs) return false
  try {
    process.kill(postmaster.pid, 'SIGINT')
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error
  }
  while (await isPresent(postmaster, home)) await pause(undefined)
  await forgetServer(postmaster, home)
  return true
}

/** Removes the traces of a server, unless another server has taken its place. */
async function forgetServer({ socketDir, inode }: Postmaster, home: string): Promise<void> {
  await removeSocketDirectory(socketDir, home)
  if (inode === undefined || (await inodeOf(presencePath(home))) !== inode) return
  await rm(presencePath(home), { force: true })
  await forgetHost(home)
}

/** Makes one attempt: resolves to the id of the ready server, or to the log of a server that ended. */
async function launch(
  context: Parameters<typeof startPostmaster>[0],
  socketDir: string,
  presence: Presence,
): Promise<{ pid?: number; log: string }> {
  const { cluster, binaries, account, memoryBytes, settings, environment, logPath, signal } = context
  signal?.throwIfAborted()
  const log = await openLog(logPath)
  try {
    const begin = (await log.stat()).size
    const args = ['-D', cluster, ...toArguments({ ...serverSettings(memoryBytes, socketDir), ...settings })]
    const child = spawn(binaries.postgres, args, {
      ...spawnIdentity(account),
      cwd: '/',
      env: { ...binaries.env, ...environment },
      detached: true,
      stdio: ['ignore', log.fd, log.fd, presence.fd],
    })
    let failure: unknown
    child.on('error', (error) => (failure = describeSpawnFailure(error, binaries.postgres, account)))
    child.unref()
    context.meanwhile?.()
    const hasEnded = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null
    try {
      while (!hasEnded()) {
        const file = await findPostmasterFile(cluster)
        // The status is checked too: an old file may have the same id where few ids exist.
        const isReady = file !== undefined && file.pid === child.pid && file.status === 'ready'
        if (isReady && (await isAnswered(socketDir, file.pid))) return { pid: file.pid, log: '' }
        await pause(signal)
      }
    } catch (error) {
      child.kill('SIGINT')
      while (!hasEnded()) await pause(undefined)
      throw error
    }
    if (failure !== undefined) throw failure
    const end = (await log.stat()).size
    const length = Math.min(end - begin, 65_536)
    const { buffer } = await log.read(Buffer.alloc(length), 0, length, end - length)
    return { log: buffer.toString('utf8') }
  } finally {
    await log.close()
  }
}

/** Opens the log for the server, as a new file when the old one has grown large; the old file is kept as `.1`. */
async function openLog(path: string) {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size > logLimitBytes) await rename(path, `${path}.1`)
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const log = await open(path, flags, 0o600)
  const { uid, gid } = await stat(dirname(path))
  if (process.getuid?.() === 0) await log.chown(uid, gid)
  return log
}

/** Returns a message if the cluster does not belong to the server's account, as after root unpacked an archive. */
async function findOtherOwner(cluster: string, { uid, name }: Account): Promise<string | undefined> {
  const found = await stat(join(cluster, 'PG_VERSION')).catch(() => undefined)
  if (found === undefined || uid === -1 || found.uid === uid) return undefined
  return `The database in ${cluster} belongs to the user ${found.uid}, and its server runs as ${name}, which cannot open it: chown -R ${uid} ${cluster}`
}

function describeFailure(log: string, context: { cluster: string; logPath: string }): EmbeddedDatabaseError {
  const end = log.trimEnd().split('\n').slice(-8).join('\n')
  const noRoom = findNoRoom(log)
  const message = noRoom
    ? `The database in ${context.cluster} did not start because ${noRoom}`
    : `The database in ${context.cluster} did not start; the end of its log (${context.logPath}):`
  return new (noRoom ? NoRoomError : EmbeddedDatabaseError)(`${message}\n${end}`)
}
