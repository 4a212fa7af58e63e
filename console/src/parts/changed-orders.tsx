import type { ChangedOrder, Location, Reconciliation } from '@tillgate/client'
import { useApi, type Call } from '../api/use-api.ts'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { Box } from './page.tsx'
import { Table } from './table.tsx'
import { Foreign, Time } from './text.tsx'
import { orderColumn } from './record-link.tsx'
import type { Column } from './columns.tsx'

const tills = { path: '/v1/locations/own', query: { devices: 'true' } } as const

type Sent = ChangedOrder['versions']['before']

/** Orders that changed after a close, each with both versions: total, sender, till and time of arrival. */
export function ChangedOrders({ orders, name }: { orders: readonly ChangedOrder[]; name: string }) {
  const { days: t, common } = useT()
  const format = useFormat()
  const { deviceList = [] } = useApi<Location>(tills).data?.data ?? {}
  const senderOf = (sent: Sent) => {
    const till = deviceList.find(({ id }) => id === sent?.deviceId)?.name
    return [sent?.operatorName, till].filter((text) => text !== undefined && text !== '').join(', ')
  }
  const version = (amount: number | null, sent: Sent) =>
    sent === null ? (
      t.notThere
    ) : (
      <>
        {amount === null ? t.notCounted : format.money(amount)}
        <div className="muted">
          <Foreign text={senderOf(sent)} /> · <Time at={sent.acceptedAt} as="recent" />
        </div>
      </>
    )
  return (
    <Table<ChangedOrder>
      caption={t.changed}
      fileName={`${t.changed}-${name}`}
      rows={orders}
      keyOf={({ orderId }) => orderId}
      columns={[
        orderColumn(common.number, ({ orderId, orderNumber }) => ({ id: orderId, number: orderNumber })),
        ...(['before', 'now'] as const).map((when): Column<ChangedOrder> => ({
          key: when,
          head: t[when],
          isNumber: true,
          cell: ({ [when]: amount, versions }) => version(amount, versions[when]),
          file: ({ [when]: amount }) => format.major(amount),
        })),
        {
          key: 'difference',
          head: common.difference,
          isNumber: true,
          cell: ({ before, now }) => <strong data-difference>{format.moneyChange((now ?? 0) - (before ?? 0))}</strong>,
          file: ({ before, now }) => format.major((now ?? 0) - (before ?? 0)),
        },
      ]}
    />
  )
}

/** Returns the call for the proof of a Z: the same as on its screen, so that both share one request. */
const proofOf = (id: string): Call => ({ path: `/v1/reports/${id}/reconciliation`, query: {} })

/** Returns orders of a Z that changed after it: none if it agrees, undefined while loading. Null sends no request. */
export function useChangedAfter(id: string | null): readonly ChangedOrder[] | undefined {
  const { data, isLoading } = useApi<Reconciliation>(id === null ? null : proofOf(id))
  if (isLoading) return undefined
  return data === undefined || data.data.balanced ? [] : (data.data.changed ?? [])
}

/** The orders to check if a Z does not agree: those that changed after it was sent. */
export function ChangedAfterReport({ id, name }: { id: string; name: string }) {
  const { days: t } = useT()
  const changed = useChangedAfter(id)
  if (changed === undefined) return <span data-loading hidden />
  if (changed.length === 0) return null
  return (
    <Box title={t.changedAfterZ(name)} call={proofOf(id)} flush>
      <ChangedOrders orders={changed} name={name} />
    </Box>
  )
}
