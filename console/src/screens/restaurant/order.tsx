import { useSearch, useParams, Link } from '@tanstack/react-router'
import type { Order } from '@tillgate/client'
import { useScope } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { legible } from '../../parts/text.tsx'
import { Box, Columns, Notice, Page } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { Json } from '../../parts/json.tsx'
import { Carried } from './carried.tsx'
import { AddsUp } from './adds-up.tsx'
import { OrderFacts } from './order-facts.tsx'
import { Ticket } from './ticket.tsx'
import { useHistory, Versions } from './versions.tsx'
import { useChange } from '../../parts/use-change.ts'

/** One order: its ticket, whether it adds up, its history, and its deliveries. */
export function OrderScreen() {
  const { orders: t, shell, common } = useT()
  const format = useFormat()
  const { id } = useParams({ from: '/orders/$id' })
  const { version } = useSearch({ from: '/orders/$id' })
  const change = useChange()
  const seesWebhooks = useScope('webhooks')
  const call: Call = { path: `/v1/orders/${id}` }
  const read = useApi<Order>(call)
  const history = useHistory(`/v1/orders/${id}`)
  const chosen = history.entries.find(({ sequence }) => String(sequence) === version)
  const latest = history.entries.at(-1)
  const title = read.data === undefined ? shell.kinds.order : t.orderNumber(legible(read.data.data.orderNumber))
  return (
    <Page title={title} call={call}>
      <Async read={read} rows={12}>
        {(order, text) => {
          const shown = chosen?.data ?? order
          return (
            <>
              {order.closedAt === null && !order.isCanceled && <Notice tone="warn">{t.isOpen}</Notice>}
              {chosen !== undefined && chosen !== latest && (
                <Notice tone="info">
                  {t.oldVersion(format.number(chosen.sequence))}
                  <Link to="." search={(before: object) => ({ ...before, version: undefined })}>
                    {t.toLatest}
                  </Link>
                </Notice>
              )}
              <Columns wide>
                <Box title={t.ticket}>
                  <Ticket order={shown} />
                </Box>
                <div style={{ display: 'grid', gap: '1rem', minInlineSize: 0 }}>
                  <Box title={common.details}>
                    <OrderFacts order={shown} />
                  </Box>
                  <AddsUp order={order} />
                </div>
              </Columns>
              <Versions
                history={history}
                chosen={chosen?.sequence ?? latest?.sequence ?? null}
                onChoose={(sequence) => change({ version: String(sequence) })}
              />
              {seesWebhooks && history.entries.length > 0 && <Carried entries={history.entries} />}
              <Box title={common.json} call={call}>
                <Json text={chosen?.text ?? text} label={common.json} />
              </Box>
            </>
          )
        }}
      </Async>
    </Page>
  )
}
