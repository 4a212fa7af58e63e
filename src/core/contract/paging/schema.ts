import { Type, type Static, type TSchema } from 'typebox'
import { Choice, closed, Nullable } from '../scalars.ts'

/** Limits of the `size` of a page. A larger size is capped, not refused (specification 8.3). */
export const pageSize = { default: 10, minimum: 1, maximum: 100 } as const

const url = (description: string) => Type.String({ format: 'uri', description })

export const PageMeta = Type.Object(
  {
    totalCount: Type.Integer({
      description: 'Number of resources that match the filters, over all pages.',
      examples: [21350],
    }),
    currentPageIndex: Type.Integer({ description: 'Requested page, from 0.', examples: [0] }),
    totalPage: Type.Integer({ description: 'Number of pages; 0 if nothing matches.', examples: [214] }),
    pageSize: Type.Integer({ description: 'Applied page size, at most 100.', examples: [100] }),
  },
  { ...closed, title: 'PageMeta' },
)

export const PageLinks = Type.Object(
  {
    self: url('URL of this page.'),
    first: url('URL of the first page.'),
    last: url('URL of the last page.'),
    next: Nullable(url(''), {
      description: 'URL of the next page, or null. In lists by date it continues after the last resource of this page.',
    }),
    prev: Nullable(url(''), { description: 'URL of the previous page, or null.' }),
  },
  { ...closed, title: 'PageLinks', description: 'Absolute URLs with the same filters.' },
)

/** Envelope of the order and webhook lists. */
export const PageOf = <T extends TSchema>(resource: T, title: string) =>
  Type.Object({ data: Type.Array(resource), meta: PageMeta, links: PageLinks }, { ...closed, title })

/** Makes the envelope of the report list, which has no `links` in its body (specification 8.1, 8.2). */
export const PageWithoutLinksOf = <T extends TSchema>(resource: T, title: string) =>
  Type.Object({ data: Type.Array(resource), meta: PageMeta }, { ...closed, title })

/** The cursor of the next page, for lists that are read by `cursor`. */
export const NextCursor = Nullable(Type.String(), { description: 'Pass it as `cursor` to continue; null at the end.' })

/** Envelope of a list that is read by `cursor`. `about` describes the list, such as its order. */
export const CursorPageOf = <T extends TSchema>(resource: T, title?: string, about?: string) =>
  Type.Object(
    {
      data: Type.Array(resource, about === undefined ? {} : { description: about }),
      meta: Type.Object({ next: NextCursor }, closed),
    },
    title === undefined ? closed : { ...closed, title },
  )

export type PageMeta = Static<typeof PageMeta>
export type PageLinks = Static<typeof PageLinks>

const Index = Type.Integer({
  default: 0,
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Page number, from 0.',
})

const Size = Type.Integer({
  default: pageSize.default,
  minimum: pageSize.minimum,
  maximum: pageSize.maximum,
  description: 'Resources per page. Values above 100 are reduced to 100.',
  'x-capped': true,
})

const moment = (description: string) => Type.String({ description, examples: ['2026-03-01', '2026-03-01T10:00:00Z'] })

export const PageQuery = { index: Type.Optional(Index), size: Type.Optional(Size) }

/**
 * The query of the webhook list, whose `index` has no maximum (specification 8.4). An index above the largest safe
 * integer, always past the last page, is read as that integer.
 */
export const WebhookPageQuery = {
  ...PageQuery,
  index: Type.Optional({
    ...Index,
    description: 'Page number, from 0. Values above 9007199254740991 are reduced to that.',
    'x-capped': true,
  }),
}

/** Query shared by the order and report lists. */
export const DatedPageQuery = {
  ...PageQuery,
  after: Type.Optional(
    Type.String({
      maxLength: 60,
      description:
        'From a `next` link: the page begins after this position, regardless of resources that arrived before it. `index` then only numbers the page.',
      examples: ['1772366400000_7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'],
    }),
  ),
  since: Type.Optional(
    moment('Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC.'),
  ),
  until: Type.Optional(
    moment('Date or ISO 8601 datetime of `createdAt`, inclusive. A date is a full UTC day; the default zone is UTC.'),
  ),
  sort: Type.Optional(
    Choice(['createdAt', '-createdAt'], {
      default: 'createdAt',
      description: 'Order by creation date, then id: ascending or descending.',
    }),
  ),
}
