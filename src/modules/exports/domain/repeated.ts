import type { Value } from './columns.ts'

type Given = Exclude<Value, null>

/** Rows of an order follow each other and repeat what is of it: what was made of the last value of a column is not made again. */
export function repeated<T>(make: (value: Given) => T): (value: Given) => T {
  let [last, made]: [Given | undefined, T | undefined] = [undefined, undefined]
  return (value) => {
    if (value !== last) [last, made] = [value, make(value)]
    return made as T
  }
}
