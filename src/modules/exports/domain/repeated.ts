import type { Value } from './columns.ts'

type Given = Exclude<Value, null>

/**
 * The rows of an order follow each other and repeat its values: the result for the last value of a column is reused.
 */
export function repeated<T>(make: (value: Given) => T): (value: Given) => T {
  let [last, made]: [Given | undefined, T | undefined] = [undefined, undefined]
  return (value) => {
    if (value !== last) [last, made] = [value, make(value)]
    return made as T
  }
}
