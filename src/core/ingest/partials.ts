import { keepSpelling } from '../domain/documents/json-spelling.ts'
import { isPlainText } from '../domain/documents/json-text.ts'
import { documentWriter, type DocumentWriter } from '../domain/documents/serialize.ts'
import { validator } from '../domain/documents/validation.ts'
import type { Fault } from '../contract/errors/errors.ts'
import { partials, partialTypes, Removal, type PartialType } from '../schemas/partials.ts'

/** One entry of a list: its text, or null if it is removed. */
export type PartialChange = { type: PartialType; key: string; text: string | null }

type Form = { writer: DocumentWriter; faultsOf: (data: unknown) => Fault[] }

const forms = new Map<PartialType, Form>(
  partialTypes.map((type) => {
    const { schema } = partials[type]
    return [type, { writer: documentWriter(schema), faultsOf: validator(schema, 'body', 'data') }] as const
  }),
)

const removalFaults = validator(Removal, 'body', 'data')

/** Returns the type of a record for one entry of a list; undefined if the value is not such a record. */
export function partialTypeOf(value: unknown): PartialType | undefined {
  const { type, data, ...more } = (value ?? {}) as { type?: unknown; data?: unknown }
  if (data === undefined || Object.keys(more).length > 0) return undefined
  return partialTypes.find((known) => known === type)
}

const underData = (faults: Fault[]) => faults.map((fault) => ({ ...fault, pointer: `/data${fault.pointer}` }))

/**
 * Reads a parsed record of one entry. `look` receives a valid entry whose numbers are JavaScript numbers; the stored
 * text keeps the till's spelling.
 */
export function readPartial(
  type: PartialType,
  { text, value }: { text: string; value: unknown },
  look: (data: unknown) => void,
): PartialChange | { faults: Fault[] } {
  const { data } = value as { data: { id: string } }
  const isRemoval = typeof data === 'object' && data !== null && 'removed' in data
  const { writer, faultsOf } = forms.get(type) as Form
  const faults = isRemoval ? removalFaults(data) : faultsOf(data)
  if (faults.length > 0) return { faults: underData(faults) }
  const key = data.id.toLowerCase()
  if (isRemoval) return { type, key, text: null }
  look(data)
  const fault = isPlainText(text, value) ? undefined : keepSpelling(text, value, true)
  return fault ? { faults: [{ in: 'body', ...fault }] } : { type, key, text: writer.write(data) }
}
