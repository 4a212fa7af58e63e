import { Type, type TObject, type TSchema } from 'typebox'
import { problems, type ProblemCode } from '../../contract/errors/errors.ts'
import { answerForms, answerHeaders, answerText, type AnswerHeader } from './openapi-answers.ts'
import { closed, Uuid } from '../../contract/scalars.ts'
import { FreshnessHeaders } from '../../schemas/freshness.ts'

/** Matches the path of one resource: a UUID in either case. */
export const IdParams = Type.Object({ id: Uuid() }, closed)

/** A route describes itself in these words; `operation` makes the schema of Fastify and of OpenAPI from them. */
type Description<Query extends TObject, Params extends TObject, Body extends TSchema> = {
  operationId: string
  /** What the successful answer is; where there are several, by status. */
  answer: string | Record<number, string>
  /** What the 200 has beside the headers of every answer; one that is numbered has `Sequence` without saying so. */
  headers?: AnswerHeader[]
  /** Other media types of the 200, and what each is. */
  forms?: Record<string, string>
  summary: string
  description?: string
  params?: Params
  query?: Query
  /** The response has the header `Tillgate-Sequence`, and the request may have `Tillgate-Min-Sequence` (decision 0030). */
  isNumbered?: true
  /** Headers of the request, beside those that every numbered one may have. */
  requestHeaders?: TObject
  body?: Body
  /** Body of the 200 answer; more statuses by number. */
  answers: Record<number, TSchema>
  problems?: ProblemCode[]
  /** Public: no key, no rate limit. */
  open?: boolean
} & (
  | { contract?: never; tags: [string] }
  /** The operation is one of the specification's (docs/contract/specification.md): it has the first tag, and `x-contract`. */
  | { contract: true; tags?: never }
)

/** The tag of the specification's operations. */
export const contractTag = 'Contract'

/** Any operation with a key can answer these problems. */
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
/** Any operation at all can answer these problems. */
const every: ProblemCode[] = [
  'validation_failed',
  'internal_error',
  'database_unavailable',
  'database_went_back',
  'database_full',
]

/** Any operation that takes a body can answer these problems. */
const everyBody: ProblemCode[] = ['body_invalid', 'body_too_large', 'media_type_unsupported']

/** Groups the codes by their status: OpenAPI has one answer for each status. */
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

/** Fastify types the request by these parts. */
type RouteSchema<Query, Params, Body> = { querystring: Query; params: Params; body: Body }

/**
 * Makes the `schema` of a route: what it takes, what it answers, and its place in the OpenAPI document. An operation
 * without query takes none, and refuses any.
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
  // A part of a path that is longer than any id names nothing.
  const ofParts: ProblemCode[] = rest.params ? ['route_not_found'] : []
  const ofBody = rest.body ? everyBody : []
  const codes = [...new Set([...every, ...(open ? [] : everyKeyed), ...numbered, ...ofParts, ...ofBody, ...own])]
  const schema = {
    ...rest,
    ...(contract ? { tags: [contractTag], 'x-contract': true } : {}),
    // Read by `describeAnswers`, which removes it from the document.
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

/** Refers to a plain array of a named schema. */
export const listOf = (name: string): TSchema => Type.Array(named(name))
