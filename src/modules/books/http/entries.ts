import { Type } from 'typebox'
import { withPreviewNumbers } from '../domain/rendered.ts'
import { pageMeta } from '../../../core/contract/paging/paging.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { bookStates, codesOf } from '../../../core/outcomes.ts'
import {
  findBookSource,
  readBookRange,
  sirenOfLocation,
  toBookDays,
  type ReadRange,
} from '../projections/book-answers.ts'
import { hindrancesOf, isRefused, refusedOf, tillsOf, unmappedOf, vatOf } from '../projections/book-lists.ts'
import type { BookDayList, BookingEntryList } from '../schemas/books.ts'
import { DayRangeQuery } from '../../../core/schemas/day-ranges.ts'
import { PageQuery } from '../../../core/contract/paging/schema.ts'
import { completeUntil } from '../../../core/schemas/freshness.ts'
import { Choice, closed, isDate, isUuid } from '../../../core/contract/scalars.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reading, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { checkDays, daysOf } from '../../../core/contract/paging/day-range.ts'
import { BookFileQuery, bookForms, sendBooks, toBookFile, type BookFileRequest } from './book-files.ts'
import { whenBuilt } from '../../figures/http/figures-building.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'

/** Default size of a page of entries: a month of three tills. */
const usualSize = 100

const EntriesQuery = Type.Object(
  {
    ...DayRangeQuery,
    ...BookFileQuery,
    state: Type.Optional(Choice(codesOf(bookStates), { description: 'Only entries of sources in this state.' })),
    accept: Type.Optional(
      Type.String({
        maxLength: 4000,
        description:
          'Ids of Z reports, or dates of days without a Z report, separated by commas, to book from their own figures in the preview.',
      }),
    ),
    skip: Type.Optional(
      Type.Boolean({
        description: 'Omits entries that cannot be booked from a file. Otherwise they cause 409 `books_incomplete`.',
      }),
    ),
    ...PageQuery,
    size: Type.Optional(
      Type.Integer({
        default: usualSize,
        minimum: 1,
        maximum: 100,
        description: 'Entries per page, at most 100.',
        'x-capped': true,
      }),
    ),
  },
  closed,
)

const SourceParams = Type.Object(
  {
    id: Type.String({
      description: 'Id of a Z report, or date of a business day without one.',
      examples: ['2026-03-14'],
    }),
  },
  closed,
)

/** Reads the ids of reports, or days, to accept. Throws 400 for anything else. */
function acceptedOf(text: string | undefined): Set<string> {
  const ids = (text ?? '').split(',').flatMap((id) => (id.trim() === '' ? [] : [id.trim().toLowerCase()]))
  const wrong = ids.find((id) => !isUuid(id) && !isDate(id))
  if (wrong === undefined) return new Set(ids)
  const detail = `accept: ${wrong.slice(0, 60)} is neither the id of a report nor a date`
  throw validationFailed([{ in: 'query', pointer: '/accept', code: 'invalid_uuid', detail }])
}

type Range = { since?: string | undefined; until?: string | undefined }

const tags: [string] = ['Books']

const config = { scope: 'read' } as const

const sendJson = (request: FastifyRequest, reply: FastifyReply, answer: object, documents: number): FastifyReply =>
  sendBooks(request, reply, { bytes: Buffer.from(JSON.stringify(answer)), type: jsonType, documents })

const sendFile = (
  request: FastifyRequest,
  reply: FastifyReply,
  found: ReadRange,
  requested: BookFileRequest & { skip?: boolean },
) => {
  const { books, location, range } = found
  const refused = refusedOf(books.sources.filter(isRefused), tillsOf(books))
  const siren = sirenOfLocation(location)
  const { currency } = location
  const entries = withPreviewNumbers(
    books.sources.flatMap((source) => source.entries),
    location.fiscalYearStarts,
  )
  const rendered = { entries, validDate: null, decimals: moneyOf(currency).decimals, currency }
  const of = `entries-${range.since}-${range.until}`
  const file = toBookFile(requested, rendered, { siren, until: range.until, isPreview: true, of })
  if (refused.length > 0 && requested.skip !== true) {
    const detail = `Z reports and days that cannot be booked: ${refused.length}. Correct them, or leave them out with skip=true`
    throw new AppError('books_incomplete', detail, { members: { days: [], refused } })
  }
  return sendBooks(request, reply, { ...file, documents: entries.length })
}

const read = async (
  context: Reading & Process,
  request: FastifyRequest,
  requested: Range,
  accept?: ReadonlySet<string>,
): Promise<ReadRange> => {
  checkDays(requested)
  await reachNumber(context, request)
  const { locationId } = request.key
  const now = context.clock()
  await context.watermarks.warm(locationId)
  return whenBuilt(
    readBookRange(context.pool, locationId, {
      now,
      ...(accept ? { accept } : {}),
      daysOf: (of) => daysOf(requested, of, now),
    }),
  )
}

/** Sets the headers that every answer about a range has. Returns the time until which all data has arrived. */
const setRangeHeaders = (
  { watermarks }: Pick<Reading, 'watermarks'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { sequence, books }: ReadRange,
): string | null => {
  const until = watermarks.at(request.key.locationId, sequence)
  reply.header('tillgate-sequence', sequence).header('tillgate-accounts-version', books.accounts.version)
  reply.header('cache-control', 'private, no-cache')
  if (until !== null) reply.header(completeUntil, until)
  return until
}

const metaOf = ({ range, location, clock: of, sequence, books }: ReadRange, until: string | null) => ({
  ...range,
  currency: location.currency,
  ...of,
  sequence,
  completeUntil: until,
  accountsVersion: books.accounts.version,
})

const sendSource = async (
  context: Reading & Process,
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
): Promise<FastifyReply> => {
  await reachNumber(context, request)
  const found = await whenBuilt(findBookSource(context.pool, request.key.locationId, id, context.clock()))
  const { source, sequence, accountsVersion } = found
  reply.header('tillgate-sequence', sequence).header('tillgate-accounts-version', accountsVersion)
  if (!source)
    throw new AppError(
      'entry_source_not_found',
      `this location has nothing to book for ${id.slice(0, 60)}: use the id of a report, or the date of a business day with entries`,
    )
  if (isRefused(source)) {
    const { reasons, warnings } = source.judgement
    const detail = `the entry is ${source.state} and cannot be booked (${reasons.map(({ code }) => code).join(', ')}): see reasons`
    throw new AppError('entry_refused', detail, { members: { state: source.state, reasons, warnings } })
  }
  const answer = { data: source.entries, meta: { sequence, accountsVersion } }
  return sendJson(request, reply, answer, source.entries.length)
}

function listBookingEntriesRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/books/entries/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listBookingEntries',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'The entries, sources that cannot be booked with their reasons, and names without an account.',
        summary: 'Preview booking entries',
        description:
          'Returns one balanced entry per Z report of the business days, and per complete day without one, as it would be issued now. Issued entries ' +
          'have their number. At most 366 days. JSON is paged; a file has the whole range.',
        query: EntriesQuery,
        isNumbered: true,
        forms: bookForms,
        answers: { 200: named('BookingEntryList') },
        problems: ['scope_missing', 'figures_building', 'books_incomplete', 'format_unsuitable'],
      }),
    },
    async (request, reply) => {
      const { query } = request
      const found = await read(context, request, query, acceptedOf(query.accept))
      const { books, location } = found
      const until = setRangeHeaders(context, request, reply, found)
      if (query.format !== undefined && query.format !== 'json')
        return sendFile(request, reply, found, { ...query, skip: query.skip ?? false })
      const booked = books.sources.filter(({ entries }) => entries.length > 0)
      const entries = booked.filter(({ state }) => state === (query.state ?? state)).flatMap((source) => source.entries)
      const [index, size] = [query.index ?? 0, Math.min(query.size ?? usualSize, 100)]
      const refused = books.sources.filter(isRefused).filter(({ state }) => state === (query.state ?? state))
      const answer: BookingEntryList = {
        data: entries.slice(index * size, (index + 1) * size),
        refused: refusedOf(refused, tillsOf(books)),
        unmapped: unmappedOf(books.sources),
        vat: vatOf(booked),
        meta: {
          ...metaOf(found, until),
          siren: sirenOfLocation(location),
          ...pageMeta({ index, size }, entries.length),
        },
      }
      return sendJson(request, reply, answer, answer.data.length)
    },
  )
}

function getBookingEntriesRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/books/entries/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getBookingEntries',
        headers: ['ETag'],
        answer: 'Entries of the Z report or day: one, or two with the layout `clearing`.',
        summary: 'Preview the entry of a Z report or day',
        description: 'Takes the id of a Z report, or the date of a business day with orders that no Z report names.',
        params: SourceParams,
        isNumbered: true,
        answers: { 200: named('BookingEntriesOfSource') },
        problems: ['scope_missing', 'figures_building', 'entry_source_not_found', 'entry_refused'],
      }),
    },
    async (request, reply) => {
      const id = request.params.id.toLowerCase()
      if (!isUuid(id) && !/^\d{4}-\d{2}-\d{2}$/.test(id)) throw new AppError('entry_source_not_found')
      return sendSource(context, request, reply, id)
    },
  )
}

function getReportEntryRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/reports/:id/entry',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getReportEntry',
        headers: ['ETag'],
        answer: 'Entries of the Z report: one, or two with the layout `clearing`.',
        summary: 'Preview the entry of a Z report',
        description: 'Returns the entry as it would be issued now, or the issued entry with its number.',
        params: IdParams,
        isNumbered: true,
        answers: { 200: named('BookingEntriesOfSource') },
        problems: ['scope_missing', 'figures_building', 'entry_source_not_found', 'entry_refused'],
      }),
    },
    (request, reply) => sendSource(context, request, reply, request.params.id.toLowerCase()),
  )
}

function listUnmappedRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/books/unmapped/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listUnmapped',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'Names with their amounts on the suspense account, then Z reports and days that cannot be booked.',
        summary: 'List what prevents a batch',
        description:
          'Lists payments, rates and cash movements without an account in the range; then, with `what: "source"`, each Z report and day that cannot be booked, with its reasons. If the list is empty, every source of the range can be booked and every name has an account.',
        query: Type.Object(DayRangeQuery, closed),
        isNumbered: true,
        answers: { 200: Type.Array(named('BookHindrance')) },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const found = await read(context, request, request.query)
      setRangeHeaders(context, request, reply, found)
      const hindrances = hindrancesOf(found.books)
      return sendJson(request, reply, hindrances, hindrances.length)
    },
  )
}

function listBookDaysRoute(app: App, context: Reading & Process): void {
  app.get(
    '/v1/books/days/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listBookDays',
        headers: ['ETag', 'CompleteUntil'],
        answer: 'Every day of the range, oldest first.',
        summary: 'List business days with their booking state',
        description: 'Returns for each day its Z reports with their state and reasons, and their batches.',
        query: Type.Object(DayRangeQuery, closed),
        isNumbered: true,
        answers: { 200: named('BookDayList') },
        problems: ['scope_missing', 'figures_building'],
      }),
    },
    async (request, reply) => {
      const found = await read(context, request, request.query)
      const until = setRangeHeaders(context, request, reply, found)
      const data = toBookDays(found)
      const answer: BookDayList = { data, meta: metaOf(found, until) }
      return sendJson(request, reply, answer, data.length)
    },
  )
}

/** Adds the routes that return booking entries: previews, and issued entries. */
export function bookEntryRoutes(app: App, context: Reading & Process): void {
  listBookingEntriesRoute(app, context)
  getBookingEntriesRoute(app, context)
  getReportEntryRoute(app, context)
  listUnmappedRoute(app, context)
  listBookDaysRoute(app, context)
}
