import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { askHolding, bePresent, type Presence } from './presence.ts'

const prefix = 'postgres.user.'

/**
 * Registers in the data directory that this process uses the server, until the presence ends. The caller holds the lock
 * of the data directory.
 */
export async function addUser(dataDir: string): Promise<Presence> {
  return bePresent(join(dataDir, prefix + randomBytes(6).toString('hex')))
}

/** Counts the live processes that use the server, and removes the entries of ended ones. The caller holds the lock. */
export async function countUsers(dataDir: string): Promise<number> {
  let live = 0
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(prefix)) continue
    if ((await askHolding(join(dataDir, name))) === 'held') live += 1
    else await rm(join(dataDir, name), { force: true })
  }
  return live
}
