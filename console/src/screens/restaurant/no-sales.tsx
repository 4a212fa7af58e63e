import type { OrderPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { instantsOf, type Days, type RangeSearch } from '../../parts/range.tsx'
import { Empty } from '../../parts/states.tsx'

/** Requests the last order closed before the shown days, or the first one closed after them. */
const orderBeside = (query: Call['query']): Call => ({
  path: '/v1/orders/',
  query: { state: 'closed', isCanceled: 'false', isTraining: 'false', size: 1, ...query },
})

/** No sales on these days: possible reasons, and a link to the nearest day with sales. */
export function NoSales({ days, onChoose }: { days: Days; onChoose: (range: RangeSearch) => void }) {
  const { sales: t } = useT()
  const format = useFormat()
  const { since, until } = instantsOf(days, format)
  const earlier = useApi<OrderPage>(orderBeside({ sort: '-createdAt', until: since }))
  const hasNone = earlier.data?.data.data.length === 0
  const later = useApi<OrderPage>(hasNone ? orderBeside({ sort: 'createdAt', since: until }) : null)
  const [order] = earlier.data?.data.data[0] === undefined ? (later.data?.data.data ?? []) : earlier.data.data.data
  const day =
    order?.closedAt === null || order === undefined ? null : businessDayOf(new Date(order.closedAt), format.place)
  return (
    <Empty title={t.nothing}>
      <p>{t.nothingText}</p>
      {day !== null && (
        <Button onClick={() => onChoose({ since: day, until: day })}>{t.nearest(format.fullDay(day))}</Button>
      )}
    </Empty>
  )
}
