import { useState } from 'react'
import type { EventTypeDescription, Webhook } from '@tillgate/client'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { checkClass, choicesClass, Field, toggled } from '../../parts/filters.tsx'
import { Async } from '../../parts/states.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'

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
  const { webhooks: t, screens, common } = useT()
  const locationId = useLocationId()
  const types = useApi<EventTypeDescription[] | { data: EventTypeDescription[] }>({ path: '/v1/webhooks/event-types/' })
  const [draft, setDraft] = useState<Draft>({
    name: webhook?.name ?? '',
    endpointUrl: webhook?.endpointUrl ?? 'https://',
    events: webhook?.events ?? ['order.paid', 'report.created'],
    recipientId: webhook?.recipientId ?? recipientId ?? crypto.randomUUID(),
  })
  const { name, recipientId: recipient, ...rest } = draft
  const body = {
    ...rest,
    recipientId: recipient.trim(),
    ...(name === '' && webhook?.name === undefined ? {} : { name }),
    locationId: webhook?.locationId ?? locationId,
    ...(webhook === undefined ? {} : { id: webhook.id }),
  }
  const call: Call = { path: '/v1/webhooks/', method: 'POST', body }
  const save = useAct<Webhook>(() => call)
  const set = (field: 'name' | 'endpointUrl' | 'recipientId') => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value })
  const toggle = (event: string) => setDraft({ ...draft, events: toggled(draft.events, event) })
  const store = () =>
    save.mutate(undefined, {
      onSuccess: ({ data }) => (webhook === undefined && onMade !== undefined ? onMade(data) : onClose()),
    })
  return (
    <Dialog title={webhook === undefined ? t.create : common.edit} isOpen onClose={onClose}>
      <DialogForm act={save} call={call} isIncomplete={draft.events.length === 0} onSubmit={store} onClose={onClose}>
        <Field label={common.name} hint={t.nameHint}>
          <input maxLength={100} value={draft.name} onChange={set('name')} />
        </Field>
        <Field label="URL" hint={t.urlHint}>
          <input type="url" required maxLength={2048} value={draft.endpointUrl} onChange={set('endpointUrl')} />
        </Field>
        <fieldset>
          <legend>{screens.events}</legend>
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
            <input required value={draft.recipientId} onChange={set('recipientId')} />
          </Field>
        )}
      </DialogForm>
    </Dialog>
  )
}
