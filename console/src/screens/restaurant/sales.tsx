import { useSearch } from '@tanstack/react-router'
import type { Sales } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Choose, Filters, Filter } from '../../parts/filters.tsx'
import { Box, Notice, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { salesParts } from '../../parts/sales-parts.ts'
import { BalanceSheet } from './balance-sheet.tsx'
import { HourChoice, WeekdayChoice } from '../../parts/time-choice.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { HeatMap } from './heat-map.tsx'
import { NoSales } from './no-sales.tsx'
import { isTimePart, PartsChart, PartsTable } from './sales-parts.tsx'
import { useChange } from '../../parts/use-change.ts'

/** If a table by day has more rows, a table by month is offered, which is easier to read. */
const manyDays = 366

const comparisons = ['previous', 'weekday', 'fourWeeks', 'yearWeekday', 'year'] as const

/** Whether rows are by date, so that they cannot be averaged over several weeks. */
const isOfDates = (by: string) => by === 'day' || by === 'week' || by === 'month'

/** Shows the loaded rows by the grouping in their response: while others load, the URL already has the new one. */
function Parts({ sales, compare, onMonths }: { sales: Sales; compare: string | undefined; onMonths: () => void }) {
  const { sales: t } = useT()
  const by = sales.meta.by as (typeof salesParts)[number]
  return (
    <Box title={t.parts[by]} flush>
      {by === 'day' && sales.data.length > manyDays && (
        <Notice tone="info">
          {t.manyDays(sales.data.length)}
          <Button onClick={onMonths}>{t.byMonth}</Button>
        </Notice>
      )}
      {isTimePart(by) && <PartsChart sales={sales} by={by} compare={compare} />}
      {by === 'weekday,halfHour' ? <HeatMap sales={sales} /> : <PartsTable sales={sales} by={by} compare={compare} />}
    </Box>
  )
}

export function SalesScreen() {
  const { sales: t, catalog, screens } = useT()
  const format = useFormat()
  const search = useSearch({ from: '/sales' })
  const days = daysOf(search, format, '7d')
  const { weekday, from, before } = search
  // Sums by product or person are not stored by hour.
  const isOfHours = from !== undefined || before !== undefined
  const parts = isOfHours ? salesParts.filter((part) => part === 'total' || isTimePart(part)) : salesParts
  const by = parts.find((part) => part === search.by) ?? (days.since === days.until ? 'hour' : 'day')
  const compare = search.compare === 'fourWeeks' && isOfDates(by) ? undefined : search.compare
  // An unfinished day is compared with the same part of other days.
  const upToNow = !isOfHours && days.until >= businessDayOf(new Date(), format.place) ? { upToNow: 'true' } : {}
  const call: Call = {
    path: '/v1/sales/',
    query: {
      ...days,
      by,
      weekday,
      from: from && `${from}:00`,
      before: before && `${before}:00`,
      ...(compare === undefined ? {} : { compare, ...upToNow }),
    },
  }
  const read = useApi<Sales>(call)
  const change = useChange()
  return (
    <Page
      title={screens.sales}
      intro={days.since === days.until ? format.fullDay(days.since) : format.days(days.since, days.until)}
      call={call}
    >
      <Filters>
        <RangeChoice search={search} fallback="7d" />
        <Choose
          label={t.by}
          value={by}
          choices={parts.map((part) => [part, t.parts[part]] as const)}
          onChange={(value) => change({ by: value })}
        />
        <Filter
          label={t.compare}
          value={compare}
          all={t.comparisons.none}
          choices={comparisons
            .filter((one) => one !== 'fourWeeks' || !isOfDates(by))
            .map((one) => [one, t.comparisons[one]] as const)}
          onChange={(value) => change({ compare: value })}
        />
        <WeekdayChoice label={t.parts.weekday} value={weekday} onChange={(value) => change({ weekday: value })} />
        <HourChoice label={t.fromHour} value={from} onChange={(value) => change({ from: value })} />
        <HourChoice label={t.beforeHour} value={before} onChange={(value) => change({ before: value })} />
      </Filters>
      <DayAlerts range={days} />
      <Async read={read} rows={12}>
        {(sales) => (
          <>
            {sales.comparison?.upTo !== undefined && (
              <p className="muted">{t.upTo(format.clock(sales.comparison.upTo))}</p>
            )}
            <BalanceSheet sales={sales} compare={compare} />
            {sales.data.length === 0 && sales.totals.orders > 0 ? (
              <Empty title={t.noValues}>{t.noValuesText}</Empty>
            ) : sales.data.length === 0 && (weekday ?? from ?? before) !== undefined ? (
              <Empty title={catalog.notFound} />
            ) : sales.data.length === 0 ? (
              <NoSales
                days={days}
                onChoose={(range) => change({ range: undefined, since: undefined, until: undefined, ...range })}
              />
            ) : (
              <Parts sales={sales} compare={compare} onMonths={() => change({ by: 'month' })} />
            )}
            <p className="muted">
              {isOfHours && `${t.wholeDays} `}
              {t.foot(sales.meta.timeZone, sales.meta.dayStartsAt)} {t.exact(format.number(sales.meta.sequence))}
            </p>
          </>
        )}
      </Async>
    </Page>
  )
}
