import { join } from 'node:path'
import { findText, writePrivateFile } from '../../../../core/embedded/files.ts'
import { withLock } from '../../../../core/embedded/lock.ts'

/**
 * How far a journal was verified: an entry with its hash, the time, and the time of the last verification from its
 * first entry on.
 */
export type VerifiedHead = { epoch: string; seq: number; hash: string; at: Date; wholeAt: Date }

const line = /^([0-9a-f-]{36}) ([0-9a-f]{8}) ([0-9]{1,15}) ([0-9a-f]{64}) (\S+) (\S+)$/

/**
 * Reads how far each journal was verified, by location id; empty if nothing was verified. The file is outside the
 * database, so write access to the database alone cannot change it.
 */
export async function readVerified(home: string): Promise<Map<string, VerifiedHead>> {
  const found = new Map<string, VerifiedHead>()
  for (const text of ((await findText(verifiedPath(home))) ?? '').split('\n')) {
    const [, id, epoch, seq, hash, at, wholeAt] = line.exec(text) ?? []
    if (id === undefined || epoch === undefined || hash === undefined) continue
    found.set(id, { epoch, seq: Number(seq), hash, at: new Date(String(at)), wholeAt: new Date(String(wholeAt)) })
  }
  return found
}

/** Stores how far a journal was verified. */
export async function keepVerified(home: string, id: string, head: VerifiedHead): Promise<void> {
  await withLock(join(home, 'postgres.verified-lock'), undefined, async () => {
    const heads = await readVerified(home)
    heads.set(id, head)
    const lines = [...heads].map(
      ([of, { epoch, seq, hash, at, wholeAt }]) =>
        `${of} ${epoch} ${seq} ${hash} ${at.toISOString()} ${wholeAt.toISOString()}\n`,
    )
    await writePrivateFile(verifiedPath(home), lines.join(''))
  })
}

function verifiedPath(home: string): string {
  return join(home, 'postgres.verified')
}
