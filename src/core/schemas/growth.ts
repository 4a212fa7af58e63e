import { Type, type TSchema } from 'typebox'

/**
 * Marks a field of a stored document that was added in the release `since`. It stays optional: documents accepted
 * earlier do not have it and are never rewritten, and if a till does not send it, it is not stored, not even as null.
 * So a record pushed again after an upgrade has the same bytes and makes no new version (decision 0033). It comes last
 * in its object.
 */
export function added<T extends TSchema>(since: string, schema: T) {
  const { description = '' } = schema as unknown as { description?: string }
  const words = `Since ${since}: absent in earlier records, and if the till does not send it.`
  return Type.Optional({ ...schema, description: `${description} ${words}`.trim(), 'x-since': since })
}
