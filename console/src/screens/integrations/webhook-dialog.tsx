import { useState, type FormEvent } from 'react'
import type { EventTypeDescription, Webhook } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { checkClass, choicesClass, Field, formClass } from '../../parts/filters.tsx'
import { Async, Failure } from '../../parts/states.tsx'

type Draft = { name: string; endpointUrl: string; events: string[]; recipientId: string }

/** Makes or changes a webhook. The server lists the event types. */
export function WebhookDialog({
  webhook,
  recipientId,
  onClose,
  onMade,
}: {
  webhook?: Webhook
  recipientId: string | null
  onClose: () => void
  /** Called instead of `onClose` with a new webhook. */
  onMade?: (made: Webhook) => void
}) {
  const { webhooks: t, common } = useT()
  const locationId = useLocationId()
  const types = useApi<EventTypeDescription[] | { data: EventTypeDescription[] }>({ path: '/v1/webhooks/event-types/' })
  const [draft, setDraft] = useState<Draft>({
    name: webhook?.name ?? '',
    endpointUrl: webhook?.endpointUrl ?? 'https://',
    events: webhook?.events ?? ['order.paid', 'report.created'],
    recipientId: webhook?.recipientId ?? recipientId ?? crypto.randomUUID(),
  })
  const { name, ...rest } = draft
  const body = {
    ...rest,
    ...(name === '' && webhook?.name === undefined ? {} : { name }),
    locationId: webhook?.locationId ?? locationId,
    ...(webhook === undefined ? {} : { id: webhook.id }),
  }
  const call: Call = { path: '/v1/webhooks/', method: 'POST', body }
  const save = useAct<Webhook>(() => call)
  const toggle = (name: string) =>
    setDraft(({ events, ...others }) => ({
      ...others,
      events: events.includes(name) ? events.filter((one) => one !== name) : [...events, name],
    }))
  const store = () =>
    save.mutate(undefined, {
      onSuccess: ({ data }) => (webhook === undefined && onMade !== undefined ? onMade(data) : onClose()),
    })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    store()
  }
  return (
    <Dialog title={webhook === undefined ? t.create : t.edit} isOpen onClose={onClose}>
      <form onSubmit={onSubmit} className={formClass}>
        <Field label={t.name} hint={t.nameHint}>
          <input
            maxLength={100}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.target.value })}
          />
        </Field>
        <Field label="URL" hint={t.urlHint}>
          <input
            type="url"
            required
            maxLength={2048}
            value={draft.endpointUrl}
            onChange={(event) => setDraft({ ...draft, endpointUrl: event.target.value })}
          />
        </Field>
        <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
          <legend className="muted">{t.events}</legend>
          <Async read={types} rows={8}>
            {(answer) => (
              <div className={choicesClass}>
                {(Array.isArray(answer) ? answer : answer.data).map(({ name, description }) => (
                  <label key={name} className={checkClass} title={description}>
                    <input type="checkbox" checked={draft.events.includes(name)} onChange={() => toggle(name)} />
                    {name}
                  </label>
                ))}
              </div>
            )}
          </Async>
        </fieldset>
        {webhook === undefined && recipientId === null && (
          <Field label={t.recipient} hint={t.recipientHint}>
            <input
              required
              value={draft.recipientId}
              onChange={(event) => setDraft({ ...draft, recipientId: event.target.value.trim() })}
            />
          </Field>
        )}
        {save.error !== null && <Failure problem={save.error} retry={store} />}
        <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.6rem', justifyContent: 'end' }}>
          <CopyCurl call={call} />
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" kind="primary" disabled={save.isPending || draft.events.length === 0}>
            {common.save}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
