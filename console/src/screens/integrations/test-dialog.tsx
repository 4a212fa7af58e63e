import type { EventTypeDescription, WebhookTestResult } from '@tillgate/client'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Json } from '../../parts/json.tsx'
import { Failure } from '../../parts/states.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'

/** Sends one made-up event of each type and shows the receiver's answers. */
export function TestDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { webhooks: t } = useT()
  const format = useFormat()
  const call: Call = { path: `/v1/webhooks/test/${id}`, method: 'POST', body: {} }
  const test = useAct<WebhookTestResult>(() => call)
  const types = useApi<EventTypeDescription[] | { data: EventTypeDescription[] }>({ path: '/v1/webhooks/event-types/' })
    .data?.data
  const samples = types === undefined ? [] : Array.isArray(types) ? types : types.data
  const results = Object.entries(test.data?.data ?? {})
  return (
    <Dialog title={t.test} place="side" isOpen onClose={onClose}>
      <p>{t.testText}</p>
      <p>
        <Button kind="primary" disabled={test.isPending} onClick={() => test.mutate()}>
          {test.isPending ? t.testing : t.testNow}
        </Button>{' '}
        <CopyCurl call={call} />
      </p>
      {test.error !== null && <Failure problem={test.error} retry={() => test.mutate()} />}
      <div role="status">
        {results.length > 0 && t.testDone(results.filter(([, { success }]) => success).length, results.length)}
      </div>
      {results.map(([event, { status, success, message, response }]) => (
        <details key={event}>
          <summary style={{ minBlockSize: '28px', cursor: 'pointer' }}>
            {event} <Mark tone={success ? 'good' : 'bad'}>{status === 0 ? t.noAnswer : String(status)}</Mark>{' '}
            {response.durationMs !== undefined && <span className="muted">{format.duration(response.durationMs)}</span>}{' '}
            {!success && <Foreign text={message} />}
          </summary>
          <Json text={JSON.stringify(samples.find(({ name }) => name === event)?.sample ?? {})} label={t.requestBody} />
          <p className="muted">{t.response}</p>
          <pre>
            <Foreign text={response.body ?? t.emptyBody} />
          </pre>
        </details>
      ))}
    </Dialog>
  )
}
