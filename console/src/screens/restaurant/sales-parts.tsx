import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Sales, SalesRow } from '@tillgate/client'
import { addDays, type Format } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { totalOf, type Column, numberColumn, moneyColumn } from '../../parts/columns.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'
import type { salesParts } from '../../parts/sales-parts.ts'
import { pairsOf, type Pair } from './paired.ts'
import { channelName, serviceName } from '../../parts/words.ts'
import styles from './parts.module.css'
import { RecordLink } from '../../parts/record-link.tsx'

type Part = (typeof salesParts)[number]

const timeParts = new Set<Part>(['day', 'week', 'month', 'weekday', 'hour', 'halfHour'])

/** Whether a grouping contains each order once, so that its orders add up. */
const isOfOrders = (by: Part) =>
  isTimePart(by) || ['channel', 'serviceType', 'operator', 'device', 'report'].includes(by)

export const isTimePart = (by: Part) => timeParts.has(by)

/** Names a period of a grouping. With `years`, days include the year, for ranges over several years. */
function periodName(by: Part, period: string, format: Format, years = false): string {
  if (by === 'month') return format.month(period)
  if (by === 'weekday') return format.weekday(Number(period))
  if (by === 'hour') return `${period} h`
  if (by === 'halfHour') return period
  return years ? format.days(period, period) : format.day(period)
}

const isOverYears = ({ meta }: Sales) => meta.since.slice(0, 4) !== meta.until.slice(0, 4)

/** Returns the filter for the orders that a figure sums up: counted orders, by the day they were closed. */
export const behind = ({ since, until, weekday }: Pick<Sales['meta'], 'since' | 'until' | 'weekday'>) =>
  ({
    since,
    until,
    ...(weekday === undefined ? {} : { weekday: String(weekday) as '1' }),
    clock: 'closed',
    counted: 'yes',
  }) as const

/** Links to the orders that a row sums up. */
function OrdersOf({ by, row, sales, children }: { by: Part; row: SalesRow; sales: Sales; children: ReactNode }) {
  const { period, key } = row
  const { from, before } = sales.meta
  // The list of orders filters by single hours only.
  if ((from !== undefined || before !== undefined) && by !== 'hour' && by !== 'halfHour') return children
  const inRange = (values: object) => (
    <Link to="/orders" search={{ ...behind(sales.meta), ...values }}>
      {children}
    </Link>
  )
  if (by === 'day' && period !== null) return inRange({ since: period, until: period })
  if (by === 'week' && period !== null) return inRange({ since: period, until: addDays(period, 6) })
  if (by === 'month' && period !== null)
    return inRange({ since: `${period}-01`, until: addDays(`${addDays(`${period}-28`, 4).slice(0, 7)}-01`, -1) })
  if ((by === 'weekday' || by === 'hour' || by === 'halfHour') && period !== null) return inRange({ [by]: period })
  if (by === 'total') return inRange({})
  if (key === null) return children
  if (by !== 'report') return by === 'weekday,halfHour' ? children : inRange({ [by]: key })
  return (
    <RecordLink kind="report" id={key}>
      {children}
    </RecordLink>
  )
}

type PartsProps = { sales: Sales; by: Part; compare: string | undefined }

/** Returns the main figure of a table: the amount taken off for discounts, otherwise the sales. */
const measureOf = (by: Part) => (by === 'discount' ? 'discounts' : 'salesInclTax')

/** Returns the name of a table's main figure; in a table by payment, it is the amount paid. */
function useMeasureName(by: Part): string {
  const { sales: t, today } = useT()
  if (by === 'payment') return today.paid
  return t.figures[measureOf(by)]
}

function useNameOf(sales: Sales, by: Part): (pair: Pair) => string {
  const texts = useT()
  const { sales: t } = texts
  const format = useFormat()
  return ({ period, key, name }) => {
    if (period !== null) return periodName(by, period, format, isOverYears(sales))
    if (by === 'total') return t.parts.total
    if (key === 'not_stated' && by === 'tax') return t.notStated
    if (by === 'tax' && key !== null) return format.percent(Number(key) / 10_000)
    if (by === 'channel' && key !== null) return channelName(texts, key)
    if (by === 'serviceType' && key !== null) return serviceName(texts, key)
    return name ?? key ?? t.without
  }
}

/** Returns the period or the name of a row for a file: days as ISO 8601, rates as numbers. */
function fileNameOf(by: Part, { period, key, name }: Pair): string | number {
  if (by === 'tax' && key !== null && key !== 'not_stated') return Number(key) / 100
  return period ?? name ?? key ?? ''
}

type Figure = 'guests' | 'items' | 'discounts' | 'salesExclTax' | 'tax' | 'tips'

/** Returns the further figures of a table, in their order. */
function figuresOf(by: Part): readonly Figure[] {
  if (by === 'discount') return ['items']
  // In the order that accountants use: net, tax and gross.
  if (by === 'tax') return ['salesExclTax', 'tax']
  return ['guests', 'items', 'discounts', 'tax']
}

/** Whether a column is also shown on a phone. */
const isMain = (by: Part, figure: Figure) =>
  by === 'tax' || (figure === 'items' && (by === 'product' || by === 'discount'))

const isCountOf = (figure: Figure) => figure === 'guests' || figure === 'items'

/** Returns the columns of the comparison; an earlier amount is empty without sales, and a dash before the first day. */
function useComparedColumns({ sales, by }: PartsProps): Column<Pair>[] {
  const { sales: t, common } = useT()
  const format = useFormat()
  if (sales.comparison === undefined) return []
  const measure = measureOf(by)
  const valueOf = (row: SalesRow | null) => row?.[measure] ?? 0
  const differenceOf = ({ now, earlier }: Pair) => (earlier === 'unknown' ? null : valueOf(now) - valueOf(earlier))
  return [
    {
      key: 'compared',
      head: t.compared,
      isNumber: true,
      isExtra: true,
      cell: ({ earlier }) => (earlier === 'unknown' ? '–' : format.money(valueOf(earlier))),
      file: ({ earlier }) => (earlier === 'unknown' ? null : format.major(valueOf(earlier))),
    },
    {
      key: 'difference',
      head: common.difference,
      isNumber: true,
      cell: (pair) => {
        const difference = differenceOf(pair)
        if (difference === null || (pair.now === null && pair.earlier === null)) return '–'
        const before = pair.earlier === 'unknown' ? 0 : valueOf(pair.earlier)
        return (
          <>
            <span data-difference>{format.moneyChange(difference)}</span>
            {before !== 0 && <span className="muted"> ({format.fraction(difference / Math.abs(before))})</span>}
          </>
        )
      },
      file: (pair) => format.major(differenceOf(pair)),
    },
  ]
}

export function PartsTable(props: PartsProps) {
  const { sales, by, compare } = props
  const { sales: t } = useT()
  const format = useFormat()
  const nameOf = useNameOf(sales, by)
  const measure = measureOf(by)
  const measureName = useMeasureName(by)
  const compared = useComparedColumns(props)
  const valueOf = ({ now }: Pair) => now?.[measure] ?? 0
  const pairs = pairsOf(sales, compare)
  const rows = isTimePart(by) ? pairs : pairs.toSorted((a, b) => valueOf(b) - valueOf(a))
  const most = Math.max(1, ...rows.map(valueOf))
  const figures = figuresOf(by).filter((name) => rows.some(({ now }) => (now?.[name] ?? null) !== null))
  const { since, until } = sales.meta
  return (
    <Table
      caption={t.parts[by]}
      id="sales"
      fileName={`${t.parts[by]}-${since}-${until}`}
      rows={rows}
      keyOf={({ period, key }) => `${period}${key}`}
      columns={[
        {
          key: 'name',
          head: t.parts[by],
          isOneWord: isTimePart(by),
          cell: (pair) =>
            pair.now === null ? (
              <Foreign text={nameOf(pair)} />
            ) : (
              <OrdersOf by={by} row={pair.now} sales={sales}>
                <Foreign text={nameOf(pair)} />
              </OrdersOf>
            ),
          file: (pair) => fileNameOf(by, pair),
        },
        numberColumn(format)<Pair>('orders', t.figures.orders, ({ now }) => now?.orders ?? 0, {
          isExtra: compared.length > 0,
          adds: isOfOrders(by),
        }),
        ...figures.map((name) => {
          const toColumn = (isCountOf(name) ? numberColumn : moneyColumn)(format)
          const head = name === 'salesExclTax' ? t.taxable : t.figures[name]
          return toColumn<Pair>(name, head, ({ now }) => now?.[name], { isExtra: !isMain(by, name), adds: true })
        }),
        {
          key: measure,
          head: measureName,
          isNumber: true,
          cell: (pair) =>
            pair.now === null ? '–' : <Bar share={valueOf(pair) / most}>{format.money(pair.now[measure])}</Bar>,
          file: ({ now }) => format.major(now?.[measure] ?? null),
          total: totalOf(({ now }: Pair) => now?.[measure], format.money),
        },
        ...compared,
      ]}
    />
  )
}

const muted = { kind: 'line', tone: 'muted' } as const

export function PartsChart({ sales, by, compare }: PartsProps) {
  const { sales: t } = useT()
  const format = useFormat()
  const pairs = pairsOf(sales, compare)
  const values = pairs.map(({ now }) => now?.salesInclTax ?? null)
  const earlier = pairs.map((pair) => (pair.earlier === 'unknown' ? null : (pair.earlier?.salesInclTax ?? 0)))
  const labels = pairs.map(({ period }) => periodName(by, period ?? '', format, isOverYears(sales)))
  const best = values.reduce<number>((at, value, n) => ((value ?? 0) > (values[at] ?? 0) ? n : at), 0)
  return (
    <div className={styles.chart}>
      <Chart
        title={t.parts[by]}
        summary={t.best(labels[best] ?? '', format.money(values[best] ?? 0))}
        axis={t.parts[by]}
        labels={labels}
        fileLabels={pairs.map(({ period }) => period ?? '')}
        holes={by === 'day' ? values.flatMap((value, at) => (value === null ? [at] : [])) : []}
        write={format.money}
        tick={format.tick}
        toFile={format.major}
        fileName={`sales-${sales.meta.since}-${sales.meta.until}-${by}`}
        series={[
          { name: t.now, values, kind: 'bar' },
          ...(sales.comparison === undefined ? [] : [{ ...muted, name: t.compared, values: earlier }]),
        ]}
      />
    </div>
  )
}
