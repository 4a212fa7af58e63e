import { Link } from '@tanstack/react-router'
import type { Order } from '@tillgate/client'
import { useT } from '../../i18n/language.tsx'
import { Fact, Facts } from '../../parts/page.tsx'
import { Id } from '../../parts/text.tsx'
import { useReconciliation } from './adds-up.tsx'
import { OrderState } from './order-state.tsx'
import { channelName, serviceName } from '../../parts/words.ts'

/** When, where and by whom an order was made, and the Z report that it is in. */
export function OrderFacts({ order }: { order: Order }) {
  const texts = useT()
  const { orders: t, reports, sales, common } = texts
  const report = useReconciliation(order).read.data?.data.reportNumber
  return (
    <Facts>
      <Fact name={common.state}>
        <OrderState order={order} />
      </Fact>
      <Fact name={t.opened} at={order.openedAt} />
      <Fact name={t.closedAt} at={order.closedAt} />
      <Fact name={t.place} text={order.orderPlace} />
      <Fact name={sales.figures.guests}>{order.guests}</Fact>
      <Fact name={sales.parts.operator} text={order.operatorName} />
      <Fact name={sales.parts.channel} text={channelName(texts, order.channel)} />
      <Fact name={sales.parts.serviceType} text={serviceName(texts, order.serviceType)} />
      <Fact name={sales.parts.report}>
        {order.reportId === null ? (
          t.noReport
        ) : (
          <Link to="/z/$id" params={{ id: order.reportId }}>
            {report === undefined ? <Id id={order.reportId} /> : reports.zNumber(report)}
          </Link>
        )}
      </Fact>
      <Fact name={common.id}>
        <Id id={order.id} />
      </Fact>
      {(order.cancelReason ?? '') !== '' && <Fact name={t.cancelReason} text={order.cancelReason} />}
      {(order.transferReason ?? '') !== '' && <Fact name={t.transferReason} text={order.transferReason} />}
    </Facts>
  )
}
