import { Link } from '@tanstack/react-router'
import type { Order, OrderPage, Sales, SalesRow } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { offers } from '../../api/offers.ts'
import { useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { addDays, businessDayOf, weekdayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAnnounced } from '../../parts/announcer.tsx'
import { CopyCurl, useRequests } from '../../parts/copy.tsx'
import { Box, Columns, FigureOf, Figures, Notice, Page } from '../../parts/page.tsx'
import { instantsOf } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Bar, Table, numberColumn, textColumn } from '../../parts/table.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import { Beside } from './beside.tsx'
import { Completeness } from './completeness.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { HourChart } from './hour-chart.tsx'
import { LastReport } from './last-report.tsx'
import { OrderState } from './order-state.tsx'
import styles from './parts.module.css'

/** A comparison up to the minute moves every minute. */
const everyMs = 60_000

/** Largest age of the main figure. */
const headlineMs = 10_000

/**
 * The figures of the day, and their change from the same weekday of four weeks; an unfinished day up to the same
 * minute.
 */
function Headline({ sales, pace, paceCall }: { sales: Sales; pace: Sales | undefined; paceCall: Call }) {
  const { today: t, screens } = useT()
  const format = useFormat()
  const { totals, open } = sales
  useAnnounced(`${t.sales} ${format.money(totals.salesInclTax)}, ${t.orders} ${format.number(totals.orders)}`)
  const { since } = sales.meta
  const before = pace?.comparison
  const weekday = format.weekday(weekdayOf(since))
  const note = (name: 'salesInclTax' | 'orders' | 'guests' | 'averagePerOrder' | 'averagePerGuest') => {
    const change = before?.change[name] ?? null
    return change === null ? undefined : format.fraction(change)
  }
  const oldest = useApi<OrderPage>(
    open.orders === 0
      ? null
      : {
          path: '/v1/orders/',
          query: { ...instantsOf(sales.meta, format), state: 'open', isTraining: 'false', sort: 'createdAt', size: 1 },
        },
    { restMs: everyMs },
  )
  const { canceled, losses } = sales.excluded
  const takenOff = canceled.salesInclTax + losses.salesInclTax + (totals.discounts ?? 0)
  const openedAt = oldest.data?.data.data[0]?.openedAt
  const openNote = `${format.money(open.salesInclTax)}${openedAt === undefined ? '' : ` · ${t.oldestOpen(format.clock(openedAt))}`}`
  const behindOpen = { since, until: sales.meta.until, state: 'open', training: 'false' } as const
  return (
    <>
      <Figures>
        <FigureOf name={t.sales} value={format.money(totals.salesInclTax)} note={note('salesInclTax')} />
        <FigureOf name={t.orders} value={format.number(totals.orders)} note={note('orders')} />
        <FigureOf name={t.guests} value={format.number(totals.guests)} note={note('guests')} />
        <FigureOf name={t.perOrder} value={format.money(totals.averagePerOrder)} note={note('averagePerOrder')} />
        <FigureOf name={t.perGuest} value={format.money(totals.averagePerGuest)} note={note('averagePerGuest')} />
        <FigureOf
          name={t.open}
          value={format.number(open.orders)}
          note={
            open.orders === 0 ? (
              openNote
            ) : (
              <Link to="/orders" search={behindOpen}>
                {openNote}
              </Link>
            )
          }
        />
      </Figures>
      {offers('/v1/deductions/') && (takenOff !== 0 || canceled.orders > 0) && (
        <p className={styles.compared}>
          <Link to="/deductions" search={{ since, until: sales.meta.until }}>
            {takenOff === 0 ? screens.deductions : t.takenOff(format.money(takenOff))}
          </Link>
        </p>
      )}
      {before !== undefined && (
        <p className={styles.compared}>
          {before.upTo === undefined ? t.compared(weekday) : t.comparedUntil(weekday, format.clock(before.upTo))}{' '}
          <CopyCurl call={paceCall} />
        </p>
      )}
    </>
  )
}

/** The rows with the highest sales first; the server sorts them by name. */
function ranked(rows: readonly SalesRow[], atMost: number): SalesRow[] {
  return rows.toSorted((a, b) => (b.salesInclTax ?? 0) - (a.salesInclTax ?? 0)).slice(0, atMost)
}

type RankingProps = { title: string; call: Call; name: string; amount: string; count: string; atMost: number }

function Ranking({ title, call, name, amount, count, atMost }: RankingProps) {
  const { today: t } = useT()
  const format = useFormat()
  const read = useApi<Sales>(call)
  return (
    <Box title={title} call={call} flush>
      <Async read={read}>
        {({ data }) => {
          const rows = ranked(data, atMost)
          const most = rows[0]?.salesInclTax ?? 1
          if (rows.length === 0) return <Empty title={t.nothingYet} />
          return (
            <Table
              caption={title}
              fileName={`${title}-${call.query?.since as string}`}
              rows={rows}
              keyOf={(row) => row.key ?? ''}
              columns={[
                textColumn<SalesRow>('name', name, (row) => row.name ?? row.key),
                numberColumn(format)<SalesRow>('items', count, (row) => row.items ?? row.orders),
                {
                  key: 'sales',
                  head: amount,
                  isNumber: true,
                  cell: (row) => <Bar share={(row.salesInclTax ?? 0) / most}>{format.money(row.salesInclTax)}</Bar>,
                  file: (row) => format.major(row.salesInclTax),
                },
              ]}
            />
          )
        }}
      </Async>
    </Box>
  )
}

const lastOrders: Call = { path: '/v1/orders/', query: { sort: '-createdAt', size: 10 } }

function LastOrders() {
  const { today: t, orders } = useT()
  const format = useFormat()
  const call = lastOrders
  const read = useApi<OrderPage>(call)
  const isToday = (at: string) => businessDayOf(new Date(at), format.place) === businessDayOf(new Date(), format.place)
  return (
    <Box title={t.lastOrders} call={call} flush aside={<Link to="/orders">{t.allOrders}</Link>}>
      <Async read={read}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.nothingYet} />
          ) : (
            <Table<Order>
              caption={t.lastOrders}
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'number',
                  head: orders.number,
                  isOneWord: true,
                  cell: ({ id, orderNumber }) => (
                    <Link to="/orders/$id" params={{ id }}>
                      <Foreign text={orderNumber || '–'} />
                    </Link>
                  ),
                },
                {
                  key: 'opened',
                  head: orders.opened,
                  cell: ({ openedAt }) => <Time at={openedAt} as={isToday(openedAt) ? 'clock' : 'recent'} />,
                },
                textColumn('place', orders.place, ({ orderPlace }) => orderPlace, { isShown: true, isExtra: true }),
                { key: 'state', head: orders.state, cell: (order) => <OrderState order={order} /> },
                { key: 'total', head: orders.total, isNumber: true, cell: ({ total }) => format.amount(total) },
              ]}
            />
          )
        }
      </Async>
    </Box>
  )
}

/** No sales yet: how a till pushes its first order. */
function FirstOrder() {
  const { today: t } = useT()
  const { server } = useSession()
  const hasTerminal = useRequests()?.areShown === true
  const url = `${server.baseUrl.replace(/\/+$/, '')}/v1/ingest/`
  return (
    <Empty title={t.noOrder}>
      {!hasTerminal && <p>{t.noOrderWaiting}</p>}
      {hasTerminal && (
        <>
          <p>{t.noOrderText}</p>
          <pre>{`curl -H "X-API-Key: $KEY" -H 'Content-Type: application/x-ndjson' --data-binary @orders.ndjson '${url}'`}</pre>
          <p>{t.demoText}</p>
          <pre>{`tillgate simulate --to-url '${server.baseUrl}' --key "$KEY"`}</pre>
        </>
      )}
    </Empty>
  )
}

export function Today() {
  const { today: t } = useT()
  const format = useFormat()
  const now = businessDayOf(new Date(), format.place)
  const asked = (day: string): Call => ({
    path: '/v1/sales/',
    query: { since: day, until: day, by: 'hour', compare: 'fourWeeks' },
  })
  const current = useApi<Sales>(asked(now), { restMs: headlineMs })
  const totals = current.data?.data.totals
  const isQuiet = totals?.orders === 0 && current.data?.data.open.orders === 0
  const day = isQuiet ? addDays(now, -1) : now
  const before = useApi<Sales>(isQuiet ? asked(day) : null)
  const paceCall: Call = {
    path: '/v1/sales/',
    query: { since: day, until: day, compare: 'fourWeeks', upToNow: isQuiet ? undefined : 'true' },
  }
  const pace = useApi<Sales>(paceCall, { everyMs })
  const of = (by: string): Call => ({ path: '/v1/sales/', query: { since: day, until: day, by } })
  const first = useApi<OrderPage>(lastOrders)
  if (first.data?.data.data.length === 0) {
    return (
      <Page title={t.title} intro={format.fullDay(now)} call={lastOrders}>
        <FirstOrder />
      </Page>
    )
  }
  return (
    <Page title={t.title} intro={format.fullDay(day)} call={asked(day)}>
      {isQuiet && <Notice tone="info">{t.quiet(format.fullDay(now))}</Notice>}
      {offers('/v1/completeness/') && <Completeness />}
      <DayAlerts range={{ since: addDays(now, -30), until: now }} />
      <Async read={isQuiet ? before : current} rows={3}>
        {(sales) => (
          <>
            <Headline sales={sales} pace={pace.data?.data} paceCall={paceCall} />
            <Beside day={day} isOpen={!isQuiet} />
            <Box title={t.perHour} call={asked(day)}>
              <HourChart sales={sales} />
            </Box>
          </>
        )}
      </Async>
      <Columns wide>
        <LastOrders />
        <Ranking
          title={t.products}
          name={t.product}
          count={t.quantity}
          amount={t.sales}
          call={of('product')}
          atMost={10}
        />
        <Ranking
          title={t.payments}
          name={t.payment}
          count={t.orders}
          amount={t.paid}
          call={of('payment')}
          atMost={10}
        />
        <LastReport />
      </Columns>
    </Page>
  )
}
