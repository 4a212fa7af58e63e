import type { AdminSource, AdminSourceInput } from '@tillgate/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useAct, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/filters.tsx'
import { legible } from '../../parts/text.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'

const kinds = ['square', 'toast', 'sumup', 'loyverse', 'lightspeed-k'] as const

/** Adds a source, which is paused, and leads to the preview of yesterday. */
export function NewSourceDialog({ onClose }: { onClose: () => void }) {
  const { sources: t, common } = useT()
  const { locations } = useSession()
  const here = useLocationId()
  const navigate = useNavigate()
  const [draft, setDraft] = useState({
    locationId: here ?? locations[0]?.id ?? '',
    source: kinds[0] as AdminSourceInput['source'],
    account: '',
    secret: 'env:SOURCE_',
    bellSecret: '',
    since: '',
  })
  const set = (name: keyof typeof draft) => (event: { target: { value: string } }) =>
    setDraft((before) => ({ ...before, [name]: event.target.value }))
  const { bellSecret, since, ...rest } = draft
  const body: AdminSourceInput = {
    ...rest,
    ...(bellSecret === '' ? {} : { bellSecret }),
    ...(since === '' ? {} : { since: `${since}T00:00:00.000Z` }),
  }
  const call: Call = { path: '/v1/admin/sources/', method: 'POST', body }
  const save = useAct<AdminSource>(() => call)
  const submit = () =>
    save.mutate(undefined, {
      onSuccess: ({ data: { id, locationId } }) =>
        void navigate({ to: '/ops/sources/$id', params: { id }, search: { location: locationId } as never }),
    })
  return (
    <Dialog title={t.make} isOpen onClose={onClose}>
      <DialogForm act={save} call={call} onSubmit={submit} onClose={onClose}>
        <Field label={t.source}>
          <select value={draft.source} onChange={set('source')}>
            {kinds.map((kind) => (
              <option key={kind} value={kind}>
                {t.names[kind]}
              </option>
            ))}
          </select>
        </Field>
        <Field label={common.location}>
          <select value={draft.locationId} onChange={set('locationId')} required>
            {locations.map(({ id, name, city }) => (
              <option key={id} value={id}>
                {legible(city === '' ? name : `${name}, ${city}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={common.account} hint={t.accountHint}>
          <input required value={draft.account} onChange={set('account')} />
        </Field>
        <Field label={t.secret} hint={t.secretHint}>
          <input required value={draft.secret} onChange={set('secret')} spellCheck={false} autoComplete="off" />
        </Field>
        <Field label={t.bell} hint={t.bellHint}>
          <input value={draft.bellSecret} onChange={set('bellSecret')} spellCheck={false} autoComplete="off" />
        </Field>
        <Field label={t.since} hint={t.sinceHint}>
          <input type="date" value={draft.since} onChange={set('since')} />
        </Field>
      </DialogForm>
    </Dialog>
  )
}
