import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { monthForm, tableNames } from '../domain/columns.ts'
import { tableDialects } from '../domain/text.ts'
import { csvType } from '../../../core/domain/documents/csv.ts'
import { AppError, validationFailed } from '../../../core/contract/errors/errors.ts'
import { AtOnce } from '../../../core/projections/at-once.ts'
import { daysProjection } from '../../figures/projections/days.ts'
import { readExactly } from '../../figures/projections/exact.ts'
import { giveWay } from '../../figures/projections/short-turns.ts'
import { openSource, TooManyOrders } from '../tables/read.ts'
import { tableFormats, writeTable, type Take, type TableFormat } from '../tables/write.ts'
import { Choice, closed } from '../../../core/contract/scalars.ts'
import { whenBuilt } from '../../figures/http/figures-building.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { operation } from '../../../core/http/reference/route-schema.ts'

const TableParams = Type.Object(
  { table: Choice(tableNames, { description: 'Name of the table.', examples: ['items'] }) },
  closed,
)

const TableQuery = Type.Object(
  {
    month: Type.String({
      pattern: monthForm,
      'x-must': 'a year and a month (YYYY-MM)',
      description: 'Month of the business days, such as `2026-03`.',
    }),
    format: Type.Optional(Choice(tableFormats, { default: 'csv', description: 'Format of the file.' })),
    dialect: Type.Optional(
      Choice(tableDialects, {
        default: 'rfc4180',
        description: 'Dialect of `csv`: `excel-fr` has semicolons and decimal commas.',
      }),
    ),
  },
  closed,
)

const types: Record<TableFormat, string> = {
  parquet: 'application/vnd.apache.parquet',
  csv: csvType,
  ndjson: 'application/x-ndjson',
}

const file = Type.Unsafe({
  description: 'The file.',
  content: {
    'text/csv': { schema: { type: 'string' } },
    'application/vnd.apache.parquet': { schema: { type: 'string', format: 'binary' } },
    'application/x-ndjson': { schema: { type: 'string' } },
  },
})

/** Time limit of a transfer: a longer transfer is aborted, together with the transaction that it reads in. */
const deadlineMs = 120_000

/** For this time a transfer yields to other requests; then it hurries to finish before its deadline. */
const patientMs = 40_000

/** Makes the stream of a file that is sent to a client, with the checksum of the bytes sent. */
function openFile(): { stream: PassThrough; take: Take; checksum: () => string } {
  const stream = new PassThrough({ highWaterMark: 1024 * 1024 })
  // The promises of reader and writer report each error.
  stream.on('error', () => {})
  const digest = createHash('sha256')
  const take: Take = async (bytes) => {
    if (stream.destroyed) throw new Error('the client closed the connection')
    digest.update(bytes)
    if (stream.write(bytes)) return
    const closing = new AbortController()
    const { signal } = closing
    await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).finally(() =>
      closing.abort(),
    )
  }
  return { stream, take, checksum: () => digest.digest('base64') }
}

type TableRequest = Parameters<typeof writeTable>[1]

/**
 * Writes a table into a file, read at one moment. `begun` is called with the journal sequence of the data before the
 * first byte, and `onRows` with the number of rows written since its last call.
 */
function writeInto(
  { pool, clock, requests }: Guarding & Process,
  locationId: string,
  wanted: TableRequest,
  {
    stream,
    take,
    begun,
    onRows,
  }: Pick<ReturnType<typeof openFile>, 'stream' | 'take'> & {
    begun: (sequence: number) => void
    onRows: (rows: number) => void
  },
): Promise<unknown> {
  return readExactly(pool, locationId, daysProjection, async (tx) => {
    const hurriesAt = performance.now() + patientMs
    const turn = () => giveWay(() => requests.underWay > 1 && performance.now() < hurriesAt)
    const source = await openSource(tx, locationId, { now: clock(), turn })
    if (!source) return undefined
    const timer = setTimeout(() => stream.destroy(new Error('the client read the file too slowly')), deadlineMs).unref()
    try {
      let counted = 0
      const counting: Take = async (bytes, rows = 0) => {
        begun(source.live.reached)
        onRows(rows - counted)
        counted = rows
        await take(bytes)
      }
      return await writeTable(source, wanted, counting)
    } finally {
      clearTimeout(timer)
    }
  })
}

function tooMany(error: unknown): never {
  if (!(error instanceof TooManyOrders)) throw error
  throw validationFailed([
    { in: 'query', pointer: '/month', code: 'range_too_long', detail: `month: ${error.message}` },
  ])
}

const exportSchema = operation({
  tags: ['Books'],
  operationId: 'exportTable',
  answer: 'File with the table.',
  summary: 'Download a table of a month',
  description:
    'Returns all rows of one month of business days as CSV, Parquet or NDJSON, ordered by day and closing time, without open orders. ' +
    'A location can download one file at a time; further requests wait. The trailer `Repr-Digest` is the checksum.',
  params: TableParams,
  query: TableQuery,
  answers: { 200: file },
  problems: ['scope_missing', 'figures_building'],
})

/** Adds the route that sends a table of a month as a file. A location has one transfer at a time. */
export function exportRoutes(app: App, context: Guarding & Process): void {
  const atOnce = new AtOnce(1)

  app.get('/v1/exports/:table', { config: { scope: 'read' }, schema: exportSchema }, async (request, reply) => {
    const { locationId } = request.key
    const { month, format = 'csv', dialect = 'rfc4180' } = request.query
    const { table } = request.params
    const made = openFile()
    const begun = Promise.withResolvers<number>()
    const wanted = { table, month, format, dialect }
    const ended = atOnce
      .run(locationId, () =>
        writeInto(context, locationId, wanted, {
          ...made,
          begun: begun.resolve,
          // Counted while rows are sent: a client that disconnects has received the rows sent so far.
          onRows: (documents) => context.access.handOut(request, { documents }),
        }),
      )
      .then(
        () => {
          made.stream.end()
          return 'ended' as const
        },
        (error: unknown) => {
          begun.reject(error)
          made.stream.destroy(error as Error)
          return 'broken' as const
        },
      )
    const sequence = await whenBuilt(begun.promise).catch(tooMany)
    reply.header('tillgate-sequence', sequence).header('content-type', types[format])
    const suffix = format === 'csv' && dialect === 'excel-fr' ? '-excel-fr' : ''
    reply.header('content-disposition', `attachment; filename="${table}-${month}${suffix}.${format}"`)
    reply.trailer('repr-digest', async () => {
      if ((await ended) === 'broken') throw new AppError('internal_error')
      return `sha-256=:${made.checksum()}:`
    })
    return reply.send(made.stream)
  })
}
