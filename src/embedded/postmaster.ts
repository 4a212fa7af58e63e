import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { spawnIdentity, type Account } from './accounts.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedDatabaseError, isSystemError, tellsFullDisk } from './error.ts'
import { disarmPostmasterFile, findPostmasterFile, type PostmasterFile } from './postmaster-file.ts'
import { describeSpawnFailure, findProcessMark, isRunning, pause } from './processes.ts'
import { serverSettings, toArguments } from './settings.ts'
import { insideSocketDirectory, isAnswered, makeSocketDirectory, removeSocketDirectory } from './socket-directory.ts'

/** This is a postmaster that takes connections. `mark` tells it from a later process with the same id. */
export type Postmaster = { pid: number; mark: string; socketDir: string }

const logLimitBytes = 10 * 2 ** 20

/** A server that calls itself ready may leave its socket unanswered for so long. */
const silenceMs = 5000

/** How long the processes of a killed postmaster may take to notice that it is gone. */
const orphansMs = 20_000

/**
 * Finds the postmaster of the cluster, which is waited for while it starts or recovers, and waited out while it stops.
 * Undefined when none runs.
 */
export async function findPostmaster(
  home: string,
  cluster: string,
  signal?: AbortSignal,
): Promise<Postmaster | undefined> {
  let readySince: number | undefined
  for (;;) {
    const file = await findPostmasterFile(cluster)
    if (file?.mark === undefined) return undefined
    if (file.status === 'ready') {
      // The second place counts when a directory above was renamed under a running server.
      for (const socketDir of [file.socketDir, insideSocketDirectory(home)]) {
        if (await isAnswered(socketDir, file.pid)) return { pid: file.pid, mark: file.mark, socketDir }
      }
      readySince ??= Date.now()
      if (Date.now() - readySince > silenceMs) {
        throw new EmbeddedDatabaseError(
          `The running database (process ${file.pid}) does not answer on its socket in ${file.socketDir}: stop it with "kill -INT ${file.pid}" and start again`,
        )
      }
    }
    await pause(signal)
  }
}

/**
 * Starts a postmaster and waits until it takes connections, recovery of a crash included. Undefined when another process
 * was quicker. It runs in a session of its own, so that Ctrl-C does not reach it before Tillgate has stopped in order,
 * and does not keep this process alive.
 */
export async function startPostmaster(context: {
  home: string
  cluster: string
  binaries: Binaries
  account: Account
  memoryBytes: number
  settings: Record<string, string>
  logPath: string
  signal: AbortSignal | undefined
}): Promise<Postmaster | undefined> {
  const { home, cluster, account } = context
  const deadline = Date.now() + orphansMs
  // The same in each round: a server that crashed is known by what it left only until the next one was started.
  let socketDir: string | undefined
  const giveUpDirectory = () => socketDir === undefined || removeSocketDirectory(socketDir, home)
  try {
    for (;;) {
      const former: PostmasterFile | undefined = await findPostmasterFile(cluster)
      if (former?.mark !== undefined) {
        if (socketDir !== former.socketDir) await giveUpDirectory()
        return undefined
      }
      if (former !== undefined) await disarmPostmasterFile(cluster, former)
      const previous = former === undefined ? undefined : { directory: former.socketDir, pid: former.pid }
      socketDir ??= await makeSocketDirectory(home, account, previous)
      const { pid, log } = await launch(context, socketDir)
      if (pid !== undefined) return { pid, mark: findProcessMark(pid) ?? '', socketDir }
      // Another process may have been quicker, which the next round sees; or the old server's processes still end.
      const mayPass = /lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(log)
      if (!mayPass || Date.now() > deadline) throw describeFailure(log, context)
      await pause(context.signal, 50)
    }
  } catch (error) {
    await giveUpDirectory()
    throw error
  }
}

/** Stops a postmaster at once but in order (open transactions are rolled back) and waits until it is gone. */
export async function stopPostmaster(postmaster: Postmaster, home: string): Promise<void> {
  try {
    if (isRunning(postmaster.mark)) process.kill(postmaster.pid, 'SIGINT')
  } catch (error) {
    if (!isSystemError(error, 'ESRCH')) throw error
  }
  while (isRunning(postmaster.mark)) await pause(undefined)
  await removeSocketDirectory(postmaster.socketDir, home)
}

/** Makes one attempt: it resolves to the id of the ready server, or without it to what it logged before it ended. */
async function launch(
  context: Parameters<typeof startPostmaster>[0],
  socketDir: string,
): Promise<{ pid?: number; log: string }> {
  const { cluster, binaries, account, memoryBytes, settings, logPath, signal } = context
  signal?.throwIfAborted()
  const log = await openLog(logPath)
  try {
    const begin = (await log.stat()).size
    const args = ['-D', cluster, ...toArguments({ ...serverSettings(memoryBytes, socketDir), ...settings })]
    const child = spawn(binaries.postgres, args, {
      ...spawnIdentity(account),
      cwd: '/',
      env: binaries.env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    let failure: unknown
    child.on('error', (error) => (failure = describeSpawnFailure(error, binaries.postgres, account)))
    child.unref()
    const hasEnded = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null
    try {
      while (!hasEnded()) {
        const file = await findPostmasterFile(cluster)
        if (file?.pid === child.pid && file?.status === 'ready') return { pid: file?.pid ?? 0, log: '' }
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

/** Opens the log for the server, as a new file when the old one has grown large; the one before is kept as `.1`. */
async function openLog(path: string) {
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size > logLimitBytes) await rename(path, `${path}.1`)
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW
  const log = await open(path, flags, 0o600)
  const { uid, gid } = await stat(dirname(path))
  if (process.getuid?.() === 0) await log.chown(uid, gid)
  return log
}

function describeFailure(log: string, context: { cluster: string; logPath: string }): EmbeddedDatabaseError {
  const end = log.trimEnd().split('\n').slice(-8).join('\n')
  const message = tellsFullDisk(log)
    ? `The database in ${context.cluster} did not start because the disk is full: free some space and start again`
    : `The database in ${context.cluster} did not start; the end of its log (${context.logPath}):`
  return new EmbeddedDatabaseError(`${message}\n${end}`)
}
