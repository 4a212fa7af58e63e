import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { csvDialects, toBooksCsv } from '../domain/csv.ts'
import { toFec, toLatin9 } from '../domain/fec.ts'
import { toHledger } from '../domain/hledger.ts'
import type { Rendered } from '../domain/rendered.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { Choice } from '../../../core/contract/scalars.ts'
import { csvType } from '../../../core/domain/documents/csv.ts'
import { isKnown } from '../../../core/http/answers/replies.ts'

export const bookFormats = ['json', 'fec', 'csv', 'hledger'] as const

export const BookFileQuery = {
  format: Type.Optional(
    Choice(bookFormats, {
      description:
        '`fec`: journal in FEC format. `csv`: for spreadsheets. `hledger`: plain-text accounting, also for ledger.',
    }),
  ),
  dialect: Type.Optional(
    Choice(csvDialects, {
      description: 'Dialect of `csv`: `excel-fr` (`;`, decimal comma; the default) or `rfc4180`.',
    }),
  ),
  encoding: Type.Optional(
    Choice(['iso-8859-15', 'utf-8'] as const, {
      description: 'Character set of `fec`: `iso-8859-15` (default) or `utf-8`.',
    }),
  ),
}

export type BookFileRequest = {
  format?: (typeof bookFormats)[number] | undefined
  dialect?: Static<typeof BookFileQuery.dialect> | undefined
  encoding?: Static<typeof BookFileQuery.encoding> | undefined
}

/** The media types of an answer, for its description. */
export const bookForms = {
  'text/csv': 'The CSV file, with `format=csv`.',
  'text/plain': 'With `format=fec` or `format=hledger`.',
}

/** Parts of a file name: a FEC has the SIREN and the last day, and a preview has a prefix. */
type FileName = { siren: string | null; until: string; isPreview: boolean; of: string }

export type BookFile = { bytes: Buffer; type: string; name: string }

/** Writes entries as a file. Throws `format_unsuitable` for an FEC in a currency other than the euro. */
export function toBookFile(
  { format, dialect = 'excel-fr', encoding = 'iso-8859-15' }: BookFileRequest,
  rendered: Rendered & { currency: string },
  { siren, until, isPreview, of }: FileName,
): BookFile {
  const prefix = isPreview ? 'apercu-' : ''
  if (format === 'csv')
    return { bytes: Buffer.from(toBooksCsv(rendered, dialect)), type: csvType, name: `${prefix}${of}.csv` }
  if (format === 'hledger')
    return {
      bytes: Buffer.from(toHledger(rendered)),
      type: 'text/plain; charset=utf-8',
      name: `${prefix}${of}.journal`,
    }
  if (rendered.currency !== 'EUR')
    throw new AppError(
      'format_unsuitable',
      `the books of the location are in ${rendered.currency}, but this format requires EUR: use another format`,
    )
  const text = toFec(rendered)
  return {
    bytes: encoding === 'utf-8' ? Buffer.from(text) : toLatin9(text),
    type: `text/plain; charset=${encoding}`,
    name: `${prefix}${siren ?? '000000000'}FEC${until.replaceAll('-', '')}.txt`,
  }
}

/** Sends bytes with an ETag and a digest (RFC 9530); 304 if the caller has them already. */
export function sendBooks(
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, type, name, documents }: Omit<BookFile, 'name'> & { name?: string; documents: number },
): FastifyReply {
  const etag = `"${hash('sha1', bytes, 'base64url')}"`
  reply.header('etag', etag)
  if (reply.getHeader('cache-control') === 'private, no-store') reply.header('cache-control', 'private, no-cache')
  if (isKnown(request, etag)) return reply.code(304).send()
  request.handedOut = { documents }
  if (name !== undefined) reply.header('content-disposition', `attachment; filename="${name}"`)
  reply.header('repr-digest', `sha-256=:${hash('sha256', bytes, 'base64')}:`)
  return reply.header('content-type', type).send(bytes)
}
