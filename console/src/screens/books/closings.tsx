import { useState } from 'react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
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
import { Choose, Filters, Pager } from '../../parts/filters.tsx'
import { Box, Fact, Facts, Folded, Notice, Page } from '../../parts/page.tsx'
import { Async, Empty, Failure } from '../../parts/states.tsx'
import { Table, moneyColumn } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { Checkpoints } from './checkpoints.tsx'

const api = getRouteApi('/closings')

const periods = ['day', 'month', 'year'] as const

type Period = (typeof periods)[number]

/** The content of the first closing, counted and added up before the user confirms, because it cannot be undone. */
function Count({
  until,
  isBusy,
  onClose,
  onCancel,
}: {
  until: string
  isBusy: boolean
  onClose: () => void
  onCancel: () => void
}) {
  const { closings: t, common } = useT()
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
        <Notice tone="warn">
          <p>
            {t.beginCounts(totals.orders, format.days(meta.since, meta.until), format.money(totals.salesInclTax ?? 0))}{' '}
            {t.forGood}
          </p>
          <p className="row">
            <Button kind="primary" disabled={isBusy} onClick={onClose}>
              {t.begin(format.days(until, until))}
            </Button>{' '}
            <Button onClick={onCancel}>{common.cancel}</Button>
          </p>
        </Notice>
      )}
    </Async>
  )
}

/** Nothing was closed yet: users who may write books start it, and from then on the server closes each day. */
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

/** The name of a closing: a day, a month, or the fiscal year that ends with one. */
function useNameOf(): (closing: Pick<Closing, 'period' | 'date'>) => string {
  const { closings: t } = useT()
  const format = useFormat()
  return ({ period, date }) => {
    if (period === 'month') return format.month(date.slice(0, 7))
    return period === 'year' ? t.yearTo(format.days(date, date)) : format.days(date, date)
  }
}

function State({ closing }: { closing: Closing }) {
  const { closings: t } = useT()
  if (closing.complete) return <Mark tone="good">{t.complete}</Mark>
  const names = closing.waitingFor.map(({ deviceName }) => deviceName ?? t.unknownTill)
  return (
    <>
      <Mark tone="warn">{t.incomplete}</Mark> {names.length > 0 && <Foreign text={names.join(', ')} />}
    </>
  )
}

/** One closing, with its sums. */
function Detail({ period, number }: { period: Period; number: string }) {
  const { closings: t, sales } = useT()
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
                <Fact name={t.of}>{nameOf(closing)}</Fact>
                <Fact name={t.madeAt}>
                  <Time at={closing.createdAt} as="moment" />
                </Fact>
                <Fact name={t.entries}>
                  {t.fromTo(format.number(closing.fromSequence), format.number(closing.toSequence))}
                </Fact>
                <Fact name={t.state}>
                  <State closing={closing} />
                </Fact>
                <Fact name={sales.figures.orders}>{format.number(totals.orders)}</Fact>
                <Fact name={sales.figures.salesInclTax}>{format.money(totals.salesInclTax)}</Fact>
                <Fact name={sales.figures.tax}>{format.money(totals.tax)}</Fact>
                <Fact name={sales.figures.salesExclTax}>{format.money(totals.salesExclTax)}</Fact>
                <Fact name={sales.figures.discounts}>{format.money(totals.discounts)}</Fact>
                <Fact name={sales.figures.tips}>{format.money(totals.tips)}</Fact>
                <Fact name={sales.figures.refunds}>{format.money(totals.refunds)}</Fact>
                <Fact name={t.canceled}>{format.money(totals.canceledSales)}</Fact>
                <Fact name={t.perpetual}>
                  {format.money(perpetual.salesInclTax)} · {t.orders(perpetual.orders)}
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
                    { key: 'amount', head: t.amount, isNumber: true, cell: ({ amount }) => format.money(amount) },
                  ]}
                />
              </Folded>
              <Folded title={t.days} rows={closing.days.length}>
                <Table
                  caption={t.days}
                  rows={closing.days}
                  keyOf={({ date }) => date}
                  columns={[
                    {
                      key: 'date',
                      head: t.belongsTo,
                      cell: ({ date }) => (
                        <Link to="/days" search={{ day: date }}>
                          {format.days(date, date)}
                        </Link>
                      ),
                    },
                    moneyColumn(format)<{ salesInclTax: number }>(
                      'sales',
                      sales.figures.salesInclTax,
                      (row) => row.salesInclTax,
                      {
                        isShown: true,
                      },
                    ),
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
  const { closings: t, screens, sales } = useT()
  const format = useFormat()
  const navigate = useNavigate({ from: '/closings' })
  const search = api.useSearch()
  const period: Period = search.period ?? 'day'
  const page = Number(search.page ?? 0)
  const call: Call = { path: '/v1/closings/', query: { period, index: page, size: 50 } }
  const read = useApi<ClosingPage>(call)
  const allRows = useAllRows<Closing>(call)
  const nameOf = useNameOf()
  const change = (values: object) => void navigate({ search: (before) => ({ ...before, page: undefined, ...values }) })
  return (
    <Page title={screens.closings} intro={t.intro} call={call}>
      <Filters>
        <Choose
          label={t.period}
          value={period}
          choices={periods.map((one) => [one, t.lists[one]] as const)}
          onChange={(value) => change({ period: value, number: undefined })}
        />
      </Filters>
      <Box title={t.lists[period]} flush>
        <Async read={read} rows={8}>
          {({ data, meta }) =>
            data.length === 0 ? (
              period === 'day' ? (
                <Begin />
              ) : (
                <Empty title={t.none[period]} />
              )
            ) : (
              <>
                <Table<Closing>
                  caption={t.lists[period]}
                  id="closings"
                  fileName={`${screens.closings}-${t.lists[period]}`}
                  rows={data}
                  allRows={allRows}
                  keyOf={({ id }) => id}
                  isChosen={({ number }) => String(number) === search.number}
                  pager={
                    <Pager page={page} pages={meta.totalPage} onChange={(to) => change({ page: to || undefined })} />
                  }
                  columns={[
                    {
                      key: 'number',
                      head: t.number,
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
                    { key: 'date', head: t.of, cell: nameOf, file: ({ date }) => date },
                    moneyColumn(format)('sales', sales.figures.salesInclTax, ({ totals }) => totals.salesInclTax, {
                      adds: true,
                    }),
                    moneyColumn(format)('tax', sales.figures.tax, ({ totals }) => totals.tax, {
                      isExtra: true,
                      adds: true,
                    }),
                    moneyColumn(format)('perpetual', t.perpetual, ({ perpetual }) => perpetual.salesInclTax),
                    {
                      key: 'state',
                      head: t.state,
                      cell: (closing) => <State closing={closing} />,
                      file: ({ complete }) => (complete ? t.complete : t.incomplete),
                    },
                    {
                      key: 'at',
                      head: t.madeAt,
                      isExtra: true,
                      cell: ({ createdAt }) => <Time at={createdAt} />,
                      file: ({ createdAt }) => format.local(createdAt),
                    },
                  ]}
                />
              </>
            )
          }
        </Async>
      </Box>
      {search.number !== undefined && <Detail period={period} number={search.number} />}
      <Checkpoints />
    </Page>
  )
}
