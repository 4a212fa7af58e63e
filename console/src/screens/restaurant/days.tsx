import { useSearch } from '@tanstack/react-router'
import type { BusinessDayList } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { numberRanges } from '../../format/number-ranges.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { daysOfMonth, MonthCalendar, MonthLegend, MonthSteps } from '../../parts/months.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { DayDetail } from './day-detail.tsx'
import { dayTones, stateOf } from '../../parts/day-state.ts'

const states = ['sealed', 'revised', 'incomplete', 'unbalanced', 'noSales', 'unclosed', 'running'] as const

/** The calendar of business days, and the selected day. */
export function Days() {
  const { days: t, screens } = useT()
  const format = useFormat()
  const search = useSearch({ from: '/days' })
  const today = businessDayOf(new Date(), format.place)
  const month = search.month ?? search.day?.slice(0, 7) ?? today.slice(0, 7)
  const call: Call = { path: '/v1/business-days/', query: daysOfMonth(month, today) }
  const read = useApi<BusinessDayList>(call)
  return (
    <Page title={screens.days} intro={t.intro} call={call}>
      <DayAlerts range={{ since: addDays(today, -365), until: today }} onlyRewritten />
      <Box title={format.month(month)} aside={<MonthSteps month={month} today={today} />}>
        <Async read={read} rows={8}>
          {({ data, meta }) => {
            const of = new Map(data.map((day) => [day.date, day]))
            return (
              <>
                <MonthLegend
                  states={states}
                  toneOf={dayTones}
                  wordOf={(state) => t.states[state]}
                  countOf={(state) => data.filter((day) => stateOf(day, today, meta) === state).length}
                />
                <MonthCalendar
                  month={month}
                  chosen={search.day}
                  dayOf={(date) => {
                    const day = of.get(date)
                    if (day === undefined) return undefined
                    const state = stateOf(day, today, meta)
                    const missing = numberRanges(day.missingReports.map(({ reportNumber }) => reportNumber))
                    return {
                      state,
                      tone: dayTones[state],
                      word: t.states[state],
                      amount: day.sales.orders > 0 ? format.money(day.sales.salesInclTax) : null,
                      notes: missing === '' ? [] : [t.zMissing(missing)],
                    }
                  }}
                />
              </>
            )
          }}
        </Async>
      </Box>
      {search.day !== undefined && <DayDetail date={search.day} closesDays={read.data?.data.meta.closesDays ?? true} />}
    </Page>
  )
}
