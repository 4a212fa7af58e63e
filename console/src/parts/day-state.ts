import type { BusinessDay, BusinessDayList } from '@tillgate/client'

/** The state of a day in the calendar. */
export type DayState = 'running' | 'revised' | 'incomplete' | 'unbalanced' | 'noSales' | 'unclosed' | 'sealed'

export const dayTones = {
  running: 'info',
  revised: 'bad',
  incomplete: 'warn',
  unbalanced: 'warn',
  noSales: 'plain',
  unclosed: 'plain',
  sealed: 'good',
} as const satisfies Record<DayState, string>

/**
 * Returns the state to show for a past or current day. Changes after the close are always shown. A day without sales or
 * Z reports is `noSales`, even while the next Z of a till is awaited, because a closed restaurant sends nothing. If Z
 * reports close no days here, a day is `unclosed` instead of `incomplete`.
 */
export function stateOf(
  day: BusinessDay,
  today: string,
  { closesDays }: Pick<BusinessDayList['meta'], 'closesDays'>,
): DayState {
  const { status, sales, reports, missingReports, orders, balanced } = day
  if (status === 'revised') return 'revised'
  if (day.date >= today) return 'running'
  const isEmpty =
    sales.orders === 0 && reports.length === 0 && missingReports.length === 0 && orders.missing.length === 0
  if (isEmpty) return 'noSales'
  if (!closesDays) return 'unclosed'
  if (status !== 'complete') return 'incomplete'
  return balanced === false ? 'unbalanced' : 'sealed'
}

/** Whether a day needs attention. */
export const isTroubled = (state: DayState): boolean => dayTones[state] === 'bad' || dayTones[state] === 'warn'
