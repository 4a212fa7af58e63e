import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Sales, SalesRow } from '@tillgate/client'
import { addDays, type Format } from '../../format/format.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Bar, Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'
import type { salesParts } from '../../parts/sales-parts.ts'
import { channelName, serviceName } from './words.ts'
import styles from './parts.module.css'

type Part = (typeof salesParts)[number]

const timeParts = new Set<Part>(['day', 'week', 'month', 'weekday', 'hour', 'halfHour'])

export const isTimePart = (by: Part) => timeParts.has(by)

/** `years` tells of which year a day is, where there are days of several. */
function periodName(by: Part, period: string, format: Format, years = false): string {
  if (by === 'month') return format.month(period)
  if (by === 'weekday') return format.weekday(Number(period))
  if (by === 'hour') return `${period} h`
  if (by === 'halfHour') return period
  return years ? format.days(period, period) : format.day(period)
}

const isOverYears = ({ meta }: Sales) => meta.since.slice(0, 4) !== meta.until.slice(0, 4)

/** What the list of orders is filtered by for a figure: what counts in it, by the days of closing. */
export const behind = ({ since, until }: { since: string; until: string }) =>
  ({ since, until, clock: 'closed', counted: 'yes' }) as const

/** The orders behind a row. */
function OrdersOf({ by, row, sales, children }: { by: Part; row: SalesRow; sales: Sales; children: ReactNode }) {
  const { period, key } = row
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
  if (by === 'channel') return inRange({ channel: key })
  if (by === 'serviceType') return inRange({ serviceType: key })
  if (by === 'operator') return inRange({ operator: key })
  if (by === 'device') return inRange({ device: key })
  if (by === 'payment') return inRange({ payment: key })
  if (by === 'category') return inRange({ category: key })
  if (by === 'product') return inRange({ product: key })
  if (by === 'discount') return inRange({ discount: key })
  if (by === 'tax') return inRange({ tax: key })
  if (by === 'report') {
    return (
      <Link to="/z/$id" params={{ id: key }}>
        {children}
      </Link>
    )
  }
  return children
}

export function PartsTable({ sales, by }: { sales: Sales; by: Part }) {
  const texts = useT()
  const { sales: t } = texts
  const format = useFormat()
  const isByTime = isTimePart(by)
  const rows = isByTime ? sales.data : sales.data.toSorted((a, b) => (b.salesInclTax ?? 0) - (a.salesInclTax ?? 0))
  const most = Math.max(1, ...rows.map(({ salesInclTax }) => salesInclTax ?? 0))
  const hasValue = (name: 'guests' | 'items' | 'discounts' | 'tax' | 'tips') => rows.some((row) => row[name] !== null)
  const nameOf = (row: SalesRow) => {
    if (row.period !== null) return periodName(by, row.period, format, isOverYears(sales))
    if (by === 'total') return t.parts.total
    if (by === 'tax' && row.key !== null) return format.percent(Number(row.key) / 10_000)
    if (by === 'channel' && row.key !== null) return channelName(texts, row.key)
    if (by === 'serviceType' && row.key !== null) return serviceName(texts, row.key)
    return row.name ?? row.key ?? t.without
  }
  const amount = (name: 'discounts' | 'tax' | 'tips') => ({
    key: name,
    head: t.figures[name],
    isNumber: true,
    isExtra: true,
    cell: (row: SalesRow) => format.money(row[name]),
  })
  return (
    <Table
      caption={t.parts[by]}
      hasFile
      rows={rows}
      keyOf={({ period, key }) => `${period}${key}`}
      columns={[
        {
          key: 'name',
          head: t.parts[by],
          cell: (row) => (
            <OrdersOf by={by} row={row} sales={sales}>
              <Foreign text={nameOf(row)} />
            </OrdersOf>
          ),
        },
        { key: 'orders', head: t.figures.orders, isNumber: true, cell: (row) => format.number(row.orders) },
        ...(hasValue('guests')
          ? [
              {
                key: 'guests',
                head: t.figures.guests,
                isNumber: true,
                isExtra: true,
                cell: (row: SalesRow) => format.number(row.guests),
              },
            ]
          : []),
        ...(hasValue('items')
          ? [
              {
                key: 'items',
                head: t.figures.items,
                isNumber: true,
                isExtra: true,
                cell: (row: SalesRow) => format.number(row.items),
              },
            ]
          : []),
        ...(hasValue('discounts') ? [amount('discounts')] : []),
        ...(hasValue('tax') ? [amount('tax')] : []),
        {
          key: 'sales',
          head: by === 'discount' ? t.figures.discounts : t.figures.salesInclTax,
          isNumber: true,
          cell: (row) => <Bar share={(row.salesInclTax ?? 0) / most}>{format.money(row.salesInclTax)}</Bar>,
        },
      ]}
    />
  )
}

export function PartsChart({ sales, by }: { sales: Sales; by: Part }) {
  const { sales: t } = useT()
  const format = useFormat()
  const values = sales.data.map(({ salesInclTax }) => salesInclTax ?? 0)
  const labels = sales.data.map(({ period }) => periodName(by, period ?? '', format, isOverYears(sales)))
  const best = values.indexOf(Math.max(...values))
  const before = sales.comparison?.data
  return (
    <div className={styles.chart}>
      <Chart
        title={t.parts[by]}
        summary={t.best(labels[best] ?? '', format.money(values[best] ?? 0))}
        axis={t.parts[by]}
        labels={labels}
        write={format.money}
        tick={format.tick}
        fileName={`sales-${sales.meta.since}-${by}.csv`}
        series={[
          { name: t.now, values, kind: 'bar' },
          ...(before === undefined
            ? []
            : [
                {
                  name: t.compared,
                  values: labels.map((_, at) => before[at]?.salesInclTax ?? null),
                  kind: 'line' as const,
                  tone: 'muted' as const,
                },
              ]),
        ]}
      />
    </div>
  )
}
