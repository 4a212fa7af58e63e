import type { FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'

const charsetForm = /;\s*charset\s*=\s*"?([^\s";]*)/i

/** What is UTF-8, by its names; each text of US-ASCII is one too. */
const readable = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/** The 415 of a body that says it is of another charset than UTF-8, as which it would be read; null of any other. */
export function charsetRefusal({ headers }: FastifyRequest): AppError | null {
  const charset = charsetForm.exec(headers['content-type'] ?? '')?.[1]
  if (charset === undefined || readable.has(charset.toLowerCase())) return null
  return new AppError('media_type_unsupported', `charset ${charset} is not supported: send UTF-8`)
}
