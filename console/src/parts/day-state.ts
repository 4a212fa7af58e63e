import type { BusinessDay, BusinessDayList } from '@tillgate/client'

/** How a day stands, in the words of the calendar. */
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
 * A day that was rewritten after its close is that before all else; one without a sale or a Z has nothing that could be sealed, also while the
 * next Z of a till is awaited: on a closing day no till says anything. Where nothing ever closed a day nothing is missing of one.
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

/** Whether something of a day is to be looked at. */
export const isTroubled = (state: DayState): boolean => dayTones[state] === 'bad' || dayTones[state] === 'warn'
