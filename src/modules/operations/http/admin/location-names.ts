import { Type } from 'typebox'
import { plain } from '../../../search/domain/search.ts'
import { validationFailed } from '../../../../core/contract/errors/errors.ts'
import type { AdminLocationName } from '../../schemas/admin.ts'
import type { Location } from '../../../../core/contract/location/schema.ts'
import { closed, isUuid } from '../../../../core/contract/scalars.ts'
import type { Pool } from '../../../../core/store/db/database.ts'
import { listLocationNames, type LocationName } from '../../../../core/contract/location/rows.ts'
import type { Process } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { named, operation } from '../../../../core/http/reference/route-schema.ts'
import { checkCursor, locationsAtOnce, pageQuery } from '../../../../core/http/parameters/location-pages.ts'

/** Selects names of locations: by ids, or by a text that they match. */
const NameQuery = Type.Object(
  {
    ...pageQuery,
    q: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Only locations whose name, city or id contains this text; case and accents are ignored.',
        examples: ['bistro'],
      }),
    ),
    ids: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: `Only these ids, separated by commas; at most ${locationsAtOnce}.`,
      }),
    ),
  },
  closed,
)

/** Limits of a search for a name: rows per statement, and statements per request. A page may end before it is full. */
const looked = { rows: 500, times: 10 }

function toName({ id, withoutDevices, timeZone, currency, deactivatedAt }: LocationName): AdminLocationName {
  const { name, city } = JSON.parse(withoutDevices) as Location
  return { id, name, city, timeZone, currency, deactivatedAt: deactivatedAt?.toISOString() ?? null }
}

/** Reads the ids of a query. Throws 400 for text that is not an id. */
function readIds(text: string): string[] {
  const ids = text.split(',').map((id) => id.trim().toLowerCase())
  if (ids.length <= locationsAtOnce && ids.every(isUuid)) return ids
  const detail = `ids must list at most ${locationsAtOnce} UUIDs, separated by commas`
  throw validationFailed([{ in: 'query', pointer: '/ids', code: 'invalid_value', detail }])
}

/** Finds a page of the matching locations, and the start of the next page. */
async function findNames(pool: Pool, q: string, { after, size }: { after: string | null; size: number }) {
  const wanted = plain(q.trim())
  const data: AdminLocationName[] = []
  let at = after
  for (let turn = 0; turn < looked.times; turn += 1) {
    const rows = await listLocationNames(pool, { ids: null, after: at, limit: looked.rows })
    for (const row of rows) {
      if (data.length === size) return { data, meta: { next: at } }
      at = row.id
      const one = toName(row)
      if ([one.name, one.city, one.id].some((text) => plain(text).includes(wanted))) data.push(one)
    }
    if (rows.length < looked.rows) return { data, meta: { next: null } }
  }
  return { data, meta: { next: at } }
}

export function adminLocationNameRoutes(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/admin/locations/names',
    {
      config: { scope: 'admin' },
      schema: operation({
        tags: ['Admin'],
        operationId: 'adminListLocationNames',
        answer: 'Page of names, ordered by id.',
        summary: 'Find locations by name',
        description:
          'Returns names of locations, including deactivated ones, for selection lists or to show next to an id. With `q`, a page may have fewer ' +
          'entries than `size`, or none, although `meta.next` is set.',
        query: NameQuery,
        answers: { 200: named('AdminLocationNamePage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { q = '', ids, size = locationsAtOnce, cursor } = request.query
      const after = checkCursor(cursor)
      if (ids === undefined) return findNames(pool, q, { after, size })
      const rows = await listLocationNames(pool, { ids: readIds(ids), after, limit: size + 1 })
      const data = rows.slice(0, size).map(toName)
      return { data, meta: { next: rows.length > size ? (data.at(-1)?.id ?? null) : null } }
    },
  )
}
