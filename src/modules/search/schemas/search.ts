import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const SearchHit = Type.Object(
  {
    kind: Choice(['order', 'report', 'product', 'entry'], {
      description: 'What was found; an `entry` of the journal.',
      examples: ['order'],
    }),
    id: Uuid({ description: 'Id of what was found; for an entry, of what it is about.' }),
    label: Type.String({
      description: 'Its number or name; of an entry its number, as in `#51238`.',
      examples: ['1042'],
    }),
    at: Nullable(Datetime(), { description: 'When the till made it; null for a product.' }),
    detail: Nullable(Type.String(), {
      description: 'Place of an order, till of a report, category of a product, kind of an entry.',
      examples: ['12'],
    }),
    url: Type.String({
      description: 'Path at which it is read; of a product, that of the list.',
      examples: ['/v1/orders/…'],
    }),
  },
  { ...closed, title: 'SearchHit' },
)

export const SearchAnswer = Type.Object(
  {
    data: Type.Array(SearchHit, {
      description: 'Orders, then reports, each the newest first; then products by name, and an entry of the journal.',
    }),
    meta: Type.Object(
      { sequence: Count({ description: 'Number of the journal that was the head then.', examples: [48211] }) },
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
        'Beginning of an order number, or its end among the last orders; number of a Z report, with or without Z; number of the journal or id of an event; words of the name of a product, or an id of an order, report or ' +
        'product from its first 8 digits on.',
      examples: ['1042'],
    }),
    limit: Type.Optional(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 50,
        'x-capped': true,
        description: 'Hits of each kind at most; capped at 50.',
      }),
    ),
  },
  closed,
)

export type SearchAnswer = Static<typeof SearchAnswer>
