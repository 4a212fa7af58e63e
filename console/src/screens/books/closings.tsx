import { useState } from 'react'
import { useSearch, Link } from '@tanstack/react-router'
import type { Closing, ClosingList, ClosingPage, Sales } from '@tillgate/client'
import { send, type Call } from '../../api/request.ts'
import { useLocationId, useScope } from '../../api/session.tsx'
import { useAct, useApi } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { saveText } from '../../parts/csv.ts'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box, Fact, Facts, Folded, Page } from '../../parts/page.tsx'
import { Async, Empty, Failure } from '../../parts/states.tsx'
import { moneyColumn, timeColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { ForGood } from './for-good.tsx'
import { Checkpoints } from './checkpoints.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'

const periods = ['day', 'month', 'year'] as const

type Period = (typeof periods)[number]

type CountProps = { until: string; isBusy: boolean; onClose: () => void; onCancel: () => void }

/** The content of the first closing, counted and added up before the user confirms, because it cannot be undone. */
function Count({ until, isBusy, onClose, onCancel }: CountProps) {
  const { closings: t } = useT()
  const format = useFormat()
  const last = useApi<Sales>({ path: '/v1/sales/', query: { until } })
  const firstDay = last.data?.data.meta.firstDay
  // A range has ten years at most.
  const since = firstDay && [firstDay, addDays(until, -3_659)].reduce((a, b) => (a > b ? a : b))
  const read = useApi<Sales>(
    typeof since === 'string' && since <= until ? { path: '/v1/sales/', query: { since, until } } : null,
  )
  return (
    <Async read={since === null || (since !== undefined && since > until) ? last : read} rows={1}>
      {({ totals, meta }) => (
        <ForGood
          text={`${t.beginCounts(totals.orders, format.days(meta.since, meta.until), format.money(totals.salesInclTax ?? 0))} ${t.forGood}`}
          action={t.begin(format.days(until, until))}
          isBusy={isBusy}
          onAct={onClose}
          onCancel={onCancel}
        />
      )}
    </Async>
  )
}

/** Shown before the first closing. Users with the scope `books` make it; from then on the server closes each day. */
function Begin() {
  const { closings: t } = useT()
  const format = useFormat()
  const mayClose = useScope('books')
  const until = addDays(businessDayOf(new Date(), format.place), -1)
  const call: Call = { path: '/v1/closings/', method: 'POST', body: { until, after: 0 } }
  const close = useAct<ClosingList>(() => call)
  const [isAsked, setAsked] = useState(false)
  return (
    <Empty title={t.nothing}>
      <p>{mayClose ? t.beginText : t.nothingText}</p>
      {mayClose && !isAsked && (
        <Button onClick={() => setAsked(true)}>{`${t.begin(format.days(until, until))} …`}</Button>
      )}
      {mayClose && isAsked && (
        <Count until={until} isBusy={close.isPending} onClose={() => close.mutate()} onCancel={() => setAsked(false)} />
      )}
      {close.error !== null && <Failure problem={close.error} retry={() => close.mutate()} />}
    </Empty>
  )
}

/** Returns the name of a closing: its day, its month, or “year to” its last day. */
function useNameOf(): (closing: Pick<Closing, 'period' | 'date'>) => string {
  const { closings: t } = useT()
  const format = useFormat()
  return ({ period, date }) => {
    if (period === 'month') return format.month(date.slice(0, 7))
    return period === 'year' ? t.yearTo(format.days(date, date)) : format.days(date, date)
  }
}

function State({ closing }: { closing: Closing }) {
  const { closings: t, days } = useT()
  if (closing.complete) return <Mark tone="good">{days.states.sealed}</Mark>
  const names = closing.waitingFor.map(({ deviceName }) => deviceName ?? t.unknownTill)
  return (
    <>
      <Mark tone="warn">{days.states.incomplete}</Mark> {names.length > 0 && <Foreign text={names.join(', ')} />}
    </>
  )
}

/** One closing, with its sums. */
function Detail({ period, number }: { period: Period; number: string }) {
  const { closings: t, sales, reports, common } = useT()
  const format = useFormat()
  const location = useLocationId()
  const nameOf = useNameOf()
  const call: Call = { path: `/v1/closings/${period}/${Number(number)}` }
  const read = useApi<Closing>(call, { isStill: true })
  const save = async () => {
    const { text } = await send(call, { location })
    saveText(`closing-${period}-${number}.json`, text, 'application/json')
  }
  return (
    <Box
      title={t.detail(t.periods[period], number)}
      call={call}
      aside={<Button onClick={() => void save()}>{t.download}</Button>}
    >
      <Async read={read}>
        {(closing) => {
          const { totals, perpetual } = closing
          return (
            <>
              <Facts>
                <Fact name={common.period}>{nameOf(closing)}</Fact>
                <Fact name={common.closed} at={closing.createdAt} as="moment" />
                <Fact name={t.entries}>
                  {t.fromTo(format.number(closing.fromSequence), format.number(closing.toSequence))}
                </Fact>
                <Fact name={common.state}>
                  <State closing={closing} />
                </Fact>
                <Fact name={sales.figures.orders}>{format.number(totals.orders)}</Fact>
                {(['salesInclTax', 'tax', 'salesExclTax', 'discounts', 'tips', 'refunds'] as const).map((name) => (
                  <Fact key={name} name={sales.figures[name]}>
                    {format.money(totals[name])}
                  </Fact>
                ))}
                <Fact name={sales.aside.canceled}>{format.money(totals.canceledSales)}</Fact>
                <Fact name={t.perpetual}>
                  {format.money(perpetual.salesInclTax)} · {common.orderCount(perpetual.orders)}
                </Fact>
                <Fact name={t.perpetualTax}>{format.money(perpetual.tax)}</Fact>
              </Facts>
              <Folded title={t.taxes} rows={closing.taxes.length}>
                <Table
                  caption={t.taxes}
                  rows={closing.taxes}
                  keyOf={({ rate }) => String(rate)}
                  columns={[
                    {
                      key: 'rate',
                      head: sales.parts.tax,
                      cell: ({ rate }) => (rate === null ? sales.notStated : format.percent(rate / 10_000)),
                    },
                    { key: 'taxable', head: sales.taxable, isNumber: true, cell: (row) => format.money(row.taxable) },
                    { key: 'tax', head: sales.figures.tax, isNumber: true, cell: (row) => format.money(row.tax) },
                  ]}
                />
              </Folded>
              <Folded title={t.payments} rows={closing.payments.length}>
                <Table
                  caption={t.payments}
                  rows={closing.payments}
                  keyOf={({ name }) => name}
                  columns={[
                    { key: 'name', head: sales.parts.payment, cell: ({ name }) => <Foreign text={name} /> },
                    { key: 'amount', head: common.amount, isNumber: true, cell: ({ amount }) => format.money(amount) },
                  ]}
                />
              </Folded>
              <Folded title={t.days} rows={closing.days.length}>
                <Table<Closing['days'][number]>
                  caption={t.days}
                  rows={closing.days}
                  keyOf={({ date }) => date}
                  columns={[
                    {
                      key: 'date',
                      head: reports.day,
                      cell: ({ date }) => (
                        <Link to="/days" search={{ day: date }}>
                          {format.days(date, date)}
                        </Link>
                      ),
                    },
                    moneyColumn(format)('sales', sales.figures.salesInclTax, (row) => row.salesInclTax, {
                      isShown: true,
                    }),
                    { key: 'tax', head: sales.figures.tax, isNumber: true, cell: (row) => format.money(row.tax) },
                  ]}
                />
              </Folded>
            </>
          )
        }}
      </Async>
    </Box>
  )
}

/** Closings of days, months and years with their perpetual totals, and the checkpoints of the journal. */
export function Closings() {
  const { closings: t, days, screens, sales, common } = useT()
  const format = useFormat()
  const change = useChange({ page: undefined })
  const search = useSearch({ from: '/closings' })
  const period: Period = search.period ?? 'day'
  const page = Number(search.page ?? 0)
  const call: Call = { path: '/v1/closings/', query: { period, index: page, size: 50 } }
  const read = useApi<ClosingPage>(call)
  const allRows = useAllRows<Closing>(call)
  const nameOf = useNameOf()
  return (
    <Page title={screens.closings} intro={t.intro} call={call}>
      <Filters>
        <Choose
          label={t.period}
          value={period}
          choices={t.lists}
          onChange={(value) => change({ period: value, number: undefined })}
        />
      </Filters>
      <ListBox<Closing, ClosingPage>
        title={t.lists[period]}
        read={read}
        lines={8}
        none={period === 'day' ? <Begin /> : t.none[period]}
        pages="number"
        id="closings"
        fileName={`${screens.closings}-${t.lists[period]}`}
        allRows={allRows}
        keyOf={({ id }) => id}
        isChosen={({ number }) => String(number) === search.number}
        columns={[
          {
            key: 'number',
            head: common.number,
            cell: ({ number }) => (
              <Link
                from="/closings"
                to="/closings"
                search={(before) => ({ ...before, number: String(number) })}
                aria-label={t.detail(t.periods[period], String(number))}
              >
                {number}
              </Link>
            ),
            file: ({ number }) => number,
          },
          { key: 'date', head: common.period, cell: nameOf, file: ({ date }) => date },
          moneyColumn(format)('sales', sales.figures.salesInclTax, ({ totals }) => totals.salesInclTax, { adds: true }),
          moneyColumn(format)('tax', sales.figures.tax, ({ totals }) => totals.tax, { isExtra: true, adds: true }),
          moneyColumn(format)('perpetual', t.perpetual, ({ perpetual }) => perpetual.salesInclTax),
          {
            key: 'state',
            head: common.state,
            cell: (closing) => <State closing={closing} />,
            file: ({ complete }) => days.states[complete ? 'sealed' : 'incomplete'],
          },
          timeColumn('at', common.closed, ({ createdAt }) => createdAt, { isExtra: true, file: format.local }),
        ]}
      />
      {search.number !== undefined && <Detail period={period} number={search.number} />}
      <Checkpoints />
    </Page>
  )
}
