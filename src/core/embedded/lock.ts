import { randomBytes } from 'node:crypto'
import { link, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isSystemError } from './error.ts'
import { askHolding, bePresent } from './presence.ts'
import { pause } from './processes.ts'

const draftAgeMs = 60_000

/**
 * Runs `work` while this call alone, among all processes and calls of this machine, holds the lock at `path`. A lock
 * whose process is gone is taken over. Waits as long as the holder lives, or until `signal` is aborted. A call that
 * takes the lock begins a presence at `<path>.<number>`; the highest number has the lock. The file stays until the next
 * presence has begun, so numbers only rise, and a file that was just created is never removed.
 */
export async function withLock<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const draft = `${path}.draft-${randomBytes(6).toString('hex')}`
  const presence = await bePresent(draft)
  try {
    const turn = await takeTurn(path, draft, signal)
    await rm(draft, { force: true })
    for (const number of await listTurns(path)) if (number < turn) await rm(`${path}.${number}`, { force: true })
    await sweepDrafts(path)
    return await work()
  } finally {
    await presence.end()
  }
}

async function takeTurn(path: string, draft: string, signal: AbortSignal | undefined): Promise<number> {
  for (;;) {
    const last = (await listTurns(path)).at(-1) ?? 0
    if (last > 0 && (await askHolding(`${path}.${last}`)) === 'held') await pause(signal)
    else if (await linked(draft, `${path}.${last + 1}`)) {
      const mine = last + 1
      if ((await listTurns(path)).at(-1) === mine) return mine
      // Other calls took the lock after the first listing, so this number is no longer the highest.
      await rm(`${path}.${mine}`, { force: true })
    }
  }
}

/** Lists the numbers of the lock's files, in ascending order. */
async function listTurns(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`
  const names = await readdir(dirname(path))
  const texts = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  return texts
    .filter((text) => /^[0-9]{1,15}$/.test(text))
    .map(Number)
    .toSorted((a, b) => a - b)
}

/** Returns whether a name in a directory belongs to a lock at `path`. */
export const isLockName = (path: string, name: string): boolean => name.startsWith(`${basename(path)}.`)

/** Removes the files of processes that were killed while they waited. */
async function sweepDrafts(path: string): Promise<void> {
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.draft-`)) continue
    const draft = join(dirname(path), name)
    const made = (await stat(draft).catch(() => undefined))?.ctimeMs ?? Date.now()
    // A new file exists a moment before its process listens.
    if (Date.now() - made > draftAgeMs && (await askHolding(draft)) === 'free') await rm(draft, { force: true })
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
