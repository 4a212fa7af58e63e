import { Link } from '@tanstack/react-router'
import type { Order, ReportCheckPage as CheckPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Id } from '../../parts/text.tsx'

/** The name of a Z report; null if it has not arrived yet, undefined if unknown. */
type ZName = string | null | undefined

/** Returns the names of the Z reports of orders, by their ids; `asked` while they load. */
export function useZNumbers(orders: readonly Order[]): (id: string) => ZName {
  const { reports: t } = useT()
  const { place } = useFormat()
  const days = orders
    .map(({ openedAt }) => businessDayOf(new Date(openedAt), place))
    .toSorted((a, b) => (a < b ? -1 : 1))
  // The Z report of a day is assumed to be made by the next day; only the latest 366 days are searched.
  const [first, last = first] = [days[0], days.at(-1)]
  const until = last === undefined ? undefined : addDays(last, 1)
  const since =
    until !== undefined && first !== undefined && first < addDays(until, -365) ? addDays(until, -365) : first
  const call: Call = { path: '/v1/reports/checks/', query: { since, until, sort: '-finalizedAt', size: 50 } }
  const { data, error, isPlaceholderData } = useApi<CheckPage>(until === undefined ? null : call)
  const numbers = new Map(data?.data.data.map(({ reportId, reportNumber }) => [reportId, reportNumber]))
  return (id) => {
    if (isPlaceholderData || (data === undefined && error === null)) return 'asked'
    const number = numbers.get(id)
    if (number !== undefined) return t.zNumber(number)
    return data !== undefined && data.data.meta.totalPage <= 1 && since === first ? null : undefined
  }
}

/** Links to the Z report of an order; without a link if it has not arrived, because its till has not closed yet. */
export function ZLink({ id, name }: { id: string | null; name: ZName }) {
  const { orders: t } = useT()
  if (id === null) return null
  if (name === 'asked') return <span data-loading>…</span>
  if (name === null) {
    return (
      <span className="muted" title={id}>
        {t.zToCome}
      </span>
    )
  }
  if (name === undefined) return <Id id={id} />
  return (
    <Link to="/z/$id" params={{ id }}>
      {name}
    </Link>
  )
}
