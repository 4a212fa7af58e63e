import { setImmediate } from 'node:timers/promises'
import { Type } from 'typebox'
import { catalogChanges } from './changes.ts'
import { validationFailed } from '../errors/errors.ts'
import { catalogLists, type CatalogList, type CatalogVersionPage } from './schema.ts'
import { Choice, closed } from '../scalars.ts'
import { AtOnce } from '../../projections/at-once.ts'
import { findCatalogBytes, listCatalogVersions, type CatalogVersionRow } from './rows.ts'
import type { Reading, Process } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { readHead } from '../../http/parameters/feed-cursor.ts'
import { reachNumber, readFresh } from '../../http/answers/freshness.ts'
import { sendStored } from '../../http/answers/replies.ts'
import { listOf, named, operation } from '../../http/reference/route-schema.ts'
import { cursorQuery } from '../../http/parameters/time-cursor.ts'

/** The four documented lists (specification 9.4). They differ only in path and schema. */
const lists: { list: CatalogList; url: string; schema: string; what: string }[] = [
  { list: 'products', url: '/v1/catalog/', schema: 'CatalogProduct', what: 'products' },
  { list: 'modifiers', url: '/v1/catalog/modifiers/', schema: 'CatalogModifierGroup', what: 'modifier groups' },
  { list: 'payments', url: '/v1/catalog/payments/', schema: 'CatalogPayment', what: 'payment methods' },
  { list: 'taxes', url: '/v1/catalog/taxes/', schema: 'CatalogTax', what: 'taxes' },
]

/** The answer for a location whose till has not pushed the list yet. */
const nothing = Buffer.from('[]')

/** Maximum number of versions on a page of changes. */
const versionsAtMost = 50

/** Maximum size of the documents that one response compares, in bytes. */
const versionBytes = 8 * 1024 * 1024

/** Maximum number of changes listed for one version; the total is given as well. */
const listedChanges = 200

const ChangesQuery = Type.Object(
  {
    list: Type.Optional(
      Choice(Object.keys(catalogLists) as CatalogList[], { default: 'products', description: 'The catalog list.' }),
    ),
    ...cursorQuery(versionsAtMost),
  },
  closed,
)

/** Reads the number from a `meta.next` of the list of changes; null if it is absent. Throws 400 for anything else. */
function readSequence(cursor: string | undefined): number | null {
  if (cursor === undefined) return null
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor)
  const detail = 'cursor must be `meta.next` of a page of this list'
  throw validationFailed([{ in: 'query', pointer: '/cursor', code: 'invalid_cursor', detail }])
}

/** Compares each version with the next, older one. The last row is not returned, unless it is the first version. */
async function toVersions(rows: readonly CatalogVersionRow[], size: number): Promise<CatalogVersionPage> {
  const versions = rows.slice(
    0,
    Math.max(1, Math.min(size, rows.at(-1)?.prevSeq === null ? rows.length : rows.length - 1)),
  )
  const data: CatalogVersionPage['data'] = []
  for (const [at, { seq, acceptedAt, document }] of versions.entries()) {
    const changes = await catalogChanges(rows[at + 1]?.document ?? null, document, setImmediate)
    const count = (wanted: string) => changes.filter(({ kind }) => kind === wanted).length
    const counts = { added: count('added'), changed: count('changed'), removed: count('removed') }
    const some = { ...counts, changes: changes.slice(0, listedChanges) }
    data.push({ sequence: seq, acceptedAt: acceptedAt.toISOString(), ...some })
  }
  const next = versions.at(-1)?.prevSeq ?? null
  return { data, meta: { next: next === null ? null : String(next) } }
}

function catalogChangesRoute(app: App, context: Reading & Process): void {
  // Serves one request per location at a time, because each reads and parses up to 8 MiB of versions.
  const compared = new AtOnce(1)
  app.get(
    '/v1/catalog/changes/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Catalog'],
        operationId: 'listCatalogChanges',
        answer: 'Versions of the list, newest first.',
        summary: 'List changes of the catalog',
        description:
          'Each version of a list that a till pushed, compared with the previous one: entries added and removed, and the ' +
          'fields that differ. A page ends early when its versions exceed 8 MiB.',
        query: ChangesQuery,
        isNumbered: true,
        answers: { 200: named('CatalogVersionPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply): Promise<CatalogVersionPage> => {
      const { list = 'products', cursor, size = versionsAtMost } = request.query
      const from = readSequence(cursor)
      const limits = { from, entries: size + 1, bytes: versionBytes }
      await reachNumber(context, request)
      // Read first: the page then includes every change up to this sequence.
      const { seq } = await readHead(context, request)
      reply.header('tillgate-sequence', seq)
      const { locationId } = request.key
      return compared.run(locationId, async () => {
        const rows = await listCatalogVersions(context.pool, locationId, list, limits)
        request.handedOut = { documents: rows.length }
        return toVersions(rows, size)
      })
    },
  )
}

/**
 * Adds the operations of the catalog (specification 9.4). A till pushes each list as one document; a read returns the
 * stored bytes with an ETag. Before the first push the answer is an empty list, not 404.
 */
export function catalogRoutes(app: App, context: Reading & Process): void {
  catalogChangesRoute(app, context)
  for (const { list, url, schema, what } of lists) {
    app.get(
      url,
      {
        config: { scope: 'read' },
        schema: operation({
          contract: true,
          operationId: `listCatalog${list.charAt(0).toUpperCase()}${list.slice(1)}`,
          headers: ['ETag'],
          answer: `All ${what} as last pushed by the till; empty before the first push.`,
          summary: `List the ${what} of the catalog`,
          description: 'Returns the complete list configured on the POS as a plain array.',
          isNumbered: true,
          answers: { 200: listOf(schema) },
          problems: ['scope_missing'],
        }),
      },
      async (request, reply) => {
        const { document = nothing, version } = await readFresh(context, request, reply, ({ reader }) =>
          findCatalogBytes(reader, request.key.locationId, list),
        )
        return sendStored(request, reply, { document, version })
      },
    )
  }
}
