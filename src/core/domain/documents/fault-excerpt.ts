import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

type Shape = { properties?: Record<string, TSchema>; items?: TSchema; maxItems?: number }

/** The faulty parts of a value. `toWhole` converts the pointer of a fault in them to its pointer in the value. */
export type Excerpt = { value: unknown; toWhole: (pointer: string) => string }

/** Maps the pointer of an array in the excerpt to the original indexes of its kept elements. */
type Places = Map<string, number[]>

type Take = (value: unknown, pointer: string, places: Places) => unknown

/** A list up to this length is kept completely, so that faults of the list itself (its length) are found too. */
const shortList = 100

const keep: Take = (value) => value

function takeArray(items: TSchema, maxItems: number, limit: number): Take {
  const element = Compile(items)
  const take = compile(items, limit)
  return (value, pointer, places) => {
    if (!Array.isArray(value)) return value
    if (value.length <= shortList) return value.map((one, i) => take(one, `${pointer}/${i}`, places))
    const kept: unknown[] = []
    const indexes: number[] = []
    for (let i = 0; i < value.length && kept.length < limit; i++) {
      if (element.Check(value[i])) continue
      kept.push(take(value[i], `${pointer}/${kept.length}`, places))
      indexes.push(i)
    }
    // No element is faulty, so the fault is the length.
    if (kept.length === 0) return value.slice(0, maxItems + 1)
    places.set(pointer, indexes)
    return kept
  }
}

function takeObject(properties: Record<string, TSchema>, limit: number): Take {
  const known = new Map(Object.entries(properties).map(([key, shape]) => [key, compile(shape, limit)]))
  return (value, pointer, places) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    // Without a prototype, so that `__proto__` is an ordinary field.
    const part = Object.create(null) as Record<string, unknown>
    let unknown = 0
    for (const key of Object.keys(value)) {
      const take = known.get(key)
      if (take === undefined && ++unknown > limit) continue
      part[key] = (take ?? keep)((value as Record<string, unknown>)[key], `${pointer}/${key}`, places)
    }
    return part
  }
}

function compile(schema: TSchema, limit: number): Take {
  const { properties, items, maxItems = limit } = schema as Shape
  if (items) return takeArray(items, maxItems, limit)
  return properties ? takeObject(properties, limit) : keep
}

/**
 * Makes a function that reduces a faulty value before its faults are listed. Long arrays keep the first `limit` invalid
 * elements; objects keep the documented fields and `limit` other fields. Otherwise the schema compiler lists every
 * fault: a MiB can have half a million, which takes a fifth of a second. The reduction is linear in the value.
 */
export function excerptOf(schema: TSchema, limit: number): (value: unknown) => Excerpt {
  const take = compile(schema, limit)
  return (complete) => {
    const places: Places = new Map()
    const value = take(complete, '', places)
    const toWhole = (pointer: string) => {
      let original = ''
      let here = ''
      for (const part of pointer.split('/').slice(1)) {
        const place = places.get(here)?.[Number(part)]
        original += `/${place ?? part}`
        here += `/${part}`
      }
      return original
    }
    return { value, toWhole }
  }
}
