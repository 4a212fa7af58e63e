import { Link } from '@tanstack/react-router'
import type { Order, Reconciliation } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Notice } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { Mark } from '../../parts/text.tsx'
import { Table } from '../../parts/table.tsx'

const figures = ['orderTotal', 'orderTax', 'orderDiscount', 'orderPayments'] as const

/** Returns the reconciliation of an order's Z report; it is requested once for all its uses. */
export function useReconciliation({ reportId }: Order) {
  const call: Call | null = reportId === null ? null : { path: `/v1/reports/${reportId}/reconciliation` }
  return { call, read: useApi<Reconciliation>(call) }
}

/** The four checks of an order, from the reconciliation of its Z report; nothing is computed here. */
export function AddsUp({ order }: { order: Order }) {
  const { orders: t } = useT()
  const { call, read } = useReconciliation(order)
  return (
    <Box title={t.addsUp} call={call}>
      {call === null || read.error?.status === 404 ? (
        <p className="muted">{t.addsUpLater}</p>
      ) : (
        <Async read={read} rows={4}>
          {(reconciliation) => <Checks order={order} reconciliation={reconciliation} />}
        </Async>
      )}
    </Box>
  )
}

function Checks({ order, reconciliation }: { order: Order; reconciliation: Reconciliation }) {
  const { orders: t } = useT()
  const format = useFormat()
  const { counted } = reconciliation.orders
  const found = reconciliation.differences.filter(({ figure, key }) => key === order.id && figure.startsWith('order'))
  if (!counted.includes(order.id)) return <p className="muted">{t.notCounted}</p>
  const rows = figures.map((figure) => ({ figure, difference: found.find((one) => one.figure === figure) }))
  return (
    <>
      {found.length === 0 && <Notice tone="good">{t.allAddsUp}</Notice>}
      <Table
        caption={t.addsUp}
        rows={rows}
        keyOf={({ figure }) => figure}
        columns={[
          { key: 'figure', head: t.check, cell: ({ figure }) => t.checks[figure] },
          {
            key: 'verdict',
            head: t.result,
            cell: ({ difference }) =>
              difference === undefined ? (
                <Mark tone="good">{t.agrees}</Mark>
              ) : (
                <Mark tone="bad">
                  {t.differs(format.money(difference.reported), format.money(difference.computed))}
                </Mark>
              ),
          },
        ]}
      />
      <p>
        <Link to="/z/$id" params={{ id: reconciliation.reportId }}>
          {t.toReport(reconciliation.reportNumber)}
        </Link>
      </p>
    </>
  )
}
