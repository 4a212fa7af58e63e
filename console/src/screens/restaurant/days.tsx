import { getRouteApi, Link } from '@tanstack/react-router'
import type { BusinessDay, BusinessDayList } from '@tillgate/client'
import { useApi } from '../../api/use-api.ts'
import type { Call } from '../../api/request.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { DayDetail } from './day-detail.tsx'
import { dayTones, stateOf, type DayState } from './day-state.ts'
import styles from './days.module.css'

const api = getRouteApi('/days')

const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

const monthAfter = (month: string, by: -1 | 1) => addDays(`${month}-15`, by * 30).slice(0, 7)

const lastOf = (month: string) => addDays(`${monthAfter(month, 1)}-01`, -1)

/** 0 for Monday. */
const placeOf = (date: string) => (new Date(`${date}T12:00:00Z`).getUTCDay() + 6) % 7

/** The weeks of a month, Monday first; null where a day is of another month. */
function weeksOf(month: string): (string | null)[][] {
  const first = `${month}-01`
  const count = Number(lastOf(month).slice(8))
  const days = [
    ...Array.from({ length: placeOf(first) }, () => null),
    ...Array.from({ length: count }, (_, at) => addDays(first, at)),
  ]
  return Array.from({ length: Math.ceil(days.length / 7) }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => days[week * 7 + at] ?? null),
  )
}

/** A month of business days, each with its state and its sales: what is missing is drawn as missing. */
function Calendar({
  month,
  days,
  chosen,
}: {
  month: string
  days: readonly BusinessDay[]
  chosen: string | undefined
}) {
  const { days: t } = useT()
  const format = useFormat()
  const today = businessDayOf(new Date(), format.place)
  const of = new Map(days.map((day) => [day.date, day]))
  const caption = format.month(month)
  return (
    <div className={styles.scroll} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles.calendar}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {weekdays.map((weekday) => (
              <th key={weekday} scope="col">
                <span aria-hidden="true">{format.weekday(weekday).slice(0, 3)}</span>
                <span className="hidden">{format.weekday(weekday)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(month).map((week) => (
            <tr key={week.find((date) => date !== null)}>
              {weekdays.map((weekday) => {
                const date = week[weekday - 1] ?? null
                const day = date === null ? undefined : of.get(date)
                if (date === null) return <td key={weekday} className={styles.none} />
                if (day === undefined) {
                  return (
                    <td key={weekday} className={styles.none}>
                      <span className={styles.date}>{Number(date.slice(8))}</span>
                    </td>
                  )
                }
                const state = stateOf(day, today)
                return (
                  <td
                    key={weekday}
                    className={styles.day}
                    data-state={state}
                    data-tone={dayTones[state]}
                    aria-current={date === chosen ? 'date' : undefined}
                  >
                    <Link
                      from="/days"
                      to="/days"
                      search={(before) => ({ ...before, day: date })}
                      className={styles.link}
                    >
                      <span className={styles.date}>
                        <span aria-hidden="true">{Number(date.slice(8))}</span>
                        <span className="hidden">{format.fullDay(date)}</span>
                      </span>
                      <span className={styles.state}>{t.states[state]}</span>
                      {day.sales.orders > 0 && (
                        <span className={styles.sales}>{format.money(day.sales.salesInclTax)}</span>
                      )}
                      {day.missingReports.length > 0 && (
                        <span className={styles.missing}>
                          {t.zMissing(day.missingReports.map(({ reportNumber }) => reportNumber).join(', '))}
                        </span>
                      )}
                    </Link>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const states = ['sealed', 'revised', 'incomplete', 'unbalanced', 'noSales', 'running'] as const

/** The calendar of business days, and the day that was chosen in it. */
export function Days() {
  const { days: t, screens } = useT()
  const format = useFormat()
  const search = api.useSearch()
  const today = businessDayOf(new Date(), format.place)
  const month = search.month ?? search.day?.slice(0, 7) ?? today.slice(0, 7)
  const last = lastOf(month)
  const call: Call = {
    path: '/v1/business-days/',
    query: { since: `${month}-01`, until: last > today && month <= today.slice(0, 7) ? today : last },
  }
  const read = useApi<BusinessDayList>(call, { everyMs: 60_000 })
  const step = (by: -1 | 1) => (
    <Link from="/days" to="/days" search={(before) => ({ ...before, day: undefined, month: monthAfter(month, by) })}>
      {format.month(monthAfter(month, by))}
    </Link>
  )
  return (
    <Page title={screens.days} intro={t.intro} call={call}>
      <Box
        title={format.month(month)}
        aside={
          <>
            {step(-1)} {month < today.slice(0, 7) && step(1)}
          </>
        }
      >
        <Async read={read} rows={8}>
          {({ data }) => {
            const countOf = (state: DayState) => data.filter((day) => stateOf(day, today) === state).length
            return (
              <>
                <p className={styles.legend}>
                  {states
                    .filter((state) => countOf(state) > 0)
                    .map((state) => (
                      <span key={state} data-tone={dayTones[state]} data-state={state}>
                        {t.states[state]} · {countOf(state)}
                      </span>
                    ))}
                </p>
                <Calendar month={month} days={data} chosen={search.day} />
              </>
            )
          }}
        </Async>
      </Box>
      {search.day !== undefined && <DayDetail date={search.day} />}
    </Page>
  )
}
