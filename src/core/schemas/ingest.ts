import { Type, type Static, type TSchema } from 'typebox'
import { faultCodes, stopCodes } from '../contract/errors/faults.ts'
import { codesOf, verdicts } from '../outcomes.ts'
import { Fault } from '../contract/errors/schema.ts'
import { partialTypes } from './partials.ts'
import { modules } from '../modules.ts'
import { recordTypes } from '../contract/resources.ts'
import { CursorPageOf } from '../contract/paging/schema.ts'
import { Choice, closed, Datetime, Uuid } from '../contract/scalars.ts'
import { Warning } from './warnings.ts'

export { recordSchemas, recordTypes, type RecordType } from '../contract/resources.ts'

/** Fields that a till may leave out: the server sets its own time (decision 0007). */
export const serverTimes = ['createdAt', 'updatedAt'] as const

type ObjectSchema = { type: string; properties: Record<string, { type?: unknown }>; required: string[] }

/** Returns the read shape with server times and nullable fields optional; absent nullable fields are stored as null. */
export function pushedShape(schema: TSchema): TSchema {
  const shape = schema as unknown as ObjectSchema & { items: TSchema }
  if (shape.type === 'array') return { ...schema, items: pushedShape(shape.items) }
  if (shape.type !== 'object') return schema
  const optional = (key: string) =>
    serverTimes.some((name) => name === key) || [shape.properties[key]?.type].flat().includes('null')
  const properties = Object.entries(shape.properties).map(([key, child]) => [key, pushedShape(child as TSchema)])
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: shape.required.filter((key) => !optional(key)),
  }
}

/** Records of modules that are converted to a core resource. */
export const madeShapes: readonly [type: string, TSchema][] = modules().flatMap((module) =>
  Object.entries(module.pushed ?? {}),
)

export const madeTypes = madeShapes.map(([type]) => type)

export const IngestRecord = Type.Object(
  {
    type: Choice([...recordTypes, ...partialTypes, ...madeTypes]),
    data: Type.Unknown({
      description:
        'The resource in the shape in which it is read; for `catalog.products`, `catalog.modifiers`, `catalog.payments` and `catalog.taxes` the complete ' +
        'list. `catalog.product`, `catalog.modifier`, `catalog.payment`, `catalog.tax` and `device` are one entry of a list, which is ' +
        'added or changed, or removed with `{"id": …, "removed": true}`. A `ticket` becomes an order, a `closing` a report.',
    }),
  },
  { ...closed, title: 'IngestRecord' },
)

export const RecordResult = Type.Object(
  {
    line: Type.Integer({ description: 'Line of the NDJSON body, or position in the JSON array, from 1.' }),
    status: Choice(codesOf(verdicts), {
      description:
        '`accepted`: stored and journaled. `unchanged`: this version was already stored. `stale`: a newer version is ' +
        'stored. `rejected`: not stored; kept for `tillgate rejected list`.',
    }),
    type: Type.Optional(Type.String()),
    id: Type.Optional(Type.String({ description: 'In lower case; for a rejected record, as it was sent.' })),
    sequence: Type.Optional(Type.Integer({ description: 'Sequence in the journal of the location, if accepted.' })),
    code: Type.Optional(
      Choice(faultCodes, { description: 'Code of the first entry of `errors`.', examples: ['unknown_field'] }),
    ),
    detail: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(Fault)),
    warnings: Type.Optional(
      Type.Array(Warning, { description: 'Possible mistakes of the till; the record was stored.' }),
    ),
  },
  { ...closed, title: 'RecordResult' },
)

export const IngestAnswer = Type.Object(
  {
    accepted: Type.Integer(),
    unchanged: Type.Integer(),
    stale: Type.Integer(),
    rejected: Type.Integer(),
    warned: Type.Integer({ description: 'Number of stored records with `warnings`.' }),
    results: Type.Array(RecordResult, {
      description:
        'One entry for each of the first 1,000 records; after that only for `stale` and `rejected` records and those with warnings, at most 10,000.',
    }),
    resultsOmitted: Type.Integer({ description: 'Number of records that were counted but not listed.' }),
    stopped: Type.Optional(
      Type.Object(
        { line: Type.Integer(), code: Choice(stopCodes), detail: Type.String() },
        {
          ...closed,
          description: 'Present if reading stopped before the end of the body; stored records stay stored.',
        },
      ),
    ),
  },
  { ...closed, title: 'IngestAnswer' },
)

export const KeptWarnings = CursorPageOf(
  Type.Object(
    {
      receivedAt: Datetime({ description: 'Time of the push.' }),
      line: Type.Integer({ description: 'Line of the push, or position in the array.' }),
      type: Choice(recordTypes),
      id: Uuid({ description: 'Id of the record; for a catalog list, the id of the location.' }),
      ...Warning.properties,
    },
    closed,
  ),
)

export type RecordResult = Static<typeof RecordResult>
export type IngestAnswer = Static<typeof IngestAnswer>
export type Verdict = keyof typeof verdicts
