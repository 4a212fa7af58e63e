import type { Order } from '@tillgate/client'
import { useT } from '../../i18n/language.tsx'
import { Mark } from '../../parts/text.tsx'

type State = Pick<Order, 'isCanceled' | 'isTransferred' | 'isTraining' | 'closedAt'>

/** What an order is, in one word; several where several hold. */
export function OrderState({ order }: { order: State }) {
  const { orders } = useT()
  return (
    <>
      {order.isCanceled && <Mark tone="bad">{orders.canceled}</Mark>}
      {order.isTraining && <Mark tone="info">{orders.training}</Mark>}
      {order.isTransferred && <Mark tone="info">{orders.transferred}</Mark>}
      {order.closedAt === null && !order.isCanceled && <Mark tone="warn">{orders.open}</Mark>}
      {order.closedAt !== null && !order.isCanceled && !order.isTraining && !order.isTransferred && (
        <Mark>{orders.closed}</Mark>
      )}
    </>
  )
}
