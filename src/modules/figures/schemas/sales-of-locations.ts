import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })

/** Days that are named by a word: each location has them in its own time zone. */
export const rangeWords = ['today', 'yesterday', '7d', '28d', 'month', 'lastMonth', 'year'] as const

export type RangeWord = (typeof rangeWords)[number]

export const SalesOfLocationsQuery = Type.Object(
  {
    range: Type.Optional(
      Choice(rangeWords, {
        default: 'today',
        description: 'Business days by a word, in the time zone of each location; not with `since` and `until`.',
      }),
    ),
    since: Type.Optional(Type.String({ format: 'date', description: 'First business day.', examples: ['2026-03-01'] })),
    until: Type.Optional(
      Type.String({ format: 'date', description: 'Last business day; the same as `since` when left out.' }),
    ),
  },
  closed,
)

const sums = { orders: Count(), guests: Count(), salesInclTax: Minor() }

const change = Nullable(Type.Number(), {
  description:
    'By which fraction `salesInclTax` is more than before, 0.05 for 5 %; null where nothing was sold before.',
})

const SalesOfLocation = Type.Object(
  {
    locationId: Uuid(),
    name: Type.String(),
    city: Type.String(),
    timeZone: Type.String({ examples: ['Europe/Paris'] }),
    currency: Type.String({ examples: ['EUR'] }),
    sales: Nullable(
      Type.Object(
        {
          since: day('First business day.'),
          until: day('Last business day.'),
          ...sums,
          open: Type.Object({ orders: Count(), salesInclTax: Minor() }, closed),
          comparison: Nullable(
            Type.Object({ since: day('First business day compared with.'), ...sums, change }, closed),
            {
              description:
                'The same weekdays of the week before, to the minute where the last day is not over; null where they lie before the first ' +
                'business day of the location.',
            },
          ),
        },
        closed,
      ),
      { description: 'Null while the figures of the location are being built.' },
    ),
  },
  { ...closed, title: 'SalesOfLocation' },
)

export type SalesOfLocation = Static<typeof SalesOfLocation>

const Together = Type.Object(
  {
    currency: Type.String({ examples: ['EUR'] }),
    locations: Count({ description: 'Locations with figures in this currency.' }),
    ...sums,
    comparison: Nullable(
      Type.Object(
        {
          locations: Count({ description: 'Locations that are compared: those with a comparison of their own.' }),
          salesInclTax: Minor({ description: 'What these locations sold.' }),
          salesInclTaxBefore: Minor({ description: 'What the same locations sold in the days compared with.' }),
          change,
        },
        closed,
      ),
      { description: 'Like with like; null where no location can be compared.' },
    ),
  },
  closed,
)

export type Together = Static<typeof Together>

export const SalesOfLocations = Type.Object(
  {
    data: Type.Array(SalesOfLocation, { description: 'By location id.' }),
    totals: Type.Array(Together, { description: 'One sum for each currency.' }),
    meta: Type.Object(
      {
        locations: Count({ description: 'Active locations that the caller may read.' }),
        isComplete: Type.Boolean({ description: 'Whether the figures of all of them are in the sums.' }),
      },
      closed,
    ),
  },
  { ...closed, title: 'SalesOfLocations' },
)

export type SalesOfLocations = Static<typeof SalesOfLocations>
