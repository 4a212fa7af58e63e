import { Link } from '@tanstack/react-router'
import type { BusinessDay, BusinessDayList, DayRevisionList } from '@tillgate/client'
import { Fragment, type ReactNode } from 'react'
import { offers } from '../api/offers.ts'
import { useApi } from '../api/use-api.ts'
import { businessDayOf } from '../format/format.ts'
import { numberRanges } from '../format/number-ranges.ts'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { Notice } from './page.tsx'
import type { Days } from './range.tsx'
import { isTroubled, stateOf, type DayState } from './day-state.ts'

/** Maximum number of days that are listed by name; the calendar has all of them. */
const namedAtMost = 5

/** Maximum number of days per request. */
const daysAtMost = 366

const daysBetween = ({ since, until }: Days) => Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1

/**
 * Returns the business days of a range, and the former figures of days that changed later; empty if the range is too
 * long. `onlyRewritten` omits the days themselves, because those of a year are large.
 */
export function useDays(
  range: Days,
  { onlyRewritten = false } = {},
): {
  days: { day: BusinessDay; state: DayState }[]
  revisions: DayRevisionList['data']
  isLoading: boolean
  /** Whether the days were loaded; false for a range that is not requested. */
  isKnown: boolean
} {
  const isAsked = offers('/v1/business-days/') && daysBetween(range) <= daysAtMost
  const query = { since: range.since, until: range.until }
  const days = useApi<BusinessDayList>(isAsked && !onlyRewritten ? { path: '/v1/business-days/', query } : null)
  const isRevised = onlyRewritten ? isAsked : (days.data?.data.data.some(({ status }) => status === 'revised') ?? false)
  const revised = useApi<DayRevisionList>(isRevised ? { path: '/v1/business-days/revised', query } : null)
  const { place } = useFormat()
  const today = businessDayOf(new Date(), place)
  const { data = [], meta } = days.data?.data ?? {}
  return {
    days: meta === undefined ? [] : data.map((day) => ({ day, state: stateOf(day, today, meta) })),
    revisions: isRevised ? (revised.data?.data.data ?? []) : [],
    isLoading: days.isLoading || revised.isLoading,
    isKnown: (onlyRewritten || days.data !== undefined) && (!isRevised || revised.data !== undefined),
  }
}

/** Days of a range that were rewritten after their close, and days with missing data, each with a link. */
export function DayAlerts({ range, onlyRewritten = false }: { range: Days; onlyRewritten?: boolean }) {
  const { days: t } = useT()
  const format = useFormat()
  const { days, revisions, isLoading } = useDays(range, { onlyRewritten })
  const others = days.filter(({ state }) => isTroubled(state) && state !== 'revised')
  const list = (found: readonly { date: string; note: ReactNode }[]) => (
    <>
      {found.slice(-namedAtMost).map(({ date, note }, at) => (
        <Fragment key={date}>
          {at > 0 && ' · '}
          <Link to="/days" search={{ day: date }}>
            {format.day(date)}
          </Link>
          {note}
        </Fragment>
      ))}
      {found.length > namedAtMost && (
        <>
          {' · '}
          <Link to="/days" search={{ month: found[0]?.date.slice(0, 7) }}>
            {t.andOthers(found.length - namedAtMost)}
          </Link>
        </>
      )}
    </>
  )
  return (
    <>
      {isLoading && <span data-loading hidden />}
      {revisions.length > 0 && (
        <Notice tone="bad">
          <span>
            {t.rewritten(revisions.length)}{' '}
            {list(
              revisions.map(({ date, before, now }) => ({
                date,
                note: (
                  <>
                    {' '}
                    <span data-difference>{format.moneyChange(now.salesInclTax - before.salesInclTax)}</span>
                  </>
                ),
              })),
            )}
          </span>
        </Notice>
      )}
      {others.length > 0 && (
        <Notice tone="warn">
          <span>
            {t.notComplete(others.length)}{' '}
            {list(
              others.map(({ day: { date, missingReports } }) => ({
                date,
                note:
                  missingReports.length > 0 &&
                  ` ${t.zMissing(numberRanges(missingReports.map((one) => one.reportNumber)))}`,
              })),
            )}
          </span>
        </Notice>
      )}
    </>
  )
}
