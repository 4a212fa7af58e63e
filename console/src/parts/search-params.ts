/** Reads one query parameter of the URL; undefined if it is missing or invalid. */
export type Reader<T extends string> = (raw: string) => T | undefined

export const oneOf =
  <const T extends readonly string[]>(...values: T): Reader<T[number]> =>
  (raw) =>
    values.find((value) => value === raw)

export const word: Reader<string> = (raw) => (raw === '' ? undefined : raw.slice(0, 2048))

export const date: Reader<string> = (raw) =>
  /^\d{4}-\d{2}-\d{2}$/.test(raw) && !Number.isNaN(Date.parse(raw)) ? raw : undefined

/** Reads a date, which stands for its beginning in UTC, or a moment. */
export const moment: Reader<string> = (raw) =>
  date(raw) ?? (/^\d{4}-\d{2}-\d{2}T[\d:.]{5,12}Z$/.test(raw) && !Number.isNaN(Date.parse(raw)) ? raw : undefined)

export const whole: Reader<string> = (raw) => (/^\d{1,15}$/.test(raw) ? raw : undefined)

/** A rate in hundredths of a percent, or `not_stated`. */
export const taxKey: Reader<string> = (raw) => (raw === 'not_stated' ? raw : whole(raw))

/** `2026-03` */
export const month: Reader<string> = (raw) => (/^\d{4}-(0[1-9]|1[0-2])$/.test(raw) ? raw : undefined)

/** A local hour, `09`. */
export const hour: Reader<string> = (raw) => (/^([01]\d|2[0-3])$/.test(raw) ? raw : undefined)

/** A local half hour, named by its start: `19:30`. */
export const halfHour: Reader<string> = (raw) => (/^([01]\d|2[0-3]):(00|30)$/.test(raw) ? raw : undefined)

/** Money in major units, as in orders. */
export const amount: Reader<string> = (raw) => (/^-?\d{1,9}(\.\d{1,3})?$/.test(raw) ? raw : undefined)

export const uuid: Reader<string> = (raw) =>
  /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(raw) ? raw.toLowerCase() : undefined

type Shape = Record<string, Reader<string>>

export type SearchOf<S extends Shape> = { [K in keyof S]?: Exclude<ReturnType<S[K]>, undefined> | undefined }

/** All values in a URL are text; invalid ones are dropped, and the screen reports them (`ignoredOf`). */
export const search =
  <S extends Shape>(shape: S) =>
  (raw: Record<string, unknown>): SearchOf<S> => {
    const values: Record<string, string> = {}
    for (const [name, read] of Object.entries(shape)) {
      const given = raw[name]
      const value = typeof given === 'string' ? read(given) : undefined
      if (value !== undefined) values[name] = value
    }
    return values as SearchOf<S>
  }

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(values: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** Returns the names of the parameters in the URL that were not understood. */
export function ignoredOf(text: string, understood: object): string[] {
  return Object.keys(parseSearch(text)).filter((name) => !(name in understood))
}

export const ranges = ['today', 'yesterday', '7d', '28d', 'month', 'lastMonth', 'year'] as const

export type RangeWord = (typeof ranges)[number]

/** A range of business days: a word, relative to today, or dates. */
export const rangeShape = { range: oneOf(...ranges), since: date, until: date }
