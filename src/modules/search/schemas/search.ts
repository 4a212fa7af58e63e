import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const SearchHit = Type.Object(
  {
    kind: Choice(['order', 'report', 'product', 'entry'], {
      description: 'Kind of the result; `entry` is a journal entry.',
      examples: ['order'],
    }),
    id: Uuid({ description: 'Id of the result; for an entry, the id of its resource.' }),
    label: Type.String({
      description: 'Number or name; for an entry its sequence, as in `#51238`.',
      examples: ['1042'],
    }),
    at: Nullable(Datetime(), { description: 'Creation time set by the till; null for a product.' }),
    detail: Nullable(Type.String(), {
      description: 'Table of an order, till of a report, category of a product, or kind of an entry.',
      examples: ['12'],
    }),
    url: Type.String({
      description: 'Path of the resource; for a product, path of the list.',
      examples: ['/v1/orders/…'],
    }),
  },
  { ...closed, title: 'SearchHit' },
)

export const SearchAnswer = Type.Object(
  {
    data: Type.Array(SearchHit, {
      description: 'Orders, then reports, each newest first; then products by name, and a journal entry.',
    }),
    meta: Type.Object(
      { sequence: Count({ description: 'Sequence of the head of the journal.', examples: [48211] }) },
      closed,
    ),
  },
  { ...closed, title: 'SearchAnswer' },
)

export const SearchQuery = Type.Object(
  {
    q: Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Beginning of an order number, or its end among the last orders; number of a Z report, with or without Z; journal sequence or event id; words of a product name; or at least the first 8 digits of the id of an order, report or ' +
        'product.',
      examples: ['1042'],
    }),
    limit: Type.Optional(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 50,
        'x-capped': true,
        description: 'Maximum results of each kind, at most 50.',
      }),
    ),
  },
  closed,
)

export type SearchAnswer = Static<typeof SearchAnswer>
