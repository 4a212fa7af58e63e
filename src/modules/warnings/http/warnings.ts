import { Type } from 'typebox'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { KeptWarnings } from '../../../core/schemas/ingest.ts'
import { recordTypes } from '../../../core/contract/resources.ts'
import { Choice, closed, Count } from '../../../core/contract/scalars.ts'
import { warningCodes, warnings, type WarningCode } from '../schemas/warnings.ts'
import { listWarnings } from '../store/ingest-warnings.ts'
import type { Process, Shown } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { page, pageHeaders, toHtml, withoutSlash } from '../../../core/http/reference/pages.ts'
import { readDates } from '../../../core/contract/paging/query-dates.ts'
import { operation } from '../../../core/http/reference/route-schema.ts'
import { cursorQuery, readTimeCursor, timeCursor } from '../../../core/http/parameters/time-cursor.ts'

/** Bounds of `limit`, in warnings. */
const limits = { minimum: 1, maximum: 1000, default: 100 }

const receivedQuery = (what: string) =>
  Type.Optional(
    Type.String({
      description: `${what} date or ISO 8601 datetime, inclusive. A date is a full UTC day; the default zone is UTC.`,
      examples: ['2026-03-01', '2026-03-01T10:00:00Z'],
    }),
  )

/** Selects the warnings that are listed, newest first; the filters combine by “and”. */
const query = Type.Object(
  {
    limit: Type.Optional(Count({ ...limits, 'x-capped': true, description: 'Maximum number of warnings.' })),
    cursor: cursorQuery(limits.maximum).cursor,
    since: receivedQuery('Received at or after: a'),
    until: receivedQuery('Received at or before: a'),
    code: Type.Optional(Choice(warningCodes, { description: 'Only warnings with this code.' })),
    type: Type.Optional(Choice(recordTypes, { description: 'Only warnings for records of this type.' })),
  },
  closed,
)

const isCode = (code: string): code is WarningCode => Object.hasOwn(warnings, code)

/** Makes the page of all codes, as HTML. */
function warningList(): string {
  const row = (code: WarningCode) =>
    `<tr><td><a href="warnings/${code}"><code>${code}</code></a></td><td>${toHtml(warnings[code][0])}</td></tr>`
  return page(
    'Warnings',
    `<h1>Warnings</h1><p>The response to a push contains these warnings if a stored record probably contains a mistake.</p>
    <table><tr><th>Code</th><th>Meaning</th></tr>${warningCodes.map(row).join('\n')}</table>`,
  )
}

/** Makes the page of one code: the rule, and what a till should do. */
function warningPage(code: WarningCode): string {
  const [title, rule, help] = warnings[code]
  return page(
    title,
    `<p><a href="../warnings">Warnings</a></p><h1>${toHtml(title)}</h1><p>Code <code>${code}</code></p>
    <h2>When</h2><p>${toHtml(rule)}</p><h2>What to do</h2><p>${toHtml(help)}</p>`,
  )
}

/** Adds the operation that lists the warnings to a location's tills, and a page for each code. */
export function warningRoutes(app: App, { pool, docs, limits: { noticesKept: latest } }: Process & Shown): void {
  app.get(
    '/v1/ingest/warnings/',
    {
      config: { scope: 'any' },
      schema: operation({
        tags: ['Ingest'],
        operationId: 'listIngestWarnings',
        answer: 'Page of warnings, newest first.',
        summary: 'List warnings',
        description:
          'Newest first. The records are stored; each code has a page under `/docs/warnings/`. The latest 1,000 of ' +
          'a location are kept for 30 days. Read older ones with `meta.next`. Requires the scope `ingest` or `read`.',
        query,
        answers: { 200: KeptWarnings },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      const { scopes } = request.key
      // Either scope suffices: tills and accountants read warnings.
      if (!scopes.includes('ingest') && !scopes.includes('read')) {
        throw new AppError(
          'scope_missing',
          `the key has only ${scopes.join(', ')}, but the scope "ingest" or "read" is required: use another key`,
        )
      }
      const { limit = limits.default, cursor, code, type, ...dates } = request.query
      const { range } = readDates(dates)
      const between = { from: new Date(range.first), to: new Date(range.last) }
      const filter = { latest, code, type, between, after: readTimeCursor(cursor) }
      const rows = await listWarnings(pool, request.key.locationId, limit + 1, filter)
      const last = rows.length > limit ? rows[limit - 1] : undefined
      const data = rows.slice(0, limit).map(({ receivedAt, line, type, resourceId, pointer, code, detail }) => ({
        receivedAt: receivedAt.toISOString(),
        line,
        type,
        id: resourceId,
        pointer,
        code,
        detail,
      }))
      return reply.send({ data, meta: { next: last ? timeCursor(last.receivedAt, last.id) : null } })
    },
  )
  if (!docs) return
  const route = { schema: { hide: true }, onRequest: withoutSlash }
  app.get('/docs/warnings', route, (_request, reply) => reply.headers(pageHeaders).send(warningList()))
  app.get<{ Params: { code: string } }>('/docs/warnings/:code', route, (request, reply) => {
    const { code } = request.params
    if (!isCode(code)) throw new AppError('route_not_found', `warning ${code} does not exist: see /docs/warnings`)
    return reply.headers(pageHeaders).send(warningPage(code))
  })
}
