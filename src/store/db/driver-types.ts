import type postgres from 'postgres'

/** Maps PostgreSQL's types to those of JavaScript. A number is exact here: sequences and counts stay far below 2^53. */
export type Types = { int8: number; date: Date; textArray: string[]; uuidArray: string[] }

/** PostgreSQL writes `2026-03-14 12:34:56.789+00`; `Date` reads years before 100 only in the ISO form. */
const timestamptz: postgres.PostgresType<Date> = {
  to: 1184,
  from: [1184],
  serialize: (value: Date | string) => (typeof value === 'string' ? value : value.toISOString()),
  parse: (text: string) => new Date(`${text.replace(' ', 'T')}:00`),
}

const int8: postgres.PostgresType<number> = {
  to: 20,
  from: [20],
  serialize: (value: number) => String(value),
  parse: (text: string) => Number(text),
}

/** Reads and writes an array of texts in PostgreSQL's own notation: `{a,"b c"}`. */
function arrayOf(type: number): postgres.PostgresType<string[]> {
  return {
    to: type,
    from: [type],
    serialize: (values: string[]) =>
      `{${values.map((value) => `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`).join(',')}}`,
    parse: (text: string) =>
      (text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|[^,]+/g) ?? []).map((part) =>
        part.startsWith('"') ? part.slice(1, -1).replaceAll(/\\(.)/g, '$1') : part,
      ),
  }
}

const textArray = arrayOf(1009)

const uuidArray = arrayOf(2951)

/** How the driver writes and reads them. */
export const types = { int8, date: timestamptz, textArray, uuidArray }
