import { Link } from '@tanstack/react-router'
import type { Order } from '@tillgate/client'
import { useT } from '../../i18n/language.tsx'
import { Fact, Facts } from '../../parts/page.tsx'
import { Foreign, Id, Time } from '../../parts/text.tsx'
import { useReconciliation } from './adds-up.tsx'
import { OrderState } from './order-state.tsx'
import { channelName, serviceName } from '../../parts/words.ts'

/** When, where and by whom an order was made, and the Z report that it is in. */
export function OrderFacts({ order }: { order: Order }) {
  const texts = useT()
  const { orders: t, reports } = texts
  const report = useReconciliation(order).read.data?.data.reportNumber
  return (
    <Facts>
      <Fact name={t.state}>
        <OrderState order={order} />
      </Fact>
      <Fact name={t.opened}>
        <Time at={order.openedAt} />
      </Fact>
      <Fact name={t.closedAt}>
        <Time at={order.closedAt} />
      </Fact>
      <Fact name={t.place}>
        <Foreign text={order.orderPlace || '–'} />
      </Fact>
      <Fact name={t.guests}>{order.guests}</Fact>
      <Fact name={t.operator}>
        <Foreign text={order.operatorName || '–'} />
      </Fact>
      <Fact name={t.channel}>
        <Foreign text={channelName(texts, order.channel)} />
      </Fact>
      <Fact name={t.serviceType}>
        <Foreign text={serviceName(texts, order.serviceType)} />
      </Fact>
      <Fact name={t.report}>
        {order.reportId === null ? (
          t.noReport
        ) : (
          <Link to="/z/$id" params={{ id: order.reportId }}>
            {report === undefined ? <Id id={order.reportId} /> : reports.zNumber(report)}
          </Link>
        )}
      </Fact>
      <Fact name={t.id}>
        <Id id={order.id} />
      </Fact>
      {(order.cancelReason ?? '') !== '' && (
        <Fact name={t.cancelReason}>
          <Foreign text={order.cancelReason} />
        </Fact>
      )}
      {(order.transferReason ?? '') !== '' && (
        <Fact name={t.transferReason}>
          <Foreign text={order.transferReason} />
        </Fact>
      )}
    </Facts>
  )
}
