import type { Json } from './openapi-components.ts'

/** Member of an operation with the text of its answer, until `describeAnswers` moves it. */
export const answerText = 'x-answer'

/** Member of an operation that lists the headers of its 200, in addition to those of every answer. */
export const answerHeaders = 'x-answer-headers'

/** Member of an operation that describes the other forms of its 200, by media type. */
export const answerForms = 'x-answer-forms'

/** Headers of single operations; the document describes them only there. */
const ownHeaders = ['Link', 'ETag', 'Sequence', 'CompleteUntil'] as const

export type AnswerHeader = (typeof ownHeaders)[number]

/** Makes one header of an answer, in OpenAPI's form. */
const header = (description: string, type = 'string') => ({ description, schema: { type } })

/** Becomes `components.headers` of the document. */
export const headers = {
  RequestId: header('Identifies the request in the server log; taken from the request if it has one.'),
  RateLimit: header('Remaining requests, and seconds until the limit is reset.'),
  RateLimitPolicy: header('Requests per window that the key may send.'),
  RetryAfter: header('Seconds to wait before the next attempt.', 'integer'),
  Link: header('The pages `first`, `prev`, `next` and `last` (RFC 8288).'),
  ETag: header(
    'Identifies the bytes of the response. A request with it in `If-None-Match` gets 304 until they change.',
  ),
  CompleteUntil: header(
    'Everything that active tills closed up to this time has arrived; absent if unknown: `GET /v1/completeness/`.',
  ),
  Sequence: header('Journal sequence up to which the response is complete.', 'integer'),
}

/** Returns the names of the headers of an answer with this status; each is described once, in the components. */
function headersOf(operation: Json, own: readonly AnswerHeader[], status: number): string[] {
  const isKeyed = (operation['security'] as unknown[]).length > 0 && status !== 401
  return [
    'RequestId',
    ...(isKeyed ? ['RateLimit', 'RateLimitPolicy'] : []),
    ...(status === 429 || status === 503 ? ['RetryAfter'] : []),
    ...(status === 200 ? ownHeaders.filter((name) => own.includes(name)) : []),
    ...(status === 304 ? ['ETag'] : []),
  ]
}

const wireName: Record<string, string> = {
  RequestId: 'x-request-id',
  RateLimit: 'ratelimit',
  RateLimitPolicy: 'ratelimit-policy',
  RetryAfter: 'retry-after',
  Link: 'link',
  ETag: 'etag',
  Sequence: 'tillgate-sequence',
  CompleteUntil: 'tillgate-complete-until',
}

/** Documents `If-None-Match` and the response 304 of an operation whose answer has an `ETag` (RFC 9110, 13.1.2). */
function describeTag(operation: Json): void {
  operation['parameters'] = [
    ...(operation['parameters'] ?? []),
    {
      name: 'If-None-Match',
      in: 'header',
      required: false,
      description: 'Tags from `ETag` of earlier responses; if one still matches, the response is 304.',
      schema: { type: 'string' },
    },
  ]
  operation['responses']['304'] = { description: 'Not modified; no body.' }
}

/** Describes each answer of an operation and its headers. */
export function describeAnswers(operation: Json): void {
  const own = operation[answerText] as string | Record<string, string>
  const ownNames = operation[answerHeaders] as AnswerHeader[]
  delete operation[answerText]
  delete operation[answerHeaders]
  const texts = typeof own === 'string' ? own : { ...own }
  if (ownNames.includes('ETag')) describeTag(operation)
  for (const [status, response] of Object.entries(operation['responses'] as Json)) {
    if (Number(status) < 300) {
      const text = typeof texts === 'object' ? texts[status] : texts
      if (text === undefined) throw new Error(`no text for the answer ${status} of ${operation['operationId']}`)
      response['description'] = text
    }
    const names = headersOf(operation, ownNames, Number(status))
    response['headers'] = Object.fromEntries(
      names.map((name) => [wireName[name], { $ref: `#/components/headers/${name}` }]),
    )
  }
  const forms = (operation[answerForms] ?? {}) as Record<string, string>
  delete operation[answerForms]
  for (const [type, description] of Object.entries(forms))
    operation['responses']['200'].content[type] = { schema: { type: 'string', description } }
}
