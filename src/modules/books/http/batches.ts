import { Type } from 'typebox'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { pageMeta, requestedPage } from '../../../core/contract/paging/paging.ts'
import { localDateOf } from '../../../core/domain/days/local-date.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { issueBatch, previewBatch } from '../projections/book-issue.ts'
import { BookBatchInput, type BookBatch, type BookBatchList } from '../schemas/books.ts'
import { PageQuery } from '../../../core/contract/paging/schema.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { findBatch, listBatches } from '../store/batches.ts'
import { listBookDocuments } from '../store/documents.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { BookFileQuery, bookForms, sendBooks, toBookFile } from './book-files.ts'
import { whenBuilt } from '../../figures/http/figures-building.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

const NumberParams = Type.Object(
  { number: Type.Integer({ minimum: 1, maximum: 999_999_999, description: 'Number of the batch.', examples: [1] }) },
  closed,
)

/** An issued batch never changes. */
const forEver = 'private, max-age=31536000, immutable'

const tags: [string] = ['Books']

function issueBookBatchRoute(app: App, { pool, clock, hints, seenHeads, access }: Guarding & Process): void {
  app.post(
    '/v1/books/batches/',
    {
      config: { scope: 'books' },
      schema: operation({
        tags,
        operationId: 'issueBookBatch',
        answer: { 200: 'Nothing is due, or the counts of a dry run.', 201: 'The issued batch.' },
        summary: 'Issue a batch of booking entries',
        description:
          'Issues every Z report up to `until` that was not issued, and every such complete day without a Z report. Entries that changed since are ' +
          'reversed and reissued. Entries are numbered without gaps per journal and fiscal year, and never change. With `after`, a ' +
          'repeated request issues nothing twice. A batch has at most 400 entries; if `hasMore`, issue the next one. `dryRun` counts the entries and returns a `plan`, which issues exactly these entries.',
        body: BookBatchInput,
        answers: { 200: named('NoBookBatch'), 201: named('BookBatch') },
        problems: [
          'scope_missing',
          'figures_building',
          'books_incomplete',
          'accounts_unmapped',
          'batch_exists',
          'batch_changed',
          'entry_source_not_found',
          'journal_rewound',
        ],
      }),
    },
    async (request, reply) => {
      const { locationId } = request.key
      const input = request.body
      const seen = seenHeads.of(locationId)
      if (input.dryRun)
        return { batch: null, due: await whenBuilt(previewBatch(pool, locationId, { input, now: clock() })) }
      const issued = await whenBuilt(issueBatch(pool, locationId, { input, now: clock(), seen }))
      if (!issued) return { batch: null }
      const { batch, document, seq } = issued
      seenHeads.raise(locationId, seq)
      hints.committed(locationId)
      await access.act(request.key, 'batch.issued', String(batch.number))
      request.handedOut = { documents: batch.entries.length }
      reply.code(201).header('location', `/v1/books/batches/${batch.number}`)
      reply.header('tillgate-batch', batch.number).header('tillgate-sequence', seq)
      return reply.header('content-type', jsonType).send(document)
    },
  )
}

function listBookBatchesRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/books/batches/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'listBookBatches',
        answer: 'Batches without their entries, newest first.',
        summary: 'List issued batches',
        description: 'Lists the issued batches with their number and last day.',
        query: Type.Object(PageQuery, closed),
        answers: { 200: named('BookBatchList') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<BookBatchList> => {
      const page = requestedPage(request.query)
      const offset = page.index * page.size
      const { rows, total } = await listBatches(pool, request.key.locationId, {
        offset: Math.min(offset, 2 ** 31),
        limit: page.size,
      })
      const data = rows.map(({ number, createdAt, until, accountsVersion, sequence, entries }) => ({
        number,
        createdAt: createdAt.toISOString(),
        until,
        accountsVersion,
        sequence,
        entries,
      }))
      request.handedOut = { documents: data.length }
      return { data, meta: pageMeta(page, total) }
    },
  )
}

function getBookBatchRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/books/batches/:number',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'getBookBatch',
        headers: ['ETag'],
        answer: 'The batch as issued; its bytes never change.',
        summary: 'Read an issued batch',
        description: 'Returns the batch as JSON, or as a file for accounting software.',
        params: NumberParams,
        query: Type.Object(BookFileQuery, closed),
        forms: bookForms,
        answers: { 200: named('BookBatch') },
        problems: ['scope_missing', 'batch_not_found', 'format_unsuitable'],
      }),
    },
    async (request, reply) => {
      const { key, params, query } = request
      const row = await findBatch(pool, key.locationId, params.number)
      const document = row && (await listBookDocuments(pool, key.locationId, 'batch', [row.seq])).get(row.seq)
      if (document === undefined)
        throw new AppError('batch_not_found', `this location has no batch ${params.number}: see GET /v1/books/batches/`)
      reply.header('tillgate-batch', params.number).header('cache-control', forEver)
      const { entries, createdAt, currency, timeZone, siren, until } = JSON.parse(document) as BookBatch
      if (query.format === undefined || query.format === 'json')
        return sendBooks(request, reply, { bytes: Buffer.from(document), type: jsonType, documents: entries.length })
      const validDate = localDateOf(Date.parse(createdAt), timeZone)
      const rendered = { entries, validDate, decimals: moneyOf(currency).decimals, currency }
      const of = `batch-${String(params.number).padStart(4, '0')}`
      const file = toBookFile(query, rendered, { siren, until, isPreview: false, of })
      return sendBooks(request, reply, { ...file, documents: entries.length })
    },
  )
}

export function bookBatchRoutes(app: App, context: Guarding & Process): void {
  issueBookBatchRoute(app, context)
  listBookBatchesRoute(app, context)
  getBookBatchRoute(app, context)
}
