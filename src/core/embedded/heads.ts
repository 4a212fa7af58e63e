import { join } from 'node:path'
import { findText, writePrivateFile } from './files.ts'
import { withLock } from './lock.ts'

/**
 * Reads the acknowledged head of each journal by location id. Stored next to the cluster, not in it, to detect a
 * restored older cluster. Empty if nothing was stored.
 */
export async function readHeads(home: string): Promise<Map<string, number>> {
  const lines = ((await findText(headsPath(home))) ?? '').split('\n')
  const pairs = lines.map((line) => /^([0-9a-f-]{36}) ([0-9]{1,15})$/.exec(line))
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', Number(pair[2])]] : [])))
}

/** Raises the stored heads; a stored head that is higher stays. Several processes may call this at once. */
export async function raiseHeads(home: string, raised: ReadonlyMap<string, number>): Promise<void> {
  await withLock(join(home, 'postgres.heads-lock'), undefined, async () => {
    const heads = await readHeads(home)
    for (const [id, seq] of raised) heads.set(id, Math.max(heads.get(id) ?? 0, seq))
    await writePrivateFile(headsPath(home), [...heads].map(([id, seq]) => `${id} ${seq}\n`).join(''))
  })
}

export const headsPath = (home: string): string => join(home, 'postgres.heads')

/** Reads the highest timeline used of each cluster, by system identifier. */
export async function readTimelines(home: string): Promise<Map<string, string>> {
  const lines = ((await findText(timelinesPath(home))) ?? '').split('\n')
  const pairs = lines.map((line) => /^(\d{1,20}) ([0-9A-F]{8})$/.exec(line))
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? '']] : [])))
}

/** Raises the stored timelines; with `lowers` it stores the given ones, for a server that an operator decided to continue with. */
export async function keepTimelines(
  home: string,
  known: ReadonlyMap<string, string>,
  { lowers = false } = {},
): Promise<void> {
  const raised = (kept: ReadonlyMap<string, string>) =>
    [...known].filter(([system, timeline]) => lowers || timeline > (kept.get(system) ?? ''))
  // Compared before locking: this is called every second, and a lock writes to the disk.
  if (raised(await readTimelines(home)).length === 0) return
  await withLock(join(home, 'postgres.heads-lock'), undefined, async () => {
    const kept = await readTimelines(home)
    for (const [system, timeline] of raised(kept)) {
      // Moved to the end of the list: if there are too many clusters, the first ones are dropped.
      kept.delete(system)
      kept.set(system, timeline)
    }
    const lines = [...kept].slice(-clustersKept).map(([system, timeline]) => `${system} ${timeline}\n`)
    await writePrivateFile(timelinesPath(home), lines.join(''))
  })
}

const clustersKept = 100

const timelinesPath = (home: string) => join(home, 'postgres.timelines')
