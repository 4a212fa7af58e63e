import type { Sales, SalesRow } from '@tillgate/client'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'
import { clockPeriods } from './paired.ts'

const muted = { kind: 'line', tone: 'muted' } as const

/** Sales per hour as bars, with the average of the same weekday of four weeks as a line. */
export function HourChart({ sales }: { sales: Sales }) {
  const { today: t, common } = useT()
  const format = useFormat()
  const before = sales.comparison?.data ?? []
  const hours = clockPeriods(
    [...sales.data, ...before].flatMap(({ period }) => (period === null ? [] : [period])),
    sales.meta.dayStartsAt,
    60,
  )
  const of = (rows: readonly SalesRow[]) =>
    hours.map((hour) => rows.find(({ period }) => period === hour)?.salesInclTax ?? 0)
  const values = of(sales.data)
  const best = values.length === 0 ? -1 : values.indexOf(Math.max(...values))
  const summary =
    best < 0 || values[best] === 0 ? t.nothingYet : t.bestHour(hours[best] ?? '', format.money(values[best] ?? 0))
  if (!values.some((value) => value !== 0) && of(before).every((value) => value === 0)) {
    return <p className="muted">{t.nothingYet}</p>
  }
  return (
    <Chart
      title={t.perHour}
      summary={summary}
      axis={common.hour}
      labels={hours.map((hour) => `${hour} h`)}
      write={format.money}
      tick={format.tick}
      fileLabels={hours}
      toFile={format.major}
      fileName={`sales-${sales.meta.since}-hours`}
      series={[
        { name: format.day(sales.meta.since), values, kind: 'bar' },
        ...(sales.comparison === undefined ? [] : [{ ...muted, name: t.fourWeeks, values: of(before) }]),
      ]}
    />
  )
}
