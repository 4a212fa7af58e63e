import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { offModules } from '../../modules.ts'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { strikeOut } from '../../domain/redaction/secrets.ts'
import { AppError, problems, type Fault, type ProblemCode } from '../../contract/errors/errors.ts'
import { apiVersions } from '../../contract/health/schema.ts'
import { DatabaseWentBack, isFull, isUnavailable } from '../../store/db/database.ts'
import { alwaysSent } from './headers.ts'
import { causeOf, type ParseError } from './parse-errors.ts'
import { DocumentsArchived } from '../../store/journal/asides.ts'
import { JournalRewound } from '../../store/journal/resumption.ts'
import { baseUrl } from '../base-url.ts'
import type { Guarding, Process, Shown } from '../context.ts'
import { breakConnection } from '../guard/broken-connections.ts'
import type { Exchange } from '../guard/pipelines.ts'
import { withFaultsOfAllParts } from '../guard/validation.ts'
import type { App } from '../server-types.ts'

/** Makes a 415 that names the types that the route reads: JSON, unless its schema lists others. */
export function wrongType({ headers, routeOptions }: FastifyRequest): AppError {
  const { consumes = ['application/json'] } = (routeOptions.schema ?? {}) as { consumes?: readonly string[] }
  const sent = headers['content-type'] || 'a body without a content type'
  return new AppError('media_type_unsupported', `${sent} is not supported: send ${consumes.join(' or ')}`)
}

/** Translates Fastify's own errors to our problem codes; undefined for any other error. */
function fromFramework(error: FastifyError, request: FastifyRequest): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError('body_too_large', 'a JSON body must be at most 64 KiB')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return wrongType(request)
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new AppError('body_invalid', error.message)
    case 'FST_ERR_BAD_URL':
      return new AppError('route_not_found', 'the percent-encoding of the path is invalid: send % and two hex digits')
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('route_not_found', 'a segment of the path is too long: see /docs for the paths')
    default:
      return undefined
  }
}

/**
 * Converts anything thrown to the problem that is sent. Fastify's errors get our code and text; an unavailable or full
 * database is 503 with a retry time; anything else is 500, whose cause is logged and never sent.
 */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error
  if (error instanceof DatabaseWentBack || (error as Error).cause instanceof DatabaseWentBack) {
    return new AppError('database_went_back', undefined, { headers: { 'retry-after': '60' }, cause: error })
  }
  if (isUnavailable(error)) {
    return new AppError('database_unavailable', undefined, { headers: { 'retry-after': '1' }, cause: error })
  }
  if (error instanceof JournalRewound) {
    return new AppError('journal_rewound', error.message, { headers: { 'retry-after': '60' }, cause: error })
  }
  if (error instanceof DocumentsArchived) {
    const archives = [...new Set(error.asides.map(({ archive }) => archive))]
    const detail = `earlier versions of orders up to sequence ${error.upTo} are archived (${archives.join(', ')}): continue after ${error.upTo}, or ask the operator to bring them back`
    return new AppError('documents_aside', detail, { members: { after: error.upTo, archives }, cause: error })
  }
  if (isFull(error)) {
    return new AppError('database_full', undefined, { headers: { 'retry-after': '5' }, cause: error })
  }
  const known = fromFramework(error as FastifyError, request)
  if (known) return known
  const status = (error as FastifyError).statusCode
  if (status !== undefined && status >= 400 && status < 500)
    return new AppError('body_invalid', (error as Error).message)
  return new AppError('internal_error', undefined, { cause: error })
}

/** Hides secrets in a fault, which may quote what was sent: a parameter, or a member of a body. */
const withoutSecrets = (fault: Fault): Fault => ({
  ...fault,
  pointer: strikeOut(fault.pointer),
  detail: strikeOut(fault.detail),
})

/**
 * Sends an error as `application/problem+json` (RFC 9457), and logs it. The cause is logged, never sent. An unavailable
 * database is logged once, not for each request.
 */
export function sendProblem(
  context: Pick<Guarding, 'refusals' | 'keyErrors'> & Pick<Process, 'availability'> & Pick<Shown, 'publicUrl'>,
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
) {
  context.keyErrors.count(request, error)
  if (error.code === 'database_unavailable' || error.code === 'database_full') context.availability.failed(error.cause)
  else context.refusals.refused(request, reply, error)
  const body = {
    type: `${baseUrl(context, request)}/docs/errors/${error.code}`,
    title: problems[error.code][1],
    status: error.status,
    // A secret sent in the wrong field is removed, so the document can be passed on.
    detail: strikeOut(error.message),
    instance: strikeOut(request.url.split('?', 1)[0] ?? ''),
    code: error.code,
    requestId: request.id,
    ...(error.errors ? { errors: error.errors.map(withoutSecrets) } : {}),
    ...error.members,
  }
  return reply
    .code(error.status)
    .headers({ ...alwaysSent, ...error.headers, 'x-request-id': request.id })
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(Buffer.from(JSON.stringify(body)))
}

/** Makes the 404 of an unknown path, with a hint about versions if the path looks like one. */
export function notFound(request: FastifyRequest): AppError {
  const path = request.url.split('?', 1)[0] ?? ''
  const version = /^\/(v\d+)(\/|$)/.exec(path)?.[1]
  if (version && !apiVersions.includes(version)) {
    return new AppError('version_unsupported', `${version} is not supported: use ${apiVersions.join(' or ')}`)
  }
  const off = offModules()
  const switched = off.length === 0 ? '' : `; these modules are off (TILLGATE_MODULES): ${off.join(', ')}`
  return new AppError('route_not_found', `${path} does not exist; see /docs for the paths${switched}`)
}

/** Why a request could not be read, its connection, and the last exchange on it. */
type BrokenRequest = { error: ParseError; socket: Socket; last: Exchange | undefined }

/**
 * Answers bytes that are not an HTTP request, which never reach a route, with a problem document, and logs them. If an
 * earlier request of the connection still awaits its answer, nothing is written (`breakConnection`).
 */
export function answerBrokenRequest(
  { refusals }: Pick<Guarding, 'refusals'>,
  log: FastifyBaseLogger,
  { error, socket, last }: BrokenRequest,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // An answer would wait for the handshake forever, and keep the connection open.
  if (error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT' && socket instanceof TLSSocket) {
    refusals.write(log, new AppError('request_timeout'), { requestId: randomUUID(), reason: error.code })
    return void socket.destroy()
  }
  if (breakConnection(socket, last, causeOf(error) ?? error.message)) return
  const codes: Record<string, ProblemCode> = {
    HPE_HEADER_OVERFLOW: 'headers_too_large',
    ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  }
  const code = codes[error.code ?? ''] ?? 'request_malformed'
  const [status, title, help] = problems[code]
  const detail = code === 'request_malformed' ? (causeOf(error) ?? help) : help
  const requestId = randomUUID()
  refusals.write(log, new AppError(code, detail), { requestId, reason: error.code ?? null })
  const type = `http://localhost/docs/errors/${code}`
  const body = JSON.stringify({ type, title, status, detail, instance: '', code, requestId })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\nx-request-id: ${requestId}\r\n` +
      `x-content-type-options: nosniff\r\ncache-control: no-store\r\n` +
      `content-type: application/problem+json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Answers every error of a handler and every unknown path with a problem document. */
export function answerProblems(app: App, context: Guarding & Process & Shown): void {
  app.setErrorHandler((error, request, reply) =>
    sendProblem(context, request, reply, toAppError(withFaultsOfAllParts(error, request), request)),
  )
  app.setNotFoundHandler((request, reply) => sendProblem(context, request, reply, notFound(request)))
}
