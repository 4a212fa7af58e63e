import { getRouteApi, Link } from '@tanstack/react-router'
import type { BusinessDay, BusinessDayList, Sales, SalesRow } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { businessDayOf } from '../../format/format.ts'
import { numberRanges } from '../../format/number-ranges.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { daysOfMonth, monthAfter, MonthSteps } from '../../parts/months.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { DayAlerts } from './day-alerts.tsx'
import { dayTones, stateOf } from './day-state.ts'
import { EReporting, Warnings } from './month-lines.tsx'

const api = getRouteApi('/month')

type PartProps = { days: Days; month: string }

/** Tax by rate as a bookkeeper enters it: what it is of, the tax, and both; with the sums below. */
function Taxes({ days, month }: PartProps) {
  const { month: t, sales: texts } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/sales/', query: { ...days, by: 'tax' } }
  const read = useApi<Sales>(call)
  const nameOf = ({ key }: SalesRow) =>
    key === 'not_stated' ? texts.notStated : key === null ? texts.without : format.percent(Number(key) / 10_000)
  return (
    <Box title={t.taxes} call={call} flush>
      <Async read={read}>
        {({ data, totals }) =>
          data.length === 0 ? (
            <Empty title={t.nothing} />
          ) : (
            <Table<SalesRow>
              caption={t.taxes}
              fileName={`${t.taxes}-${month}`}
              rows={data.toSorted((a, b) => Number(a.key) - Number(b.key))}
              keyOf={({ key }) => key ?? ''}
              columns={[
                {
                  key: 'rate',
                  head: texts.parts.tax,
                  cell: nameOf,
                  file: ({ key }) => (key === 'not_stated' ? key : Number(key) / 100),
                },
                {
                  key: 'base',
                  head: texts.taxable,
                  isNumber: true,
                  cell: (row) => format.money(row.salesExclTax),
                  file: (row) => format.major(row.salesExclTax),
                },
                {
                  key: 'tax',
                  head: texts.figures.tax,
                  isNumber: true,
                  cell: (row) => format.money(row.tax),
                  file: (row) => format.major(row.tax),
                },
                {
                  key: 'total',
                  head: texts.figures.salesInclTax,
                  isNumber: true,
                  cell: (row) => format.money(row.salesInclTax),
                  file: (row) => format.major(row.salesInclTax),
                },
              ]}
              foot={
                <tr>
                  <th scope="row">{texts.parts.total}</th>
                  <td className="num" data-head={texts.taxable}>
                    {format.money(totals.salesExclTax)}
                  </td>
                  <td className="num" data-head={texts.figures.tax}>
                    {format.money(totals.tax)}
                  </td>
                  <td className="num" data-head={texts.figures.salesInclTax}>
                    {format.money(totals.salesInclTax)}
                  </td>
                </tr>
              }
            />
          )
        }
      </Async>
    </Box>
  )
}

/** What was taken by each means, and the tips with it, as the bank has them. */
function Means({ days, month }: PartProps) {
  const { month: t, today, sales: texts } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/sales/', query: { ...days, by: 'payment' } }
  const read = useApi<Sales>(call)
  const withTips = (row: SalesRow) => (row.salesInclTax ?? 0) + (row.tips ?? 0)
  return (
    <Box title={t.means} call={call} flush>
      <Async read={read}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.nothing} />
          ) : (
            <Table<SalesRow>
              caption={t.means}
              fileName={`${t.means}-${month}`}
              rows={data.toSorted((a, b) => withTips(b) - withTips(a))}
              keyOf={({ key }) => key ?? ''}
              columns={[
                {
                  key: 'name',
                  head: today.payment,
                  cell: ({ name, key }) => <Foreign text={name ?? key} />,
                  file: ({ name, key }) => name ?? key,
                },
                {
                  key: 'orders',
                  head: texts.figures.orders,
                  isNumber: true,
                  isExtra: true,
                  cell: ({ orders }) => format.number(orders),
                  file: ({ orders }) => orders,
                },
                {
                  key: 'paid',
                  head: today.paid,
                  isNumber: true,
                  cell: (row) => format.money(row.salesInclTax),
                  file: (row) => format.major(row.salesInclTax),
                },
                {
                  key: 'tips',
                  head: texts.figures.tips,
                  isNumber: true,
                  cell: (row) => format.money(row.tips),
                  file: (row) => format.major(row.tips),
                },
                {
                  key: 'both',
                  head: t.withTips,
                  isNumber: true,
                  cell: (row) => format.money(withTips(row)),
                  file: (row) => format.major(withTips(row)),
                },
              ]}
            />
          )
        }
      </Async>
    </Box>
  )
}

/** Each day with its Z reports and its state: a day without one is a row too. */
function Closings({ days, month }: PartProps) {
  const { month: t, days: texts, reports, sales } = useT()
  const format = useFormat()
  const today = businessDayOf(new Date(), format.place)
  const call: Call = { path: '/v1/business-days/', query: days }
  const read = useApi<BusinessDayList>(call)
  const numbersOf = ({ reports: found }: BusinessDay) => found.map(({ reportNumber }) => reportNumber).join(', ')
  return (
    <Box title={t.closings} call={call} flush>
      <Async read={read}>
        {({ data, meta }) => (
          <Table<BusinessDay>
            caption={t.closings}
            fileName={`${t.closings}-${month}`}
            rows={data}
            keyOf={({ date }) => date}
            columns={[
              {
                key: 'day',
                head: reports.day,
                cell: ({ date }) => (
                  <Link to="/days" search={{ day: date }}>
                    {format.day(date)}
                  </Link>
                ),
                file: ({ date }) => date,
              },
              {
                key: 'z',
                head: 'Z',
                cell: (day) => (
                  <>
                    {day.reports.map(({ reportId, reportNumber }) => (
                      <span key={reportId}>
                        <Link to="/z/$id" params={{ id: reportId }}>
                          {reports.zNumber(reportNumber)}
                        </Link>{' '}
                      </span>
                    ))}
                    {day.missingReports.length > 0 && (
                      <Mark tone="warn">
                        {texts.zMissing(numberRanges(day.missingReports.map(({ reportNumber }) => reportNumber)))}
                      </Mark>
                    )}
                  </>
                ),
                file: numbersOf,
              },
              {
                key: 'state',
                head: reports.verdict,
                cell: (day) => {
                  const state = stateOf(day, today, meta)
                  return <Mark tone={dayTones[state]}>{texts.states[state]}</Mark>
                },
                file: (day) => texts.states[stateOf(day, today, meta)],
              },
              {
                key: 'tax',
                head: sales.figures.tax,
                isNumber: true,
                isExtra: true,
                cell: (day) => format.money(day.sales.tax),
                file: (day) => format.major(day.sales.tax),
              },
              {
                key: 'sales',
                head: sales.figures.salesInclTax,
                isNumber: true,
                cell: (day) => format.money(day.sales.salesInclTax),
                file: (day) => format.major(day.sales.salesInclTax),
              },
            ]}
          />
        )}
      </Async>
    </Box>
  )
}

/** The bookkeeper's month on one page, for the screen, for paper and as files. */
export function Month() {
  const { month: t, screens, sales: texts } = useT()
  const format = useFormat()
  const today = businessDayOf(new Date(), format.place)
  const { month = monthAfter(today.slice(0, 7), -1) } = api.useSearch()
  const days = daysOfMonth(month, today)
  const call: Call = { path: '/v1/sales/', query: { ...days, by: 'total' } }
  const read = useApi<Sales>(call)
  return (
    <Page
      title={screens.month}
      intro={format.month(month)}
      call={call}
      actions={
        <>
          <MonthSteps month={month} today={today} /> <Button onClick={() => window.print()}>{t.print}</Button>
        </>
      }
    >
      <DayAlerts range={days} />
      <Async read={read} rows={3}>
        {({ totals }) => (
          <Figures>
            {(['salesInclTax', 'tax', 'salesExclTax', 'discounts', 'tips'] as const).map((name) => (
              <FigureOf key={name} name={texts.figures[name]} value={format.money(totals[name])} />
            ))}
            <FigureOf name={texts.figures.orders} value={format.number(totals.orders)} />
          </Figures>
        )}
      </Async>
      <Taxes days={days} month={month} />
      <Means days={days} month={month} />
      <Closings days={days} month={month} />
      <EReporting days={days} month={month} />
      <Warnings days={days} month={month} />
    </Page>
  )
}
