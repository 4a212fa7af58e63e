import { Type, type Static } from 'typebox'
import { Choice, closed } from '../contract/scalars.ts'
import { modules } from '../modules.ts'

/** Codes of warnings, of the modules that give any. */
const codes: readonly string[] = modules().flatMap((module) => Object.keys(module.warnings ?? {}))

/** What the sender of a record should know, which is stored all the same. */
export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'JSON Pointer (RFC 6901) into the record.', examples: ['/data/total'] }),
    code: Choice(codes, { description: 'Each has a page under `/docs/warnings/`.' }),
    detail: Type.String({ examples: ['total is 500, the items add up to 5'] }),
  },
  { ...closed, title: 'Warning' },
)

export type Warning = Static<typeof Warning>
