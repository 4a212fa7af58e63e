import { randomBytes } from 'node:crypto'
import { link, rename, rm, writeFile } from 'node:fs/promises'
import { isSystemError } from './error.ts'
import { findText } from './files.ts'
import { findProcessMark, isRunning, pause } from './processes.ts'

/**
 * Runs `work` while this call alone, among all processes and calls, holds the lock file at `path`. A lock whose process
 * is gone is taken over. Waits as long as the holder lives, or until `signal` is aborted.
 *
 * The lock saves double work and lets the last user stop the server; the data does not hang on it: a cluster appears by
 * one rename, and PostgreSQL itself refuses a second postmaster on it.
 */
export async function withLock<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const nonce = randomBytes(6).toString('hex')
  const mine = `${findProcessMark(process.pid)} ${nonce}`
  for (;;) {
    const theirs = await findText(path)
    if (theirs === undefined) {
      if (await placeLock(path, mine, `${path}.${nonce}`)) break
    } else if (isRunning(theirs.slice(0, theirs.lastIndexOf(' ')))) await pause(signal)
    else await removeDead(path, theirs, `${path}.${nonce}`)
  }
  try {
    return await work()
  } finally {
    if ((await findText(path).catch(() => undefined)) === mine) await rm(path, { force: true })
  }
}

/**
 * Resolves to false when another process was quicker. A link creates the lock with its text in one step, so that it is
 * never read half-written.
 */
async function placeLock(path: string, text: string, draft: string): Promise<boolean> {
  try {
    await writeFile(draft, text, { mode: 0o644, flag: 'wx' })
    return await linked(draft, path)
  } finally {
    await rm(draft, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

/** Takes a dead lock away. When another process was quicker and a live lock is caught instead, it goes back. */
async function removeDead(path: string, dead: string, aside: string): Promise<void> {
  try {
    await rename(path, aside)
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return
    throw error
  }
  if ((await findText(aside)) !== dead) await linked(aside, path)
  await rm(aside, { force: true })
}
