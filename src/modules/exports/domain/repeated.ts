import type { Value } from './columns.ts'

type Given = Exclude<Value, null>

/**
 * Returns a function that reuses the result of `make` for the last value: consecutive rows of an order repeat its
 * values.
 */
export function repeated<T>(make: (value: Given) => T): (value: Given) => T {
  let [last, made]: [Given | undefined, T | undefined] = [undefined, undefined]
  return (value) => {
    if (value !== last) [last, made] = [value, make(value)]
    return made as T
  }
}
