import { Link } from '@tanstack/react-router'
import type { Order } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { legible } from '../../parts/text.tsx'
import { OrderFacts } from './order-facts.tsx'
import { Ticket } from './ticket.tsx'

/** An order beside the list: its ticket, and the link to all details. */
export function OrderDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { orders: t, shell } = useT()
  const call: Call = { path: `/v1/orders/${id}` }
  const read = useApi<Order>(call)
  const number = read.data?.data.orderNumber
  return (
    <Dialog
      title={number === undefined ? shell.kinds.order : t.orderNumber(legible(number))}
      place="side"
      isOpen
      onClose={onClose}
    >
      <p className="row">
        <Link to="/orders/$id" params={{ id }}>
          {t.openOrder}
        </Link>
        <CopyCurl call={call} />
      </p>
      <Async read={read} rows={12}>
        {(order) => (
          <>
            {order.closedAt === null && !order.isCanceled && <Notice tone="warn">{t.isOpen}</Notice>}
            <OrderFacts order={order} />
            <Ticket order={order} />
          </>
        )}
      </Async>
    </Dialog>
  )
}
