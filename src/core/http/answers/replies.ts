import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { linkHeader, pageLinks, pageMeta, type RequestedPage } from '../../contract/paging/paging.ts'
import type { HandedOut } from '../guard/access-log.ts'
import { baseUrl } from '../base-url.ts'
import type { Guarding, Shown } from '../context.ts'
import { jsonType } from './json-frame.ts'
import { refusedAnswer } from '../guard/answer-budget.ts'
import { PageBody } from './page-body.ts'
import type { PageRead } from '../../contract/paging/pages.ts'
import { timeCursor } from '../parameters/time-cursor.ts'
import { atEnd } from '../guard/request-end.ts'

/** Returns whether `If-None-Match` names the tag, weak or strong, alone or in a list (RFC 9110, 13.1.2). */
function matches(header: string, etag: string): boolean {
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** Returns whether the caller already has the answer with this tag, so that 304 is enough. */
export function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = request.headers['if-none-match']
  return known !== undefined && matches(known, etag)
}

/** Sends bytes unchanged, with a strong `ETag` over them; 304 if the caller already has them. */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: Buffer,
  handedOut: HandedOut = { documents: 1 },
): FastifyReply {
  return sendTagged(request, reply, { document, etag: `"${hash('sha1', document, 'base64url')}"`, handedOut })
}

/**
 * Sends a stored document unchanged, with a checksum and a strong `ETag` of the entry that wrote it; 304 if the caller
 * already has it (docs/inside/04-database.md).
 */
export function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, version }: { document: Buffer; version: number },
): FastifyReply {
  const etag = `"${version}-${crc32(document).toString(36)}"`
  return sendTagged(request, reply, { document, etag, handedOut: { documents: 1 } })
}

function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { document, etag, handedOut }: { document: Buffer; etag: string; handedOut: HandedOut },
): FastifyReply {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (isKnown(request, etag)) return reply.code(304).send()
  request.handedOut = handedOut
  return reply.header('content-type', jsonType).send(document)
}

/** Opens the body of one answer, which is released after the last byte or when the client disconnects. */
export function openBody(
  { answers }: Pick<Guarding, 'answers'>,
  request: FastifyRequest,
  reply: FastifyReply,
): PageBody {
  const body = new PageBody(answers.open(request.key.id))
  atEnd(request, reply, () => body.release())
  return body
}

/** Sends a body, with the members of an object after its documents. Throws 429 or 503 if there was no room for it. */
export function sendBody(reply: FastifyReply, body: PageBody, members: object): FastifyReply {
  reply.header('content-type', jsonType)
  const parts = refusedAnswer(() => body.finish(members))
  const [only, ...others] = parts
  if (others.length === 0) return reply.send(only)
  reply.header(
    'content-length',
    parts.reduce((sum, part) => sum + part.length, 0),
  )
  return reply.send(Readable.from(parts, { highWaterMark: 1 }))
}

/** A page that was read: the requested part, its documents and their number, the total count, and the position of the next page. */
export type Page = Pick<PageRead, 'totalCount' | 'count' | 'next'> & {
  requested: RequestedPage
  body: PageBody
  /** Whether the body has links, as in some lists of the specification; the `Link` header always has them. */
  withLinks: boolean
}

/** Sends a page: stored documents joined inside the envelope without parsing. */
export function sendPage(
  context: Pick<Shown, 'publicUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { requested, body, totalCount, count, next, withLinks }: Page,
): FastifyReply {
  const meta = pageMeta(requested, totalCount)
  request.handedOut = { documents: count }
  const links = pageLinks(baseUrl(context, request) + request.url, meta, next && timeCursor(next.at, next.id))
  reply.header('link', linkHeader(links))
  return sendBody(reply, body, withLinks ? { meta, links } : { meta })
}
