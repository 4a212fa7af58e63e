import { useQueries } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { Sales } from '@tillgate/client'
import type { Problem } from '../../api/problem.ts'
import { send, type Call } from '../../api/request.ts'
import { useSession, type SessionLocation } from '../../api/session.tsx'
import { businessDayOf, createFormat } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Notice, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'
import { isAllKnown } from './paired.ts'

const api = getRouteApi('/restaurants')

const everyMs = 60_000

/** By which fraction it sold more; null where nobody can say. */
const changeOf = (sales: Sales | undefined): number | null =>
  sales !== undefined && isAllKnown(sales, 'weekday') ? (sales.comparison?.change.salesInclTax ?? null) : null

type Row = { place: SessionLocation; sales: Sales | undefined; problem: Problem | null }

/** Each restaurant of a session beside the others, by what it sold: each in its own zone, over the same days of its own calendar. */
export function Restaurants() {
  const { restaurants: t, screens, sales: texts, ops } = useT()
  const format = useFormat()
  const { locations, allLocations } = useSession()
  const search = api.useSearch()
  const { since, until } = daysOf(search, format, 'today')
  const answers = useQueries({
    queries: locations.map((place) => {
      const own = createFormat(format.language, place)
      const days = daysOf(search, own, 'today')
      const isOpen = days.until >= businessDayOf(new Date(), place)
      const call: Call = {
        path: '/v1/sales/',
        query: { ...days, by: 'total', compare: 'weekday', upToNow: isOpen ? 'true' : undefined },
      }
      return {
        queryKey: ['v1', place.id, call],
        queryFn: ({ signal }: { signal: AbortSignal }) => send<Sales>(call, { location: place.id, signal }),
        refetchInterval: everyMs,
      }
    }),
  })
  const rows: Row[] = locations.map((place, at) => ({
    place,
    sales: answers[at]?.data?.data,
    problem: (answers[at]?.error ?? null) as Problem | null,
  }))
  const known = rows.filter((row): row is Row & { sales: Sales } => row.sales !== undefined)
  const currencies = new Set(locations.map(({ currency }) => currency))
  const soldIn = ({ sales }: Row) => sales?.totals.salesInclTax ?? -1
  // Amounts of one currency say nothing beside those of another.
  const ranked = rows.toSorted(
    (a, b) => a.place.currency.localeCompare(b.place.currency, 'en') || soldIn(b) - soldIn(a),
  )
  const [currency = 'EUR'] = currencies
  const sumOf = (of: (sales: Sales) => number | null | undefined) =>
    known.reduce((sum, { sales }) => sum + (of(sales) ?? 0), 0)
  const now = sumOf(({ totals }) => totals.salesInclTax)
  const before = sumOf(({ comparison }) => comparison?.totals.salesInclTax)
  const mostIn = (code: string) => Math.max(1, ...known.filter(({ place }) => place.currency === code).map(soldIn))
  // A sum of some would be taken for that of all.
  const isWhole = known.length === rows.length
  return (
    <Page title={screens.restaurants} intro={t.intro}>
      <Filters>
        <RangeChoice search={search} fallback="today" />
      </Filters>
      {allLocations && locations.length >= 50 && <Notice tone="warn">{t.first(locations.length)}</Notice>}
      {!isWhole && rows.every(({ problem }) => problem === null) && <Loading rows={2} />}
      {isWhole && currencies.size === 1 && (
        <Figures>
          <FigureOf
            name={t.together}
            value={format.moneyIn(now, currency)}
            {...(before > 0 ? { note: t.against(format.change(now, before)) } : {})}
          />
          <FigureOf name={texts.figures.orders} value={format.number(sumOf(({ totals }) => totals.orders))} />
          <FigureOf name={texts.figures.guests} value={format.number(sumOf(({ totals }) => totals.guests))} />
        </Figures>
      )}
      {isWhole && currencies.size > 1 && <p className="muted">{t.currencies}</p>}
      <Box title={t.ranking} aside={<span className="muted">{t.compared}</span>} flush>
        <Table<Row>
          caption={t.ranking}
          fileName={`${screens.restaurants}-${since}-${until}`}
          rows={ranked}
          keyOf={({ place }) => place.id}
          columns={[
            {
              key: 'name',
              head: t.restaurant,
              cell: ({ place, problem }) => (
                <>
                  <Link to="/today" search={{ location: place.id } as never}>
                    <Foreign text={place.name} />
                  </Link>
                  <div className="muted">
                    <Foreign text={place.city} />
                  </div>
                  {problem !== null && <Failure problem={problem} />}
                </>
              ),
              file: ({ place }) => `${place.name}, ${place.city}`,
            },
            {
              key: 'orders',
              head: texts.figures.orders,
              isNumber: true,
              isExtra: true,
              cell: ({ sales }) => format.number(sales?.totals.orders ?? null),
              file: ({ sales }) => sales?.totals.orders ?? null,
            },
            {
              key: 'sales',
              head: texts.figures.salesInclTax,
              isNumber: true,
              cell: ({ sales, place }) =>
                sales === undefined ? (
                  '–'
                ) : (
                  <Bar share={(sales.totals.salesInclTax ?? 0) / mostIn(place.currency)}>
                    {format.moneyIn(sales.totals.salesInclTax ?? 0, place.currency)}
                  </Bar>
                ),
              file: ({ sales, place }) =>
                sales === undefined ? null : createFormat(format.language, place).major(sales.totals.salesInclTax),
            },
            ...(currencies.size < 2
              ? []
              : [
                  {
                    key: 'currency',
                    head: ops.currency,
                    isExtra: true,
                    cell: ({ place }: Row) => place.currency,
                    file: ({ place }: Row) => place.currency,
                  },
                ]),
            {
              key: 'change',
              head: texts.difference,
              fileHead: t.change,
              isNumber: true,
              cell: ({ sales }) => {
                const change = changeOf(sales)
                return change === null ? '–' : format.fraction(change)
              },
              file: ({ sales }) => changeOf(sales),
            },
            {
              key: 'open',
              head: texts.aside.open,
              isNumber: true,
              isExtra: true,
              cell: ({ sales }) => format.number(sales?.open.orders ?? null),
              file: ({ sales }) => sales?.open.orders ?? null,
            },
          ]}
        />
      </Box>
    </Page>
  )
}
