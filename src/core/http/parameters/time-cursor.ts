import { Type } from 'typebox'
import { allTime } from '../../domain/days/day-ranges.ts'
import { validationFailed } from '../../contract/errors/errors.ts'
import { isUuid } from '../../contract/scalars.ts'

/** Makes the parameters of a list that is paged by time and id; `size` is the default and the maximum. */
export const cursorQuery = (size: number) => ({
  size: Type.Optional(
    Type.Integer({
      default: size,
      minimum: 1,
      maximum: size,
      'x-capped': true,
      description: `Page size, at most ${size}.`,
    }),
  ),
  cursor: Type.Optional(Type.String({ description: '`meta.next` of the previous page.', maxLength: 200 })),
})

/** Milliseconds of Unix time and an id: together they are unique and in the order of the list. */
const form = /^(-?\d{1,15})_(.{36})$/

/** Formats `meta.next` of a page whose last entry has this time and id. */
export const timeCursor = (at: Date, id: string) => `${at.getTime()}_${id}`

/**
 * Reads the position of a cursor; null at the beginning of the list. Throws 400, naming the parameter, for anything but
 * the `meta.next` of a page.
 */
export function readTimeCursor(
  text: string | undefined,
  { name, from } = { name: 'cursor', from: '`meta.next` of a page of this list' },
): { at: Date; id: string } | null {
  if (text === undefined) return null
  const match = form.exec(text)
  const [at, id] = [Number(match?.[1]), match?.[2] ?? '']
  if (at >= allTime.first && at <= allTime.last && isUuid(id)) return { at: new Date(at), id }
  throw validationFailed([
    { in: 'query', pointer: `/${name}`, code: 'invalid_cursor', detail: `${name} must be ${from}` },
  ])
}
