import { useSearch, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { BookAccounts, BookDayList, ClosingPage, Sales, SalesRow } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useScope } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { daysOfMonth, monthAfter, MonthSteps } from '../../parts/months.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async } from '../../parts/states.tsx'
import { moneyColumn, numberColumn, textColumn } from '../../parts/columns.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { ChangedAfterReport } from '../../parts/changed-orders.tsx'
import { Accounts } from './accounts.tsx'
import { Batches } from './batches.tsx'
import { BookCalendar } from './calendar.tsx'
import { Entry } from './entry.tsx'
import { Issue } from './issue.tsx'
import { Sources } from './sources.tsx'
import { standingOf, type Acceptances, type BookDay } from './standing.tsx'
import { UnmappedNames } from './unmapped.tsx'
import { EReporting, Warnings } from './month-lines.tsx'
import { ListBox } from '../../parts/list-box.tsx'

type PartProps = { days: Days; month: string }

/** Tax by rate as an accountant enters it: net, tax and gross, with the sums below. */
function Taxes({ days, month }: PartProps) {
  const { month: t, sales: texts } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/sales/', query: { ...days, by: 'tax' } }
  const read = useApi<Sales>(call)
  const nameOf = ({ key }: SalesRow) =>
    key === 'not_stated' ? texts.notStated : key === null ? texts.without : format.percent(Number(key) / 10_000)
  return (
    <ListBox<SalesRow, Sales>
      title={t.taxes}
      call={call}
      read={read}
      none={t.nothing}
      fileName={`${t.taxes}-${month}`}
      toRows={(rows) => rows.toSorted((a, b) => Number(a.key) - Number(b.key))}
      keyOf={({ key }) => key ?? ''}
      columns={[
        {
          key: 'rate',
          head: texts.parts.tax,
          cell: nameOf,
          file: ({ key }) => (key === 'not_stated' ? key : Number(key) / 100),
        },
        moneyColumn(format)('base', texts.taxable, (row) => row.salesExclTax),
        moneyColumn(format)('tax', texts.figures.tax, (row) => row.tax),
        moneyColumn(format)('total', texts.figures.salesInclTax, (row) => row.salesInclTax),
      ]}
      foot={
        <tr>
          <th scope="row">{texts.parts.total}</th>
          {(['salesExclTax', 'tax', 'salesInclTax'] as const).map((name) => (
            <td key={name} className="num" data-head={name === 'salesExclTax' ? texts.taxable : texts.figures[name]}>
              {format.money(read.data?.data.totals[name] ?? null)}
            </td>
          ))}
        </tr>
      }
    />
  )
}

/** Payments by means, including tips, as the bank has them. */
function Means({ days, month }: PartProps) {
  const { month: t, today, sales: texts } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/sales/', query: { ...days, by: 'payment' } }
  const read = useApi<Sales>(call)
  const withTips = (row: SalesRow) => (row.salesInclTax ?? 0) + (row.tips ?? 0)
  return (
    <ListBox<SalesRow, Sales>
      title={t.means}
      call={call}
      read={read}
      none={t.nothing}
      fileName={`${t.means}-${month}`}
      toRows={(rows) => rows.toSorted((a, b) => withTips(b) - withTips(a))}
      keyOf={({ key }) => key ?? ''}
      columns={[
        textColumn('name', texts.parts.payment, ({ name, key }) => name ?? key),
        numberColumn(format)('orders', texts.figures.orders, ({ orders }) => orders, { isExtra: true }),
        moneyColumn(format)('paid', today.paid, (row) => row.salesInclTax),
        moneyColumn(format)('tips', texts.figures.tips, (row) => row.tips),
        moneyColumn(format)('both', t.withTips, (row) => withTips(row)),
      ]}
    />
  )
}

const lastClosing: Call = { path: '/v1/closings/', query: { period: 'day', size: 1 } }

/** The progress of the month by step: each has the number of its box below. */
function Steps({ days }: { days: readonly BookDay[] }) {
  const { month: t } = useT()
  const format = useFormat()
  const closed = useApi<ClosingPage>(offers('/v1/closings/') ? lastClosing : null).data?.data.data[0]
  const sources = days.flatMap((day) => day.sources.map((source) => standingOf(source)))
  const of = (...states: ReturnType<typeof standingOf>[]) => sources.filter((state) => states.includes(state)).length
  const share = (part: number) => `${format.number(part)} / ${format.number(sources.length)}`
  const stuck = of('waiting', 'refused', 'blocked')
  return (
    <Figures>
      <FigureOf name={t.steps.complete} value={share(sources.length - stuck)} />
      <FigureOf name={t.steps.accounts} value={t.lacking(of('unmapped'), stuck === 0)} />
      <FigureOf name={t.steps.issue} value={share(of('issued', 'empty'))} />
      {offers('/v1/closings/') && (
        <FigureOf
          name={t.steps.close}
          value={closed === undefined ? '–' : format.days(closed.date, closed.date)}
          note={
            <span className="row">
              <Link to="/closings">{t.toClosings}</Link> <CopyCurl call={lastClosing} />
            </span>
          }
        />
      )}
    </Figures>
  )
}

/** The four steps of a month: all data has arrived, every name has an account, the month is issued, and it is closed. */
function Bookkeeping({ days, month }: PartProps) {
  const { books: t, month: texts } = useT()
  const format = useFormat()
  const { day, source } = useSearch({ from: '/month' })
  const mayIssue = useScope('books')
  const [accepted, setAccepted] = useState<Acceptances>({})
  const today = businessDayOf(new Date(), format.place)
  const call: Call = { path: '/v1/books/days/', query: days }
  const read = useApi<BookDayList>(call)
  const accountsCall: Call = { path: '/v1/books/accounts' }
  const accounts = useApi<BookAccounts>(accountsCall)
  return (
    <Async read={read} rows={8}>
      {({ data }) => (
        <>
          <Steps days={data} />
          <Box title={texts.steps.complete} call={call}>
            <BookCalendar
              month={month}
              days={data.filter(({ date, state }) => date < today || state !== null)}
              chosen={day}
              startsOn={accounts.data?.data.effective.startsOn ?? null}
            />
          </Box>
          <Box
            title={day === undefined ? t.entries : t.entriesOf(format.fullDay(day))}
            aside={
              day !== undefined && (
                <Link
                  from="/month"
                  to="/month"
                  search={(before) => ({ ...before, day: undefined, source: undefined })}
                  resetScroll={false}
                >
                  {t.wholeMonth}
                </Link>
              )
            }
          >
            <Sources
              days={day === undefined ? data : data.filter(({ date }) => date === day)}
              isOneDay={day !== undefined}
              accepted={accepted}
              onAccept={mayIssue ? setAccepted : undefined}
            />
          </Box>
          {data
            .filter(({ date }) => date === day)
            .flatMap(({ sources }) => sources)
            .filter(({ type, reasons }) => type === 'report' && reasons.length > 0)
            .map(({ id, pieceRef }) => (
              <ChangedAfterReport key={id} id={id} name={pieceRef} />
            ))}
          {source !== undefined && <Entry id={source} />}
          <Box title={texts.steps.accounts} call={{ path: '/v1/books/unmapped/', query: days }}>
            <UnmappedNames days={days} accounts={accounts} mayChange={mayIssue} />
          </Box>
          <Box title={t.accounts} call={accountsCall}>
            <Accounts read={accounts} mayChange={mayIssue} />
          </Box>
          {mayIssue ? (
            <Issue
              key={month}
              last={days.until < today ? days.until : addDays(today, -1)}
              accepted={accepted}
              accounts={accounts}
            />
          ) : (
            <Box title={texts.steps.issue}>
              <p className="muted">{texts.mayNotIssue}</p>
            </Box>
          )}
          <Batches />
        </>
      )}
    </Async>
  )
}

/** The totals, steps, taxes and payments of a month: by default the last; for a new restaurant, the current one. */
export function Month() {
  const { screens, sales: texts, common } = useT()
  const format = useFormat()
  const today = businessDayOf(new Date(), format.place)
  const { month: asked, day } = useSearch({ from: '/month' })
  const chosen = asked ?? day?.slice(0, 7)
  const last = monthAfter(today.slice(0, 7), -1)
  const toLast: Call = { path: '/v1/sales/', query: { ...daysOfMonth(last, today), by: 'total' } }
  const isNew = (useApi<Sales>(chosen === undefined ? toLast : null).data?.data.meta.firstDay ?? last) > `${last}-31`
  const month = chosen ?? (isNew ? today.slice(0, 7) : last)
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
          <MonthSteps month={month} today={today} /> <Button onClick={() => window.print()}>{common.print}</Button>
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
      {offers('/v1/books/days/') && <Bookkeeping days={days} month={month} />}
      <Taxes days={days} month={month} />
      <Means days={days} month={month} />
      {offers('/v1/e-reporting/') && <EReporting days={days} month={month} />}
      {offers('/v1/ingest/warnings/') && <Warnings days={days} month={month} />}
    </Page>
  )
}
