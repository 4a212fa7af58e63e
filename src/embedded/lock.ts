import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { isSystemError } from './error.ts'
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
  const draft = `${path}.${nonce}`
  try {
    await writeFile(draft, mine, { mode: 0o644, flag: 'wx' })
    while (!(await linked(draft, path))) {
      const theirs = await readFile(path, 'utf8').catch(() => undefined)
      if (theirs === undefined) continue
      if (isRunning(theirs.slice(0, theirs.lastIndexOf(' ')))) await pause(signal)
      else await removeDead(path, theirs, `${draft}.dead`)
    }
  } finally {
    await rm(draft, { force: true })
  }
  try {
    return await work()
  } finally {
    if ((await readFile(path, 'utf8').catch(() => '')) === mine) await rm(path, { force: true })
  }
}

/** A link puts the lock there with its content in one step: nobody ever reads a half-written one. */
async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
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
  if ((await readFile(aside, 'utf8')) !== dead) await linked(aside, path)
  await rm(aside, { force: true })
}
