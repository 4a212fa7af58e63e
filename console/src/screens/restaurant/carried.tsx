import { Link } from '@tanstack/react-router'
import type { DeliveryPage, Webhook, WebhookPage } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Box } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import type { Version } from './versions.tsx'
import { OutcomeMark } from '../../parts/webhook-state.tsx'

/** Attempts of one webhook with a version of this order, from its delivery log. */
function Attempts({ webhook, entries }: { webhook: Webhook; entries: readonly Version[] }) {
  const { orders: t, webhooks, common } = useT()
  const format = useFormat()
  const sequences = new Set(entries.map(({ sequence }) => sequence))
  const call: Call = {
    path: `/v1/webhooks/${webhook.id}/deliveries`,
    query: { since: entries[0]?.timestamp, until: lateEnough(entries), size: 100 },
  }
  const read = useApi<DeliveryPage>(call)
  return (
    <section>
      <h3>
        <Link to="/webhooks/$id" params={{ id: webhook.id }}>
          <Foreign text={webhook.endpointUrl} />
        </Link>{' '}
        <CopyCurl call={call} />
      </h3>
      <Async read={read} rows={2}>
        {({ data, meta }) => {
          const rows = data.filter(({ sequence }) => sequences.has(sequence))
          if (rows.length === 0) return <p className="muted">{t.notCarried(meta.next === null)}</p>
          return (
            <Table
              caption={t.carried}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  key: 'sequence',
                  head: common.version,
                  isNumber: true,
                  cell: ({ sequence }) => format.number(sequence),
                },
                {
                  key: 'event',
                  head: webhooks.event,
                  cell: ({ id, event }) => (
                    <Link to="/webhooks/$id" params={{ id: webhook.id }} search={{ delivery: id }}>
                      {event}
                    </Link>
                  ),
                },
                { key: 'sent', head: webhooks.sentAt, cell: ({ sentAt }) => <Time at={sentAt} as="second" /> },
                { key: 'outcome', head: webhooks.outcome, cell: (delivery) => <OutcomeMark delivery={delivery} /> },
              ]}
            />
          )
        }}
      </Async>
    </section>
  )
}

const dayMs = 86_400_000

const lateEnough = (entries: readonly Version[]) =>
  new Date(Date.parse(entries.at(-1)?.timestamp ?? '') + dayMs).toISOString()

export function Carried({ entries }: { entries: readonly Version[] }) {
  const { orders: t } = useT()
  const call: Call = { path: '/v1/webhooks/', query: { size: 20 } }
  const read = useApi<WebhookPage>(call)
  return (
    <Box title={t.carried} call={call}>
      <Async read={read} rows={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.noWebhooks} />
          ) : (
            data.map((webhook) => <Attempts key={webhook.id} webhook={webhook} entries={entries} />)
          )
        }
      </Async>
    </Box>
  )
}
