import { Link } from '@tanstack/react-router'
import type { ChangedOrder, Location, Reconciliation } from '@tillgate/client'
import type { Call } from '../api/request.ts'
import { useApi } from '../api/use-api.ts'
import { useFormat } from './place.tsx'
import { useT } from '../i18n/language.tsx'
import { Box } from './page.tsx'
import { Table } from './table.tsx'
import { Foreign, Time } from './text.tsx'

const tills = { path: '/v1/locations/own', query: { devices: 'true' } } as const

type Sent = ChangedOrder['versions']['before']

/** Orders that changed after a close, each with both versions: total, sender, till and time of arrival. */
export function ChangedOrders({ orders, name }: { orders: readonly ChangedOrder[]; name: string }) {
  const { days: t, orders: texts, reports } = useT()
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
        {
          key: 'number',
          head: texts.number,
          isOneWord: true,
          cell: ({ orderId, orderNumber }) => (
            <Link to="/orders/$id" params={{ id: orderId }}>
              <Foreign text={orderNumber || '–'} />
            </Link>
          ),
          file: ({ orderNumber }) => orderNumber,
        },
        {
          key: 'before',
          head: t.before,
          isNumber: true,
          cell: ({ before, versions }) => version(before, versions.before),
          file: ({ before }) => format.major(before),
        },
        {
          key: 'now',
          head: t.now,
          isNumber: true,
          cell: ({ now, versions }) => version(now, versions.now),
          file: ({ now }) => format.major(now),
        },
        {
          key: 'difference',
          head: reports.difference,
          isNumber: true,
          cell: ({ before, now }) => <strong data-difference>{format.moneyChange((now ?? 0) - (before ?? 0))}</strong>,
          file: ({ before, now }) => format.major((now ?? 0) - (before ?? 0)),
        },
      ]}
    />
  )
}

/** The proof of a Z with the same call as its screen: if both are shown it is requested once. */
const proofOf = (id: string): Call => ({ path: `/v1/reports/${id}/reconciliation`, query: {} })

/** Orders of a Z that changed after it was sent; none if it agrees, undefined while loading. Null sends no request. */
export function useChangedAfter(id: string | null): readonly ChangedOrder[] | undefined {
  const { data, isLoading } = useApi<Reconciliation>(id === null ? null : proofOf(id))
  if (isLoading) return undefined
  return data === undefined || data.data.balanced ? [] : (data.data.changed ?? [])
}

/** The orders to check of a Z that does not agree: those that changed after it was sent. */
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
