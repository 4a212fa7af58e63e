import { useSearch, Link, useNavigate } from '@tanstack/react-router'
import type { CatalogPayment, Order, OrderPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import type { Format } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import type { Dictionary } from '../../i18n/en.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Ask, Chip, Choose, Filters, Filter } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { daysOf, instantsOf, RangeChoice } from '../../parts/range.tsx'
import { HourChoice, WeekdayChoice } from '../../parts/time-choice.tsx'
import { Empty } from '../../parts/states.tsx'
import { numberColumn, textColumn, totalOf, timeColumn } from '../../parts/columns.tsx'
import { Foreign } from '../../parts/text.tsx'
import { OrderDrawer } from './order-drawer.tsx'
import { OrderState, stateName } from './order-state.tsx'
import { channelName, serviceName } from '../../parts/words.ts'
import { useZNumbers, ZLink } from './z-link.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'

const pageSize = 50

/** Filters set by a click on a figure, shown as chips that can be removed. */
const chips = [
  'channel', 'serviceType', 'device', 'operator', 'report', 'category', 'product', 'discount', 'tax', 'halfHour', 'counted',
  'canceled',
] as const // prettier-ignore

/** Returns the name shown for a filter's value; for an id, the name that the found orders have for it. */
function calledIn(
  orders: readonly Order[],
  name: Exclude<(typeof chips)[number], 'counted' | 'canceled'>,
  id: string,
  { format, texts }: { format: Format; texts: Dictionary },
) {
  if (name === 'channel') return channelName(texts, id)
  if (name === 'serviceType') return serviceName(texts, id)
  if (name === 'tax' && id === 'not_stated') return texts.sales.notStated
  if (name === 'tax') return format.percent(Number(id) / 10_000)
  const items = orders.flatMap((order) => order.items)
  if (name === 'operator') return orders[0]?.operatorName ?? id
  if (name === 'product') return items.find((item) => item.itemCatalogId === id)?.description ?? id
  if (name !== 'discount') return id
  const discounts = items.flatMap((item) => item.discountsApplied)
  return discounts.find(({ discountCatalogId }) => discountCatalogId === id)?.discountName ?? id
}

/** The payments of the catalog, and the requested one, which may no longer be among them. */
function PaymentChoice({ value, onChange }: { value: string | undefined; onChange: (value?: string) => void }) {
  const { common } = useT()
  const { data } = useApi<CatalogPayment[]>({ path: '/v1/catalog/payments/' })
  const names = new Set([...(data?.data.map(({ name }) => name) ?? []), ...(value === undefined ? [] : [value])])
  return (
    <Filter
      label={common.payments}
      value={value}
      choices={[...names].map((name) => [name, name] as const)}
      onChange={onChange}
    />
  )
}

/** Lists the means of payment of an order, each once. */
const meansOf = ({ payments }: Order) => [...new Set(payments.map(({ paymentName }) => paymentName))].join(', ')

export function Orders() {
  const texts = useT()
  const { orders: t, sales, screens, common } = texts
  const format = useFormat()
  const navigate = useNavigate({ from: '/orders' })
  const search = useSearch({ from: '/orders' })
  const page = Number(search.page ?? 0)
  const days = daysOf(search, format, '7d')
  const isByClosing = [search.clock, search.weekday, search.hour, search.halfHour].some((value) => value !== undefined)
  // Without dates, a search for an order number or a report covers all dates.
  const isEverywhere =
    search.range === undefined && search.since === undefined && (search.number ?? search.report) !== undefined
  const query = {
    ...(isEverywhere
      ? {}
      : isByClosing
        ? { closedSince: days.since, closedUntil: days.until }
        : instantsOf(days, format)),
    sort: '-createdAt',
    size: pageSize,
    index: page,
    state: search.state,
    number: search.number,
    channel: search.channel,
    serviceType: search.serviceType,
    deviceId: search.device,
    operatorId: search.operator,
    reportId: search.report,
    isCounted: search.counted === undefined ? undefined : 'true',
    isTraining: search.counted === undefined ? search.training : undefined,
    isCanceled: search.counted === undefined ? search.canceled : undefined,
    weekday: search.weekday,
    hour: search.hour,
    halfHour: search.halfHour,
    taxRate: search.tax === 'not_stated' ? undefined : search.tax,
    isTaxNotStated: search.tax === 'not_stated' ? 'true' : undefined,
    payment: search.payment,
    category: search.category,
    productId: search.product,
    discountId: search.discount,
    minTotal: search.min,
    maxTotal: search.max,
  }
  const call: Call = { path: '/v1/orders/', query }
  const read = useApi<OrderPage>(call, { restMs: 60_000 })
  const allRows = useAllRows<Order>(call)
  const zOf = useZNumbers(read.data?.data.data ?? [])
  const choose = useChange()
  const change = useChange({ page: undefined })
  const { location, range, since, until } = search
  const clear = () => void navigate({ search: { location, range, since, until } })
  const isFiltered = Object.keys(search).some(
    (name) => !['location', 'range', 'since', 'until', 'page', 'order'].includes(name),
  )
  const active = chips.filter((name) => search[name] !== undefined)
  return (
    <Page
      title={screens.orders}
      intro={
        isEverywhere
          ? t.everywhere
          : (isByClosing ? t.byClosing : t.byOpening)(format.day(days.since), format.day(days.until))
      }
      call={call}
    >
      <Filters>
        <Ask
          label={common.number}
          type="search"
          value={search.number ?? ''}
          onChange={(number) => change({ number })}
        />
        <RangeChoice search={search} fallback="7d" />
        <Choose
          label={t.clock}
          value={isByClosing ? 'closed' : 'opened'}
          choices={t.clocks}
          onChange={(clock) =>
            change(
              clock === 'closed'
                ? { clock }
                : { clock: undefined, weekday: undefined, hour: undefined, halfHour: undefined },
            )
          }
        />
        <Filter
          label={common.state}
          value={search.state}
          choices={{ open: t.open, closed: t.closed }}
          onChange={(state) => change({ state })}
        />
        <Filter
          label={texts.reports.kinds.training}
          value={search.training}
          choices={{ true: t.onlyTraining, false: t.withoutTraining }}
          onChange={(training) => change({ training })}
        />
        <WeekdayChoice label={sales.parts.weekday} value={search.weekday} onChange={(weekday) => change({ weekday })} />
        <HourChoice label={t.hour} value={search.hour} onChange={(hour) => change({ hour })} />
        <PaymentChoice value={search.payment} onChange={(payment) => change({ payment })} />
        <Ask
          label={`${t.min} (${format.currencySign})`}
          type="number"
          value={search.min ?? ''}
          onChange={(min) => change({ min })}
        />
        <Ask
          label={`${t.max} (${format.currencySign})`}
          type="number"
          value={search.max ?? ''}
          onChange={(max) => change({ max })}
        />
        {isFiltered && (
          <Button kind="quiet" onClick={clear}>
            {t.clear}
          </Button>
        )}
        {active.map((name) => (
          <Chip key={name} onRemove={() => change({ [name]: undefined })}>
            {name === 'counted' || name === 'canceled'
              ? t.filters[name]
              : common.named(
                  sales.parts[name],
                  calledIn(read.data?.data.data ?? [], name, search[name] ?? '', { format, texts }),
                )}
          </Chip>
        ))}
      </Filters>
      <ListBox<Order, OrderPage>
        caption={screens.orders}
        read={read}
        lines={12}
        none={
          <Empty title={isFiltered ? t.nothing : t.none}>
            <p>{isFiltered ? t.nothingText : t.noneText}</p>
            {isFiltered && <Button onClick={clear}>{t.clear}</Button>}
          </Empty>
        }
        id="orders"
        pages="number"
        fileName={isEverywhere ? screens.orders : `${screens.orders}-${days.since}-${days.until}`}
        allRows={allRows}
        keyOf={({ id }) => id}
        isChosen={({ id }) => id === search.order}
        columns={[
          {
            key: 'number',
            head: common.number,
            isOneWord: true,
            cell: ({ id, orderNumber }) => (
              <Link from="/orders" to="/orders" search={(before) => ({ ...before, order: id })}>
                <Foreign text={orderNumber || '–'} />
              </Link>
            ),
            file: ({ orderNumber }) => orderNumber,
          },
          timeColumn('opened', t.opened, ({ openedAt }) => openedAt, { as: 'recent', file: format.local }),
          timeColumn('closed', t.closedAt, ({ closedAt }) => closedAt, {
            as: 'clock',
            isExtra: true,
            file: format.local,
          }),
          textColumn('place', t.place, ({ orderPlace }) => orderPlace, { isExtra: true }),
          numberColumn(format)('guests', sales.figures.guests, ({ guests }) => guests, { isExtra: true, adds: true }),
          textColumn('operator', sales.parts.operator, ({ operatorName }) => operatorName, { isExtra: true }),
          {
            key: 'state',
            head: common.state,
            cell: (order) => <OrderState order={order} />,
            file: (order) => stateName(order, t),
          },
          textColumn('payments', common.payments, meansOf, { isExtra: true }),
          {
            key: 'report',
            head: 'Z',
            isExtra: true,
            isOneWord: true,
            cell: ({ reportId }) => <ZLink id={reportId} name={reportId === null ? undefined : zOf(reportId)} />,
            file: ({ reportId }) => reportId,
          },
          {
            key: 'total',
            head: common.total,
            isNumber: true,
            cell: ({ total }) => format.amount(total),
            total: totalOf(({ total }) => total, format.amount),
            file: ({ total }) => total,
          },
        ]}
      />
      {search.order !== undefined && <OrderDrawer id={search.order} onClose={() => choose({ order: undefined })} />}
    </Page>
  )
}
