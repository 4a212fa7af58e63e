import { join } from 'node:path'
import { findText, writePrivateFile } from './files.ts'
import { withLock } from './lock.ts'

/**
 * Reads how far the journal of each location was acknowledged at least, by location id. It stands beside the cluster and not in
 * it, so that a cluster that went back to an older state can be told. Empty when nothing was kept.
 */
export async function readHeads(home: string): Promise<Map<string, number>> {
  const lines = ((await findText(headsPath(home))) ?? '').split('\n')
  const pairs = lines.map((line) => /^([0-9a-f-]{36}) ([0-9]{1,15})$/.exec(line))
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', Number(pair[2])]] : [])))
}

/** Raises what is kept. Several processes may, and each leaves what another has raised further. */
export async function raiseHeads(home: string, raised: ReadonlyMap<string, number>): Promise<void> {
  await withLock(join(home, 'postgres.heads-lock'), undefined, async () => {
    const heads = await readHeads(home)
    for (const [id, seq] of raised) heads.set(id, Math.max(heads.get(id) ?? 0, seq))
    await writePrivateFile(headsPath(home), [...heads].map(([id, seq]) => `${id} ${seq}\n`).join(''))
  })
}

export function headsPath(home: string): string {
  return join(home, 'postgres.heads')
}
