import { Type, type Static } from 'typebox'
import { problems, type ProblemCode } from './errors.ts'
import { faultCodes } from './faults.ts'
import { Choice, closed } from '../scalars.ts'

export const Fault = Type.Object(
  {
    in: Choice(['path', 'query', 'header', 'body']),
    pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the part of the request.', examples: ['/size'] }),
    code: Choice(faultCodes, { description: 'Each has a page under `/docs/errors/`.', examples: ['out_of_range'] }),
    detail: Type.String({ examples: ['size must be at least 1'] }),
  },
  { ...closed, title: 'FieldError' },
)

/** RFC 9457 problem document, the body of every error answer. */
export const Problem = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Documentation page of this code.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request, and what to change.' }),
    instance: Type.String({ description: 'Path of the request.' }),
    code: Choice(Object.keys(problems) as ProblemCode[]),
    requestId: Type.String({ description: 'Also in the header `x-request-id`.' }),
    errors: Type.Optional(Type.Array(Fault)),
  },
  { title: 'Problem' },
)

export type Problem = Static<typeof Problem>
