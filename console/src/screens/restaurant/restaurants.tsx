import { useSearch, Link } from '@tanstack/react-router'
import type { SalesOfLocations } from '@tillgate/client'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Notice, Page } from '../../parts/page.tsx'
import { RangeChoice, daysOf } from '../../parts/range.tsx'
import { Failure, Loading } from '../../parts/states.tsx'
import { numberColumn, textColumn } from '../../parts/columns.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'

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
  const change = format.fraction(comparison?.change ?? null)
  const note =
    comparison?.locations === locations
      ? t.against(change)
      : t.againstSome(change, comparison?.locations ?? 0, locations)
  return (
    <Figures>
      <FigureOf
        name={isAlone ? t.together : t.togetherIn(currency)}
        value={format.moneyIn(salesInclTax, currency)}
        note={comparison?.change == null ? undefined : note}
      />
      <FigureOf name={texts.figures.orders} value={format.number(orders)} />
      <FigureOf name={texts.figures.guests} value={format.number(guests)} />
    </Figures>
  )
}

/** The restaurants of a session compared, each over the same days of its own calendar. */
export function Restaurants() {
  const { restaurants: t, screens, sales: texts, ops, shell, common } = useT()
  const format = useFormat()
  const { range, since, until } = useSearch({ from: '/restaurants' })
  const isOfDates = since !== undefined || until !== undefined
  const days = isOfDates ? daysOf({ since, until }, format, 'today') : { range: range ?? 'today' }
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
      {/* A sum over only some of the restaurants could be mistaken for the total. */}
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
              head: shell.groups.restaurant,
              cell: ({ locationId, name }) => (
                <Link to="/today" search={{ location: locationId } as never}>
                  <Foreign text={name} />
                </Link>
              ),
              note: ({ city }) => <Foreign text={city} />,
              file: ({ name, city }) => `${name}, ${city}`,
            },
            numberColumn(format)('orders', texts.figures.orders, ({ sales }) => sales?.orders, { isExtra: true }),
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
              file: ({ sales, currency }) => sales && format.majorIn(sales.salesInclTax, currency),
            },
            ...(totals.length < 2
              ? []
              : [textColumn<Row>('currency', ops.currency, ({ currency }) => currency, { isExtra: true })]),
            {
              key: 'change',
              head: common.difference,
              fileHead: t.change,
              isNumber: true,
              cell: ({ sales }) => format.fraction(sales?.comparison?.change ?? null),
              file: ({ sales }) => sales?.comparison?.change ?? null,
            },
            numberColumn(format)('open', texts.aside.open, ({ sales }) => sales?.open.orders, { isExtra: true }),
          ]}
        />
      </Box>
    </Page>
  )
}
