import { useSearch, Link, useNavigate } from '@tanstack/react-router'
import type { Webhook, WebhookPage, WebhookStatus, WebhookStatistics as Statistics } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useSession } from '../../api/session.tsx'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Empty } from '../../parts/states.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import { Sparkline } from './sparkline.tsx'
import { StateMark } from '../../parts/webhook-state.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'

const everyMs = 10_000

/** Requests the progress of one webhook: each row requests its own, because each costs the server one read. */
function useStatus(id: string) {
  return useApi<WebhookStatus>({ path: `/v1/webhooks/${id}/status` }, { everyMs }).data?.data
}

function State({ id }: { id: string }) {
  const status = useStatus(id)
  return status === undefined ? null : <StateMark status={status} />
}

function Behind({ id }: { id: string }) {
  const { webhooks: t } = useT()
  const format = useFormat()
  const status = useStatus(id)
  if (status === undefined) return null
  return (
    <>
      {format.number(status.behind)}
      {status.setAside > 0 && <div className="muted">{t.asideCount(format.number(status.setAside))}</div>}
    </>
  )
}

function Next({ id }: { id: string }) {
  const status = useStatus(id)
  return <Time at={status?.nextAttemptAt} as="second" />
}

export function Webhooks() {
  const { webhooks: t, screens, common } = useT()
  const format = useFormat()
  const { recipientId } = useSession()
  const navigate = useNavigate({ from: '/webhooks' })
  const { dialog, page: asked } = useSearch({ from: '/webhooks' })
  const page = Number(asked ?? 0)
  const call: Call = { path: '/v1/webhooks/', query: { size: 20, index: page } }
  const read = useApi<WebhookPage>(call)
  const allRows = useAllRows<Webhook>(call)
  const statisticsCall: Call | null = offers('/v1/webhooks/statistics')
    ? { path: '/v1/webhooks/statistics', query: { step: '1h' } }
    : null
  const statistics = useApi<Statistics>(statisticsCall, { everyMs: 60_000 }).data?.data
  const stepsOf = (id: string) => statistics?.data.find(({ webhookId }) => webhookId === id)?.steps ?? []
  const change = useChange()
  return (
    <Page
      title={screens.webhooks}
      intro={t.intro}
      call={call}
      actions={
        <Button kind="primary" onClick={() => change({ dialog: 'new' })}>
          {t.create}
        </Button>
      }
    >
      <ListBox<Webhook, WebhookPage>
        caption={screens.webhooks}
        read={read}
        none={
          <Empty title={t.none}>
            <p>{t.noneText}</p>
            <Button onClick={() => change({ dialog: 'new' })}>{t.create}</Button>
          </Empty>
        }
        id="webhooks"
        pages="number"
        keyOf={({ id }) => id}
        toRecords={asAnswered}
        allRows={allRows}
        columns={[
          {
            key: 'url',
            head: 'URL',
            cell: ({ id, name, endpointUrl, events }) => (
              <>
                <Link to="/webhooks/$id" params={{ id }}>
                  <Foreign text={name ?? endpointUrl} />
                </Link>
                {name !== undefined && (
                  <div className="muted">
                    <Foreign text={endpointUrl} />
                  </div>
                )}
                <div className="muted">{t.eventCount(events.length)}</div>
              </>
            ),
          },
          { key: 'state', head: common.state, cell: ({ id }) => <State id={id} /> },
          { key: 'behind', head: t.behind, isNumber: true, cell: ({ id }) => <Behind id={id} /> },
          {
            key: 'spark',
            head: t.last24h,
            isExtra: true,
            cell: ({ id }) => statistics && <Sparkline steps={stepsOf(id)} until={statistics.meta.until} />,
          },
          {
            key: 'p95',
            head: t.p95,
            isNumber: true,
            isExtra: true,
            cell: ({ id }) => format.duration(stepsOf(id).findLast(({ p95Ms }) => p95Ms !== null)?.p95Ms ?? null),
          },
          { key: 'next', head: t.nextAttempt, isExtra: true, cell: ({ id }) => <Next id={id} /> },
        ]}
      />
      {dialog === 'new' && (
        <WebhookDialog
          recipientId={recipientId}
          onClose={() => change({ dialog: undefined })}
          onMade={({ id }) => void navigate({ to: '/webhooks/$id', params: { id }, search: { made: 'yes' } })}
        />
      )}
    </Page>
  )
}
