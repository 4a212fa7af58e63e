import { Type, type TSchema } from 'typebox'

/**
 * Marks a field of a stored document that came with the release `since`, after the first one. It is optional for ever:
 * documents that were accepted before do not have it and are never rewritten, and a till that does not send it stores
 * none, not even null. So a record that is pushed again after an upgrade is the same bytes, and means no new version
 * (decision 0033). It stands last in its object.
 */
export function added<T extends TSchema>(since: string, schema: T) {
  const { description = '' } = schema as unknown as { description?: string }
  const words = `Since ${since}: absent in earlier records, and if the till does not send it.`
  return Type.Optional({ ...schema, description: `${description} ${words}`.trim(), 'x-since': since })
}
