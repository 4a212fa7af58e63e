import { getRouteApi, Link } from '@tanstack/react-router'
import type { SalesOfLocations } from '@tillgate/client'
import { useApi } from '../../api/use-api.ts'
import { createFormat } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Notice, Page } from '../../parts/page.tsx'
import { RangeChoice } from '../../parts/range.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { Bar, Table, numberColumn } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'

const api = getRouteApi('/restaurants')

const everyMs = 60_000

type Row = SalesOfLocations['data'][number]

type Together = SalesOfLocations['totals'][number]

/** The total of one currency, with the change of those restaurants that can be compared. */
function Sum({
  of: { currency, locations, orders, guests, salesInclTax, comparison },
  isAlone,
}: {
  of: Together
  isAlone: boolean
}) {
  const { restaurants: t, sales: texts } = useT()
  const format = useFormat()
  const note = () => {
    if (comparison === null || comparison.change === null) return {}
    const change = format.fraction(comparison.change)
    return comparison.locations === locations
      ? { note: t.against(change) }
      : { note: t.againstSome(change, comparison.locations, locations) }
  }
  return (
    <Figures>
      <FigureOf
        name={isAlone ? t.together : t.togetherIn(currency)}
        value={format.moneyIn(salesInclTax, currency)}
        {...note()}
      />
      <FigureOf name={texts.figures.orders} value={format.number(orders)} />
      <FigureOf name={texts.figures.guests} value={format.number(guests)} />
    </Figures>
  )
}

/**
 * The restaurants of a session compared by their sales: each in its own zone, over the same days of its own calendar.
 */
export function Restaurants() {
  const { restaurants: t, screens, sales: texts, ops } = useT()
  const format = useFormat()
  const { range, since, until } = api.useSearch()
  const [from, to] = [since ?? until, until ?? since]
  const isReversed = from !== undefined && to !== undefined && from > to
  const days =
    from === undefined
      ? { range: range ?? 'today' }
      : isReversed
        ? { since: to, until: from }
        : { since: from, until: to }
  const answer = useApi<SalesOfLocations>({ path: '/v1/sales/locations', query: days }, { everyMs, isOfAll: true })
  const { data = [], totals = [], meta } = answer.data?.data ?? {}
  const soldIn = ({ sales }: Row) => sales?.salesInclTax ?? -1
  // Amounts of different currencies cannot be compared.
  const ranked = data.toSorted((a, b) => a.currency.localeCompare(b.currency, 'en') || soldIn(b) - soldIn(a))
  const mostIn = (code: string) => Math.max(1, ...data.filter(({ currency }) => currency === code).map(soldIn))
  const building = data.filter(({ sales }) => sales === null).length
  return (
    <Page title={screens.restaurants} intro={t.intro}>
      <Filters>
        <RangeChoice search={{ range, since, until }} fallback="today" />
      </Filters>
      {answer.error !== null && <Failure problem={answer.error} />}
      {meta === undefined && answer.error === null && <Loading rows={2} />}
      {/* A sum of some would be taken for that of all. */}
      {meta?.isComplete === true && totals.map((of) => <Sum key={of.currency} of={of} isAlone={totals.length === 1} />)}
      {building > 0 && <Notice tone="warn">{t.building(building)}</Notice>}
      <Box title={t.ranking} aside={<span className="muted">{t.compared}</span>} flush>
        <Table<Row>
          caption={t.ranking}
          fileName={`${screens.restaurants}-${Object.values(days).join('-')}`}
          rows={ranked}
          keyOf={({ locationId }) => locationId}
          columns={[
            {
              key: 'name',
              head: t.restaurant,
              cell: ({ locationId, name, city }) => (
                <>
                  <Link to="/today" search={{ location: locationId } as never}>
                    <Foreign text={name} />
                  </Link>
                  <div className="muted">
                    <Foreign text={city} />
                  </div>
                </>
              ),
              file: ({ name, city }) => `${name}, ${city}`,
            },
            numberColumn(format)('orders', texts.figures.orders, ({ sales }) => sales?.orders ?? null, {
              isExtra: true,
            }),
            {
              key: 'sales',
              head: texts.figures.salesInclTax,
              isNumber: true,
              cell: ({ sales, currency }) =>
                sales === null ? (
                  '–'
                ) : (
                  <Bar share={sales.salesInclTax / mostIn(currency)}>
                    {format.moneyIn(sales.salesInclTax, currency)}
                  </Bar>
                ),
              file: ({ sales, currency }) =>
                sales === null
                  ? null
                  : createFormat(format.language, { ...format.place, currency }).major(sales.salesInclTax),
            },
            ...(totals.length < 2
              ? []
              : [
                  {
                    key: 'currency',
                    head: ops.currency,
                    isExtra: true,
                    cell: ({ currency }: Row) => currency,
                    file: ({ currency }: Row) => currency,
                  },
                ]),
            {
              key: 'change',
              head: texts.difference,
              fileHead: t.change,
              isNumber: true,
              cell: ({ sales }) => {
                const change = sales?.comparison?.change ?? null
                return change === null ? '–' : format.fraction(change)
              },
              file: ({ sales }) => sales?.comparison?.change ?? null,
            },
            numberColumn(format)('open', texts.aside.open, ({ sales }) => sales?.open.orders ?? null, {
              isExtra: true,
            }),
          ]}
        />
      </Box>
    </Page>
  )
}
