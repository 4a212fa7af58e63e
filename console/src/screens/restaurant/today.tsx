import { Link } from '@tanstack/react-router'
import type { Order, OrderPage, Sales, SalesRow } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays, businessDayOf, weekdayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAnnounced } from '../../parts/announcer.tsx'
import { CopyCurl, useRequests } from '../../parts/copy.tsx'
import { Box, Columns, FigureOf, Figures, Page } from '../../parts/page.tsx'
import { instantsOf } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { numberColumn, textColumn } from '../../parts/columns.tsx'
import { Bar } from '../../parts/table.tsx'
import { Time } from '../../parts/text.tsx'
import { Beside, dayFigures, isCount, type DayFigure } from './beside.tsx'
import { Completeness } from './completeness.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { HourChart } from './hour-chart.tsx'
import { LastReport } from './last-report.tsx'
import { OrderState } from './order-state.tsx'
import styles from './parts.module.css'
import { ListBox } from '../../parts/list-box.tsx'
import { orderColumn } from '../../parts/record-link.tsx'

/** Interval of requests: a comparison with other days up to this minute changes every minute. */
const everyMs = 60_000

/** Largest age of the main figure. */
const headlineMs = 10_000

/** The figures of the day, compared with the same weekday of four weeks; an open day up to this minute. */
function Headline({ sales, pace, paceCall }: { sales: Sales; pace: Sales | undefined; paceCall: Call }) {
  const { today: t, screens, sales: texts, common } = useT()
  const format = useFormat()
  const { totals, open } = sales
  useAnnounced(
    `${common.salesInclTax} ${format.money(totals.salesInclTax)}, ${common.orders} ${format.number(totals.orders)}`,
  )
  const { since } = sales.meta
  const before = pace?.comparison
  const upTo = before?.upTo && format.clock(before.upTo)
  const weekday = format.weekday(weekdayOf(since))
  const note = (name: DayFigure) => {
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
        {dayFigures.map((name) => (
          <FigureOf
            key={name}
            name={texts.figures[name]}
            value={(isCount(name) ? format.number : format.money)(totals[name])}
            note={note(name)}
          />
        ))}
        <FigureOf
          name={texts.aside.open}
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
          {before.change.salesInclTax != null && (upTo ? t.comparedUntil(weekday, upTo) : t.compared(weekday))}{' '}
          <CopyCurl call={paceCall} />
        </p>
      )}
    </>
  )
}

/** Returns the rows with the highest sales first; the server sorts them by name. */
const ranked = (rows: readonly SalesRow[]) =>
  rows.toSorted((a, b) => (b.salesInclTax ?? 0) - (a.salesInclTax ?? 0)).slice(0, 10)

type RankingProps = { title: string; call: Call; name: string; amount: string; count: string }

function Ranking({ title, call, name, amount, count }: RankingProps) {
  const { today: t } = useT()
  const format = useFormat()
  const read = useApi<Sales>(call)
  const most = ranked(read.data?.data.data ?? [])[0]?.salesInclTax ?? 1
  return (
    <ListBox<SalesRow, Sales>
      title={title}
      call={call}
      read={read}
      none={t.nothingYet}
      toRows={ranked}
      fileName={`${title}-${call.query?.['since'] as string}`}
      keyOf={(row) => row.key ?? ''}
      columns={[
        textColumn('name', name, (row) => row.name ?? row.key),
        numberColumn(format)('items', count, (row) => row.items ?? row.orders),
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
}

const lastOrders: Call = { path: '/v1/orders/', query: { sort: '-createdAt', size: 10 } }

function LastOrders() {
  const { today: t, orders, common } = useT()
  const format = useFormat()
  const read = useApi<OrderPage>(lastOrders)
  const isToday = (at: string) => businessDayOf(new Date(at), format.place) === businessDayOf(new Date(), format.place)
  return (
    <ListBox<Order, OrderPage>
      title={t.lastOrders}
      call={lastOrders}
      aside={<Link to="/orders">{t.allOrders}</Link>}
      read={read}
      none={t.nothingYet}
      keyOf={({ id }) => id}
      columns={[
        orderColumn(common.number, ({ id, orderNumber }) => ({ id, number: orderNumber }), { isShown: true }),
        {
          key: 'opened',
          head: orders.opened,
          cell: ({ openedAt }) => <Time at={openedAt} as={isToday(openedAt) ? 'clock' : 'recent'} />,
        },
        textColumn('place', orders.place, ({ orderPlace }) => orderPlace, { isShown: true, isExtra: true }),
        { key: 'state', head: common.state, cell: (order) => <OrderState order={order} /> },
        { key: 'total', head: common.total, isNumber: true, cell: ({ total }) => format.amount(total) },
      ]}
    />
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
  const { today: t, screens, sales: texts, common } = useT()
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
      <Page title={screens.today} intro={format.fullDay(now)} call={lastOrders}>
        <FirstOrder />
      </Page>
    )
  }
  return (
    <Page
      title={screens.today}
      intro={isQuiet ? t.quiet(format.fullDay(now), format.fullDay(day)) : format.fullDay(day)}
      call={asked(day)}
    >
      <DayAlerts range={{ since: addDays(now, -30), until: now }} />
      <Async read={isQuiet ? before : current} rows={3}>
        {(sales) => (
          <>
            <Headline sales={sales} pace={pace.data?.data} paceCall={paceCall} />
            {offers('/v1/completeness/') && <Completeness />}
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
          name={texts.parts.product}
          count={t.quantity}
          amount={common.salesInclTax}
          call={of('product')}
        />
        <Ranking
          title={common.payments}
          name={texts.parts.payment}
          count={common.orders}
          amount={t.paid}
          call={of('payment')}
        />
        <LastReport />
      </Columns>
    </Page>
  )
}
