import { Type, type TObject, type TSchema } from 'typebox'
import { problems, type ProblemCode } from '../../contract/errors/errors.ts'
import { answerForms, answerHeaders, answerText, type AnswerHeader } from './openapi-answers.ts'
import { closed, Uuid } from '../../contract/scalars.ts'
import { FreshnessHeaders } from '../../schemas/freshness.ts'

/** The path of one resource: a UUID in either case. */
export const IdParams = Type.Object({ id: Uuid() }, closed)

/** A route's description of itself; `operation` makes the schema for Fastify and OpenAPI from it. */
type Description<Query extends TObject, Params extends TObject, Body extends TSchema> = {
  operationId: string
  /** Describes the successful answer; by status if there are several. */
  answer: string | Record<number, string>
  /** Headers of the 200, in addition to those of every answer. A numbered route has `Sequence` without listing it. */
  headers?: AnswerHeader[]
  /** Other media types of the 200, with a description each. */
  forms?: Record<string, string>
  summary: string
  description?: string
  params?: Params
  query?: Query
  /** The response has the header `Tillgate-Sequence`, and the request may have `Tillgate-Min-Sequence` (decision 0030). */
  isNumbered?: true
  /** Headers of the request, in addition to those of every numbered route. */
  requestHeaders?: TObject
  body?: Body
  /** Body of the 200 answer; more statuses by number. */
  answers: Record<number, TSchema>
  problems?: ProblemCode[]
  /** Public: no key, no rate limit. */
  open?: boolean
} & (
  | { contract?: never; tags: [string] }
  /** The operation belongs to the specification (docs/contract/specification.md): it has the first tag, and `x-contract`. */
  | { contract: true; tags?: never }
)

/** The tag of the specification's operations. */
export const contractTag = 'Contract'

/** Problems of any operation with a key. */
const everyKeyed: ProblemCode[] = [
  'key_missing',
  'key_unknown',
  'key_expired',
  'key_revoked',
  'location_inactive',
  'rate_limited',
  'too_many_under_way',
  'overloaded',
]
/** Problems of any operation. */
const every: ProblemCode[] = [
  'validation_failed',
  'internal_error',
  'database_unavailable',
  'database_went_back',
  'database_full',
]

/** Problems of any operation with a body. */
const everyBody: ProblemCode[] = ['body_invalid', 'body_too_large', 'media_type_unsupported']

/** Groups the codes by status: OpenAPI has one answer per status. */
function problemAnswers(codes: readonly ProblemCode[]): Record<number, TSchema> {
  const byStatus = new Map<number, ProblemCode[]>()
  for (const code of codes) {
    const [status] = problems[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const answer = (statusCodes: ProblemCode[]) => ({
    description: `${statusCodes.map((code) => problems[code][1]).join('; ')} (\`${statusCodes.join('`, `')}\`)`,
    content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
  })
  return Object.fromEntries(
    [...byStatus].map(([status, statusCodes]) => [status, answer(statusCodes) as unknown as TSchema]),
  )
}

/** The parts by which Fastify types the request. */
type RouteSchema<Query, Params, Body> = { querystring: Query; params: Params; body: Body }

/**
 * Makes the `schema` of a route: its input, its answers, and its place in the OpenAPI document. An operation without
 * `query` refuses every query parameter.
 */
export function operation<
  Query extends TObject = TObject<{}>,
  Params extends TObject = TObject<{}>,
  Body extends TSchema = TSchema,
>(description: Description<Query, Params, Body>): RouteSchema<Query, Params, Body> {
  const {
    query,
    answer,
    headers = [],
    forms,
    answers,
    open,
    contract,
    isNumbered,
    problems: own = [],
    requestHeaders,
    ...rest
  } = description
  const numbered: ProblemCode[] = isNumbered ? ['sequence_not_reached', 'sequence_ahead'] : []
  // A path segment longer than any id has no route.
  const ofParts: ProblemCode[] = rest.params ? ['route_not_found'] : []
  const ofBody = rest.body ? everyBody : []
  const codes = [...new Set([...every, ...(open ? [] : everyKeyed), ...numbered, ...ofParts, ...ofBody, ...own])]
  const schema = {
    ...rest,
    ...(contract ? { tags: [contractTag], 'x-contract': true } : {}),
    // `describeAnswers` reads it and removes it from the document.
    [answerText]: answer,
    [answerHeaders]: isNumbered ? [...headers, 'Sequence'] : headers,
    [answerForms]: forms,
    querystring: query ?? Type.Object({}, closed),
    ...(isNumbered ? { headers: FreshnessHeaders } : requestHeaders ? { headers: requestHeaders } : {}),
    security: open ? [] : [{ apiKey: [] }, { bearer: [] }],
    response: { ...answers, ...problemAnswers(codes) },
  }
  return schema as unknown as RouteSchema<Query, Params, Body>
}

/** Refers to a named schema of the document (`components.schemas`). */
export const named = (name: string): TSchema => Type.Unsafe({ $ref: `${name}#` })

export const listOf = (name: string): TSchema => Type.Array(named(name))
