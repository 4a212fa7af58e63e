import { Type } from 'typebox'
import { validationFailed } from '../../contract/errors/errors.ts'
import { isUuid } from '../../contract/scalars.ts'
import type { Pool } from '../../store/db/database.ts'
import { listSomeLocations } from '../../contract/location/rows.ts'
import { cursorQuery } from './time-cursor.ts'

/** Maximum locations per response: on Citus, a page needs one statement per shard. */
export const locationsAtOnce = 50

/** Parameters of every list of the installation: `size`, and the cursor of the page before. */
export const pageQuery = cursorQuery(locationsAtOnce)

/** Limits a list of the installation to one location. */
export const locationParameter = Type.Optional(Type.String({ format: 'uuid', description: 'Only for this location.' }))

/** Returns the id after which a page begins; null at the beginning. Throws 400 for a cursor that is not a `meta.next`. */
export function checkCursor(cursor: string | undefined): string | null {
  if (cursor === undefined || isUuid(cursor)) return cursor ?? null
  const detail = 'cursor must be `meta.next` of a page of this list'
  throw validationFailed([{ in: 'query', pointer: '/cursor', code: 'invalid_cursor', detail }])
}

/**
 * Reads pages of locations until the caller has enough: `look` returns whether to continue. Resolves to the cursor
 * after the last page read; null at the end.
 */
export async function walkLocations(
  pool: Pool,
  query: { size?: number; cursor?: string; location?: string },
  look: (ids: readonly string[]) => Promise<boolean>,
): Promise<{ next: string | null }> {
  let at = query
  for (;;) {
    const { ids, meta } = await locationPage(pool, at)
    if (!(await look(ids)) || meta.next === null) return meta
    at = { ...query, cursor: meta.next }
  }
}

/** Reads a page of locations by id; with `location` only that one. Throws 400 for a cursor that is not a `meta.next`. */
export async function locationPage(
  pool: Pool,
  { size = locationsAtOnce, cursor, location }: { size?: number; cursor?: string; location?: string },
) {
  const ids = location === undefined ? null : [location.toLowerCase()]
  const found = await listSomeLocations(pool, { ids, after: checkCursor(cursor), limit: size + 1 })
  const rows = found.slice(0, size)
  return { rows, ids: rows.map(({ id }) => id), meta: { next: found.length > size ? (rows.at(-1)?.id ?? null) : null } }
}
