import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })

/** Words for ranges of days. Each location applies them in its own time zone. */
export const rangeWords = ['today', 'yesterday', '7d', '28d', 'month', 'lastMonth', 'year'] as const

export type RangeWord = (typeof rangeWords)[number]

export const SalesOfLocationsQuery = Type.Object(
  {
    range: Type.Optional(
      Choice(rangeWords, {
        default: 'today',
        description: 'Named range of business days, in the time zone of each location; not with `since` and `until`.',
      }),
    ),
    since: Type.Optional(Type.String({ format: 'date', description: 'First business day.', examples: ['2026-03-01'] })),
    until: Type.Optional(Type.String({ format: 'date', description: 'Last business day; `since` by default.' })),
  },
  closed,
)

const sums = { orders: Count(), guests: Count(), salesInclTax: Minor() }

const change = Nullable(Type.Number(), {
  description: 'Relative change of `salesInclTax`, 0.05 for 5 %; null without sales before.',
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
            Type.Object({ since: day('First business day of the comparison.'), ...sums, change }, closed),
            {
              description:
                'The latest earlier range of as many days that begins on the same weekday, up to the same time if the last day has not ended; ' +
                'null if it begins before the first business day of the location.',
            },
          ),
        },
        closed,
      ),
      { description: 'Sales of the location; null while its figures are being built.' },
    ),
  },
  { ...closed, title: 'SalesOfLocation' },
)

export type SalesOfLocation = Static<typeof SalesOfLocation>

const Together = Type.Object(
  {
    currency: Type.String({ examples: ['EUR'] }),
    locations: Count({ description: 'Number of locations with figures in this currency.' }),
    ...sums,
    comparison: Nullable(
      Type.Object(
        {
          locations: Count({ description: 'Number of locations with a comparison.' }),
          salesInclTax: Minor({ description: 'Sales of the locations with a comparison.' }),
          salesInclTaxBefore: Minor({ description: 'Sales of the locations with a comparison, on the compared days.' }),
          change,
        },
        closed,
      ),
      { description: 'Comparison over the locations that have one; null if none has.' },
    ),
  },
  closed,
)

export type Together = Static<typeof Together>

export const SalesOfLocations = Type.Object(
  {
    data: Type.Array(SalesOfLocation, { description: 'Locations, ordered by id.' }),
    totals: Type.Array(Together, { description: 'One sum per currency.' }),
    meta: Type.Object(
      {
        locations: Count({ description: 'Number of active locations that the caller can read.' }),
        isComplete: Type.Boolean({
          description: 'Whether the sums include every active location that the caller can read.',
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'SalesOfLocations' },
)

export type SalesOfLocations = Static<typeof SalesOfLocations>
