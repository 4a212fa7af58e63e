import type { FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'

const charsetForm = /;\s*charset\s*=\s*"?([^\s";]*)/i

/** Names of UTF-8, and of US-ASCII, which is a subset. */
const readable = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/** Returns a 415 for a body that declares a charset other than UTF-8, since it would be read as UTF-8; otherwise null. */
export function charsetRefusal({ headers }: FastifyRequest): AppError | null {
  const charset = charsetForm.exec(headers['content-type'] ?? '')?.[1]
  if (charset === undefined || readable.has(charset.toLowerCase())) return null
  return new AppError('media_type_unsupported', `charset ${charset} is not supported: send UTF-8`)
}
