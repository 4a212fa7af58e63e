import type { TSchema } from 'typebox'

type Shape = {
  type?: string | string[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
}

/** Puts values of one shape into the documented order. `isArranged` returns whether a value has that order; if absent, all have. */
type Arrangement = { arrange: (value: unknown) => unknown; isArranged?: (value: unknown) => boolean }

type Field = Arrangement & { key: string; filled: boolean }

const scalar: Arrangement = { arrange: (value) => value }

// An integer is written as an integer: typed clients refuse `1.0` for an integer of the contract.
const integer: Arrangement = { arrange: (value) => (JSON.isRawJSON(value) ? Number(value.rawJSON) : value) }

function objectOf(properties: Record<string, Shape>, required: readonly string[]): Arrangement {
  const fields = Object.entries(properties).map(([key, shape]): Field => {
    // A field added by a later release is optional: if it was not sent it is left out (decision 0033).
    return { key, ...compile(shape), filled: required.includes(key) && [shape.type].flat().includes('null') }
  })
  // Fields from this index on are never filled with null, so a value may end before them.
  const lastFilled = 1 + fields.findLastIndex(({ filled }) => filled)
  const arrange = (value: unknown) => {
    const source = value as Record<string, unknown>
    const target: Record<string, unknown> = {}
    for (const field of fields) {
      const child = source[field.key]
      if (child !== undefined) target[field.key] = child === null ? null : field.arrange(child)
      else if (field.filled) target[field.key] = null
    }
    return target
  }
  const isArranged = (value: unknown) => {
    const source = value as Record<string, unknown>
    let at = 0
    for (const key in source) {
      let field = fields[at++]
      while (field !== undefined && field.key !== key) {
        if (field.filled) return false
        field = fields[at++]
      }
      if (field === undefined) return false
      if (field.isArranged === undefined && !field.filled) continue
      const child = source[key]
      if (child === undefined) return false
      if (child !== null && field.isArranged?.(child) === false) return false
    }
    return at >= lastFilled
  }
  return { arrange, isArranged }
}

function listOf({ arrange, isArranged }: Arrangement): Arrangement {
  const list = { arrange: (value: unknown) => (value as unknown[]).map(arrange) }
  if (isArranged === undefined) return list
  return {
    ...list,
    isArranged(value) {
      for (const entry of value as unknown[]) if (!isArranged(entry)) return false
      return true
    },
  }
}

function compile(shape: Shape): Arrangement {
  if (shape.properties) return objectOf(shape.properties, shape.required ?? [])
  if (shape.items) return listOf(compile(shape.items))
  return [shape.type].flat().includes('integer') ? integer : scalar
}

/** Writes the documents of one kind. The values must have passed their validator. */
export type DocumentWriter = {
  /** Writes a document: fields in the documented order, missing required nullable fields as null, no other change. */
  write: (value: unknown) => string
  /**
   * Whether `write` would change nothing, so that `JSON.stringify` of the value already is its document. The value
   * comes from `JSON.parse`, with JavaScript numbers.
   */
  isArranged: (value: unknown) => boolean
}

export function documentWriter(schema: TSchema): DocumentWriter {
  const { arrange, isArranged = () => true } = compile(schema)
  return { write: (value) => JSON.stringify(arrange(value)), isArranged }
}

/** Returns the schema without its checks for unknown fields: a value that `isArranged` accepts has none. */
export function openShape(schema: TSchema): TSchema {
  const { properties, items, additionalProperties: _, ...shape } = schema as Shape & { additionalProperties?: unknown }
  const open = (child: Shape) => openShape(child)
  if (items) return { ...shape, items: open(items) }
  if (!properties) return schema
  return {
    ...shape,
    properties: Object.fromEntries(Object.entries(properties).map(([key, child]) => [key, open(child)])),
  }
}
