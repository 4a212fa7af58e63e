import type { Order } from '@tillgate/client'
import type { Dictionary } from '../../i18n/en.ts'
import { useT } from '../../i18n/language.tsx'
import { Mark } from '../../parts/text.tsx'

type State = Pick<Order, 'isCanceled' | 'isTransferred' | 'isTraining' | 'closedAt'>

/** Returns the state in words, for a file. */
export function stateName(order: State, t: Dictionary['orders']): string {
  const { isCanceled, isTraining, isTransferred, closedAt } = order
  const names = [
    ...(isCanceled ? [t.canceled] : []),
    ...(isTraining ? [t.training] : []),
    ...(isTransferred ? [t.transferred] : []),
    ...(closedAt === null && !isCanceled ? [t.open] : []),
  ]
  return names.length === 0 ? t.closed : names.join(', ')
}

/** The state of an order in one word; several words if several apply. */
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
