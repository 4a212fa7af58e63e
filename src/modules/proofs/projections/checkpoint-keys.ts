import type { CheckpointKeys } from '../schemas/checkpoints.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listCheckpoints, readCheckpoints } from '../store/checkpoints.ts'

/** This many checkpoints are read at once. */
const atOnce = 500

/** Lists the keys that signed checkpoints of a location, the newest first. Reads every checkpoint. */
export async function listKeys(sql: Sql, locationId: string): Promise<CheckpointKeys['data']> {
  const keys = new Map<string, CheckpointKeys['data'][number]>()
  for (let offset = 0; ; offset += atOnce) {
    const { rows } = await listCheckpoints(sql, locationId, { offset, limit: atOnce })
    for (const { size, keys: of, rotation } of await readCheckpoints(sql, locationId, rows)) {
      for (const [i, key] of of.entries()) {
        const known = keys.get(key) ?? { key, firstSize: size, lastSize: size, rotation: null }
        keys.set(key, { ...known, firstSize: size, rotation: i === 0 ? (rotation ?? known.rotation) : known.rotation })
      }
    }
    if (rows.length < atOnce) return [...keys.values()]
  }
}
