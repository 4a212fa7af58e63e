import { useSearch, useParams, useNavigate } from '@tanstack/react-router'
import type { Webhook, WebhookStatus } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useScope } from '../../api/session.tsx'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Box, Columns, Fact, Facts, Notice, Page } from '../../parts/page.tsx'
import { Async, Failure } from '../../parts/states.tsx'
import { Foreign, Id, legible, Mark } from '../../parts/text.tsx'
import { DeliveryLog } from './delivery-log.tsx'
import { Outcomes } from './outcomes.tsx'
import { PendingDialog } from './pending.tsx'
import { ReplayDialog } from './replay.tsx'
import { SecretDialog } from './secret.tsx'
import { StateMark, useStateSentence } from '../../parts/webhook-state.tsx'
import { TestDialog } from './test-dialog.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

/** If a webhook was disabled for one of these reasons, only an operator can enable it. */
const reasonsOfOperators: ReadonlySet<string | null> = new Set(['operator', 'key_revoked', 'restored'])

function Standing({ id, onPending }: { id: string; onPending: () => void }) {
  const { webhooks: t, common, problems } = useT()
  const format = useFormat()
  const isOperator = useScope('admin')
  const sentence = useStateSentence()
  const call: Call = { path: `/v1/webhooks/${id}/status` }
  const read = useApi<WebhookStatus>(call, { everyMs: 5000 })
  const enable = useAct<WebhookStatus>(() => ({ path: `/v1/webhooks/${id}/enable`, method: 'POST' }))
  const pause = useAct<WebhookStatus>(() => ({ path: `/v1/webhooks/${id}/disable`, method: 'POST' }))
  return (
    <Box title={t.standing} call={call}>
      <Async read={read} rows={3}>
        {(status) => {
          const mayEnable = isOperator || !reasonsOfOperators.has(status.disabledReason)
          const isWell = status.state === 'enabled' && status.setAside === 0 && status.failures === 0
          return (
            <>
              <Notice tone={status.state === 'disabled' ? 'bad' : isWell ? 'good' : 'warn'}>
                <span>
                  {sentence(status)}
                  {!mayEnable && ` ${problems.webhook_stopped[1]}`}
                </span>
                {status.state !== 'enabled' && mayEnable && (
                  <Button disabled={enable.isPending} onClick={() => enable.mutate()}>
                    {status.state === 'failing' ? t.tryNow : t.enable}
                  </Button>
                )}
                {status.state !== 'disabled' && offers('/v1/webhooks/{id}/disable') && (
                  <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
                    {common.pause}
                  </Button>
                )}
              </Notice>
              {enable.error !== null && <Failure problem={enable.error} retry={() => enable.mutate()} />}
              {pause.error !== null && <Failure problem={pause.error} retry={() => pause.mutate()} />}
              <Facts>
                <Fact name={common.state}>
                  <StateMark status={status} />
                </Fact>
                <Fact name={t.cursor}>{format.number(status.sequence)}</Fact>
                <Fact name={t.behind}>{format.number(status.behind)}</Fact>
                <Fact name={t.setAside}>
                  {format.number(status.setAside)}{' '}
                  {status.setAside > 0 && offers('/v1/webhooks/{id}/pending') && (
                    <Button kind="quiet" onClick={onPending}>
                      {common.show}
                    </Button>
                  )}
                </Fact>
                <Fact name={t.failures}>{format.number(status.failures)}</Fact>
                <Fact name={t.nextAttempt} at={status.nextAttemptAt} as="second" />
              </Facts>
            </>
          )
        }}
      </Async>
    </Box>
  )
}

const hostOf = (url: string) => url.replace(/^https?:\/\//, '')

export function WebhookScreen() {
  const { webhooks: t, shell, common } = useT()
  const { id } = useParams({ from: '/webhooks/$id' })
  const { dialog, made } = useSearch({ from: '/webhooks/$id' })
  const navigate = useNavigate({ from: '/webhooks/$id' })
  const call: Call = { path: `/v1/webhooks/${id}` }
  const read = useApi<Webhook>(call)
  const remove = useAct(() => ({ path: `/v1/webhooks/${id}`, method: 'DELETE' }))
  const open = (name?: NonNullable<typeof dialog>) =>
    void navigate({ search: (before) => ({ ...before, dialog: name }) })
  const close = () => open()
  const webhook = read.data?.data
  // An unknown webhook: only the message, without actions.
  if (read.data === undefined && read.error !== null) {
    return (
      <Page title={shell.kinds.webhook} call={call}>
        <Failure problem={read.error} retry={() => void read.refetch()} />
      </Page>
    )
  }
  return (
    <Page
      title={webhook === undefined ? shell.kinds.webhook : legible(webhook.name ?? hostOf(webhook.endpointUrl))}
      call={call}
      actions={
        <>
          <Button kind="primary" onClick={() => open('test')}>
            {t.test}
          </Button>
          {offers('/v1/webhooks/{id}/pending') && <Button onClick={() => open('replay')}>{t.replay}</Button>}
          <Button onClick={() => open('secret')}>{t.secret}</Button>
          <Button onClick={() => open('edit')}>{common.edit}</Button>
          <Button kind="danger" onClick={() => open('delete')}>
            {common.delete}
          </Button>
        </>
      }
    >
      {made !== undefined && (
        <Notice tone="good">
          <span>{t.made}</span>
          <Button onClick={() => open('secret')}>{t.secret}</Button>
          <Button onClick={() => open('test')}>{t.test}</Button>
        </Notice>
      )}
      <Columns wide>
        <Standing id={id} onPending={() => open('pending')} />
        <Async read={read} rows={3}>
          {({ endpointUrl, events, recipientId, createdAt, updatedAt }) => (
            <Box title={shell.kinds.webhook}>
              <p>
                <Foreign text={endpointUrl} />
              </p>
              <p>
                {events.map((event) => (
                  <span key={event}>
                    <Mark>{event}</Mark>{' '}
                  </span>
                ))}
              </p>
              <Facts>
                <Fact name={t.recipient}>
                  <Id id={recipientId} />
                </Fact>
                <Fact name={t.createdAt} at={createdAt} />
                <Fact name={t.updatedAt} at={updatedAt} />
              </Facts>
            </Box>
          )}
        </Async>
      </Columns>
      {offers('/v1/webhooks/statistics') && <Outcomes id={id} />}
      <DeliveryLog id={id} events={webhook?.events ?? []} />
      {dialog === 'edit' && webhook !== undefined && (
        <WebhookDialog webhook={webhook} recipientId={webhook.recipientId} onClose={close} />
      )}
      {dialog === 'test' && <TestDialog id={id} onClose={close} />}
      {dialog === 'replay' && <ReplayDialog id={id} events={webhook?.events ?? []} onClose={close} />}
      {dialog === 'secret' && <SecretDialog id={id} onClose={close} />}
      {dialog === 'pending' && <PendingDialog id={id} onClose={close} />}
      <Confirm
        title={t.deleteTitle}
        text={t.deleteText}
        action={common.delete}
        isOpen={dialog === 'delete'}
        act={remove}
        onClose={close}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/webhooks' }) })}
      />
    </Page>
  )
}
