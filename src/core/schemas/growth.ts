import { Type, type TSchema } from 'typebox'

/**
 * Marks a field of a stored document that was added in the release `since`. The field stays optional: documents
 * accepted earlier lack it and are never rewritten. A field that a till does not send is not stored, not even as null.
 * So a record pushed again after an upgrade has the same bytes and makes no new version (decision 0033). The field
 * comes last in its object.
 */
export function added<T extends TSchema>(since: string, schema: T) {
  const { description = '' } = schema as unknown as { description?: string }
  const words = `Since ${since}: absent in earlier records, and if the till does not send it.`
  return Type.Optional({ ...schema, description: `${description} ${words}`.trim(), 'x-since': since })
}
