import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProcessMark, isRunning } from './processes.ts'

const prefix = 'postgres.user.'

/**
 * Writes down in the data directory that this process uses the server, and returns the path of the entry. The caller
 * holds the lock of the data directory. Entries of processes that are gone do not count and are swept.
 */
export async function addUser(dataDir: string): Promise<string> {
  const entry = join(dataDir, prefix + randomBytes(6).toString('hex'))
  await writeFile(entry, findProcessMark(process.pid) ?? '', { mode: 0o644, flag: 'wx' })
  return entry
}

/** Counts the live processes that use the server. The caller holds the lock of the data directory. */
export async function countUsers(dataDir: string): Promise<number> {
  let live = 0
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(prefix)) continue
    const mark = await readFile(join(dataDir, name), 'utf8').catch(() => '')
    if (isRunning(mark)) live += 1
    else await rm(join(dataDir, name), { force: true })
  }
  return live
}
