import type { DeliveryDetail, Webhook, WebhookSecret, WebhookStatus, AttemptOfEvent as Attempt } from '@tillgate/client'
import { Link } from '@tanstack/react-router'
import { toReceiverCurl } from '../../api/curl.ts'
import { send, type Call } from '../../api/request.ts'
import { useLocationId, useScope } from '../../api/session.tsx'
import { useAct, useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyCurl } from '../../parts/copy.tsx'
import { saveText } from '../../parts/csv.ts'
import { Json } from '../../parts/json.tsx'
import { Fact, Facts, Notice } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Failure } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Time } from '../../parts/text.tsx'
import { nextAttemptOf, OutcomeMark } from '../../parts/webhook-state.tsx'
import { lowerNames, sign } from './signature.ts'
import { VerifySignature } from './verify-signature.tsx'
import { Waterfall } from './waterfall.tsx'
import styles from './delivery.module.css'
import { RecordLink } from '../../parts/record-link.tsx'
import { Way } from '../../parts/way.tsx'

function Headers({ headers, label }: { headers: Record<string, string>; label: string }) {
  return (
    <pre className={styles.headers} role="region" aria-label={label} tabIndex={0}>
      {Object.entries(headers).map(([name, value]) => (
        <span key={name} className={styles.header}>
          <b>
            <Foreign text={name} />
          </b>
          : <Foreign text={value} />
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

const isJson = (text: string) => /^\s*[[{]/.test(text)

function Body({ text, label, fileName }: { text: string; label: string; fileName: string }) {
  const { webhooks: t } = useT()
  if (text === '') return <p className="muted">{t.emptyBody}</p>
  return (
    <>
      {isJson(text) ? (
        <Json text={text} label={label} />
      ) : (
        <pre className={styles.headers} role="region" aria-label={label} tabIndex={0}>
          <Foreign text={text} />
        </pre>
      )}
      <p>
        <Button kind="quiet" onClick={() => saveText(fileName, text)}>
          {t.download}
        </Button>
      </p>
    </>
  )
}

const resourceLink = (event: string, body: string): { kind: 'order' | 'report'; id: string } | null => {
  const kind = event.startsWith('order.') ? 'order' : event.startsWith('report.') ? 'report' : null
  if (kind === null || body === '') return null
  try {
    const { data } = JSON.parse(body) as { data?: { id?: string } }
    return typeof data?.id === 'string' ? { kind, id: data.id } : null
  } catch {
    return null
  }
}

/** The request for a terminal, signed with the current secret, because the log removes signatures. */
function CopyRequest({ webhook, headers, body }: { webhook: Webhook; headers: Record<string, string>; body: string }) {
  const { webhooks: t } = useT()
  const location = useLocationId()
  const write = async () => {
    const { data } = await send<WebhookSecret>({ path: `/v1/webhooks/${webhook.id}/secret` }, { location })
    const signed = { ...lowerNames(headers), 'webhook-signature': await sign(data.secret, lowerNames(headers), body) }
    return toReceiverCurl(webhook.endpointUrl, signed, body)
  }
  return <Copy text={write} label={t.copyRequest} />
}

/** When the event is sent next, unless a later attempt has replaced this one. */
function NextAttempt({ delivery, webhookId }: { delivery: DeliveryDetail; webhookId: string }) {
  const status = useApi<WebhookStatus>({ path: `/v1/webhooks/${webhookId}/status` }).data?.data
  const isLast = delivery.attempts.every(({ attempt }) => attempt <= delivery.attempt)
  return (
    <Time at={status === undefined || !isLast ? null : nextAttemptOf(status, delivery.nextAttemptAt)} as="second" />
  )
}

/** One attempt in full: request, answer, timing, and advice. */
export function DeliveryView({ webhookId, deliveryId }: { webhookId: string; deliveryId: string }) {
  const { webhooks: t } = useT()
  const call: Call = { path: `/v1/webhooks/${webhookId}/deliveries/${deliveryId}` }
  const read = useApi<DeliveryDetail>(call, { isStill: true })
  const resend = useAct<{ messageId: string }>(() => ({
    path: `/v1/webhooks/${webhookId}/deliveries/${deliveryId}/resend`,
    method: 'POST',
  }))
  return (
    <>
      <div className={styles.tools}>
        <Button kind="primary" disabled={resend.isPending} onClick={() => resend.mutate()}>
          {t.resend}
        </Button>
        <CopyCurl call={call} />
      </div>
      {resend.isSuccess && <Notice tone="good">{t.resent}</Notice>}
      {resend.error !== null && <Failure problem={resend.error} retry={() => resend.mutate()} />}
      <Async read={read} rows={12}>
        {(delivery) => <Detail delivery={delivery} webhookId={webhookId} />}
      </Async>
    </>
  )
}

function Detail({ delivery, webhookId }: { delivery: DeliveryDetail; webhookId: string }) {
  const { webhooks: t, errors, common } = useT()
  const format = useFormat()
  const webhook = useApi<Webhook>({ path: `/v1/webhooks/${webhookId}` })
  const { event, sequence, request, response, messageId } = delivery
  const resource = resourceLink(event, request.body ?? '')
  const reads = useScope('read')
  return (
    <div className={styles.detail}>
      <Notice tone={delivery.success ? 'good' : 'bad'}>
        <span>
          {delivery.success ? (
            t.wasAccepted(delivery.status)
          ) : (
            <>
              {delivery.errorClass !== null && t.causes[delivery.errorClass]}{' '}
              <Foreign text={delivery.message} lang="en" />
            </>
          )}
        </span>
      </Notice>
      <Facts>
        <Fact name={t.event}>{event}</Fact>
        <Fact name={t.outcome}>
          <OutcomeMark delivery={delivery} />
        </Fact>
        <Fact name={t.attempt}>{delivery.attempt}</Fact>
        <Fact name={t.sentAt} at={delivery.sentAt} as="second" />
        <Fact name={t.nextAttempt}>
          <NextAttempt delivery={delivery} webhookId={webhookId} />
        </Fact>
        <Fact name={common.address} text={delivery.address} />
        <Fact name={common.journal}>
          <Way link={{ to: '/events', search: { entry: String(sequence) } as never }}>{format.number(sequence)}</Way>
        </Fact>
        <Fact name="webhook-id">
          <Copy text={messageId} label={t.copyId} />
        </Fact>
        {resource !== null && reads && (
          <Fact name={common.concerns}>
            <RecordLink {...resource} version={sequence}>
              {resource.kind === 'order' ? t.toOrder : t.toReport}
            </RecordLink>
          </Fact>
        )}
      </Facts>
      <section>
        <h3>{t.time}</h3>
        <Waterfall phases={delivery.phases} totalMs={delivery.durationMs} />
      </section>
      <section>
        <h3>{t.response}</h3>
        <Headers headers={response.headers} label={t.responseHeaders} />
        <Body text={response.body} label={t.responseBody} fileName={`${delivery.id}-response.txt`} />
      </section>
      <section>
        <h3>{errors.request}</h3>
        <Headers headers={request.headers} label={t.requestHeaders} />
        {!request.isExact && <Notice tone="warn">{t.notExact}</Notice>}
        <Body text={request.body ?? ''} label={t.requestBody} fileName={`${messageId}.txt`} />
        {webhook.data !== undefined && (
          <CopyRequest webhook={webhook.data.data} headers={request.headers} body={request.body ?? ''} />
        )}
      </section>
      <VerifySignature
        webhookId={webhookId}
        headers={request.headers}
        body={request.body ?? ''}
        isExact={request.isExact}
      />
      <section>
        <h3>{t.attempts}</h3>
        <Table<Attempt>
          caption={t.attempts}
          rows={delivery.attempts}
          keyOf={({ id }) => id}
          toRecords={asAnswered}
          isChosen={({ id }) => id === delivery.id}
          columns={[
            {
              key: 'attempt',
              head: t.attempt,
              cell: ({ id, attempt: number }) => (
                <Link to="." search={(before: object) => ({ ...before, delivery: id })}>
                  {number}
                </Link>
              ),
            },
            { key: 'outcome', head: t.outcome, cell: (one) => <OutcomeMark delivery={one} /> },
            { key: 'duration', head: t.duration, isNumber: true, cell: ({ durationMs: ms }) => format.duration(ms) },
            { key: 'sent', head: t.sentAt, cell: ({ sentAt: at }) => <Time at={at} as="second" /> },
          ]}
        />
      </section>
    </div>
  )
}
