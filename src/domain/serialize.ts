import type { TSchema } from 'typebox'
type Shape = {
  type?: string | string[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
}

type Arrange = (value: unknown) => unknown

const keep: Arrange = (value) => value

function arrangeObject(properties: Record<string, Shape>, required: readonly string[]): Arrange {
  const fields = Object.entries(properties).map(([key, shape]) => ({
    key,
    arrange: compile(shape),
    // A field that later releases added is optional: where it was not sent it stays away (decision 0033).
    filled: required.includes(key) && [shape.type].flat().includes('null'),
  }))
  return (value) => {
    const source = value as Record<string, unknown>
    const target: Record<string, unknown> = {}
    for (const { key, arrange, filled } of fields) {
      const child = source[key]
      if (child !== undefined) target[key] = child === null ? null : arrange(child)
      else if (filled) target[key] = null
    }
    return target
  }
}

function compile(shape: Shape): Arrange {
  const types = [shape.type].flat()
  if (shape.properties) return arrangeObject(shape.properties, shape.required ?? [])
  if (shape.items) {
    const arrange = compile(shape.items)
    return arrange === keep ? keep : (value) => (value as unknown[]).map(arrange)
  }
  // An integer is written as an integer: typed clients refuse `1.0` where the contract says integer.
  return types.includes('integer') ? (value) => (JSON.isRawJSON(value) ? Number(value.rawJSON) : value) : keep
}

/**
 * Makes the writer of one kind of document: the fields in the documented order, required nullable fields that are
 * absent as null, nothing else changed. The value must have passed its validator.
 */
export function documentWriter(schema: TSchema): (value: unknown) => string {
  const arrange = compile(schema)
  return (value) => JSON.stringify(arrange(value))
}
