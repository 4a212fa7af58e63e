import { Type, type Static } from 'typebox'
import { Choice, closed } from '../contract/scalars.ts'
import { modules } from '../modules.ts'

/** Codes of warnings, from all modules. */
const codes: readonly string[] = modules().flatMap((module) => Object.keys(module.warnings ?? {}))

/** A warning to the sender of a record, which is stored anyway. */
export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the record.', examples: ['/data/total'] }),
    code: Choice(codes, { description: 'Each has a page under `/docs/warnings/`.' }),
    detail: Type.String({ examples: ['total is 500, the items add up to 5'] }),
  },
  { ...closed, title: 'Warning' },
)

export type Warning = Static<typeof Warning>
