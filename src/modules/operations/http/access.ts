import { Type } from 'typebox'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { DatedPageQuery } from '../../../core/contract/paging/schema.ts'
import { closed, isUuid } from '../../../core/contract/scalars.ts'
import type { ActEntry, ReadsEntry } from '../../../core/schemas/access.ts'
import {
  findAccessHead,
  listAccess,
  listCallerNames,
  type AccessEntry,
  type AccessHead,
} from '../../../core/store/accounts/access.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import type { Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { readDates } from '../../../core/contract/paging/query-dates.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

/** Selects entries of the access log by number, like the journal. */
const Query = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Continue after this sequence.',
      }),
    ),
    since: DatedPageQuery.since,
    limit: Type.Optional(
      Type.Integer({
        default: 100,
        minimum: 1,
        maximum: 1000,
        'x-capped': true,
        description: 'Page size, at most 1,000.',
      }),
    ),
  },
  closed,
)

type LoggedEntry = Omit<ReadsEntry, 'sequence' | 'at'> | Omit<ActEntry, 'sequence' | 'at'>

/** Puts entries into the shape of the response: number, time and content, with the names of their keys and sessions. */
export async function toAccess(pool: Pool, entries: readonly AccessEntry[]): Promise<(ReadsEntry | ActEntry)[]> {
  const read = entries.map(({ seq, at, document }) => ({
    sequence: seq,
    at: at.toISOString(),
    ...(JSON.parse(document) as LoggedEntry),
  }))
  const ids = read.flatMap((entry) => (entry.kind === 'reads' ? [entry.keyId] : [entry.by, entry.subject ?? '']))
  const names = await listCallerNames(pool, [...new Set(ids.filter(isUuid))])
  const named = (field: 'keyName' | 'byName' | 'subjectName', id: string | null) => {
    const name = id === null ? undefined : names.get(id)
    return name === undefined ? {} : { [field]: name }
  }
  return read.map((entry) =>
    entry.kind === 'reads'
      ? { ...entry, ...named('keyName', entry.keyId) }
      : { ...entry, ...named('byName', entry.by), ...named('subjectName', entry.subject) },
  )
}

/** Throws `sequence_ahead` for a number that this log does not have: it was restored to an earlier state. */
function assertLogged(head: AccessHead | undefined, after: number): void {
  const ends = head?.seq ?? 0
  if (after <= ends) return
  const detail = `after must be at most ${ends}, the last number of the access log, not ${after}: if you have read beyond it, the log was restored to an earlier state`
  throw new AppError('sequence_ahead', detail, { members: { head: ends } })
}

/**
 * Adds the operation that lists the access log of the location: who read its data, and administrative acts
 * (docs/inside/11-access.md).
 */
export function accessRoutes(app: App, context: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/access/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Location'],
        operationId: 'listAccess',
        answer: 'Entries of the access log after the given sequence.',
        summary: 'Read the access log',
        description:
          'Returns requests, refusals, returned documents and the requested range, by key, operation and minute; and each manual action, ' +
          'such as the creation of a key or the display of a secret. Updated about once a minute. Only for keys of the ' +
          'whole location: keys with a recipient are refused.',
        query: Query,
        answers: { 200: named('AccessPage') },
        problems: ['scope_missing', 'recipient_forbidden', 'sequence_ahead'],
      }),
    },
    async (request) => {
      const { locationId, recipientId } = request.key
      if (recipientId !== null) {
        throw new AppError(
          'recipient_forbidden',
          'the access log cannot be read with a key of a recipient: use another key',
        )
      }
      const { after = 0, limit = 100, since } = request.query
      const from = since === undefined ? null : new Date(readDates({ since }).range.first)
      // The head is read first, so that a reader that continues from it misses no entry that is written during the
      // read.
      const head = await findAccessHead(context.pool, locationId)
      assertLogged(head, after)
      const entries = await listAccess(context.pool, locationId, { after, since: from, limit })
      const next = entries.at(-1)?.seq ?? head?.seq ?? 0
      return { data: await toAccess(context.pool, entries), meta: { next, head: Math.max(head?.seq ?? 0, next) } }
    },
  )
}
