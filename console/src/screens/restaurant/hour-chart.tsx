import type { Sales, SalesRow } from '@tillgate/client'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Chart } from '../../parts/chart.tsx'

/** The hours of a business day in their order: it begins in the morning and ends after midnight. */
function hoursOf(rows: readonly SalesRow[], dayStartsAt: string): string[] {
  const first = Number(dayStartsAt.slice(0, 2))
  const placeOf = (hour: string) => (Number(hour) - first + 24) % 24
  const hours = rows.flatMap(({ period }) => (period === null ? [] : [period]))
  const places = hours.map(placeOf)
  if (places.length === 0) return []
  const from = Math.min(...places)
  const count = Math.max(...places) - from + 1
  return Array.from({ length: count }, (_, at) => String((first + from + at) % 24).padStart(2, '0'))
}

/** Sales per hour as bars, over those of the same weekday of four weeks on average as a line. */
export function HourChart({ sales }: { sales: Sales }) {
  const { today: t } = useT()
  const format = useFormat()
  const before = sales.comparison?.data ?? []
  const hours = hoursOf([...sales.data, ...before], sales.meta.dayStartsAt)
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
      axis={t.hour}
      labels={hours.map((hour) => `${hour} h`)}
      write={format.money}
      tick={format.tick}
      fileName={`sales-${sales.meta.since}-hours.csv`}
      series={[
        { name: format.day(sales.meta.since), values, kind: 'bar' },
        ...(sales.comparison === undefined
          ? []
          : [
              {
                name: t.fourWeeks,
                values: of(before),
                kind: 'line' as const,
                tone: 'muted' as const,
              },
            ]),
      ]}
    />
  )
}
