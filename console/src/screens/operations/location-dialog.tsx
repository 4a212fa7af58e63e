import type { AdminLocation } from '@tillgate/client'
import { useState } from 'react'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/filters.tsx'
import { Async } from '../../parts/states.tsx'
import { DialogForm } from '../../parts/dialog-form.tsx'

const zones = Intl.supportedValuesOf('timeZone')
const currencies = Intl.supportedValuesOf('currency')

const draftOf = (location?: AdminLocation) => ({
  name: location?.name ?? '',
  city: location?.city ?? '',
  timeZone: location?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  currency: location?.currency ?? 'EUR',
  dayStartsAt: location?.dayStartsAt ?? '05:00',
  fiscalYearStarts: location?.fiscalYearStarts ?? '01-01',
})

type Draft = ReturnType<typeof draftOf>

type Props = { onClose: () => void }

export function NewLocationDialog({ onClose }: Props) {
  const { ops: t } = useT()
  return (
    <Dialog title={t.makeLocation} isOpen onClose={onClose}>
      <LocationForm onClose={onClose} />
    </Dialog>
  )
}

/** Changes a location, on any page of the list. */
export function EditLocationDialog({ id, onClose }: Props & { id: string }) {
  const { ops: t } = useT()
  const call: Call = { path: `/v1/admin/locations/${id}` }
  const read = useApi<AdminLocation>(call, { isStill: true })
  return (
    <Dialog title={t.editLocation} isOpen onClose={onClose}>
      <CopyCurl call={call} />
      <Async read={read}>{(location) => <LocationForm location={location} onClose={onClose} />}</Async>
    </Dialog>
  )
}

const Names = ({ id, names }: { id: string; names: readonly string[] }) => (
  <datalist id={id}>
    {names.map((name) => (
      <option key={name} value={name} />
    ))}
  </datalist>
)

/** Makes a location or changes its settings. A new zone or start of day rebuilds all figures. */
function LocationForm({ location, onClose }: Props & { location?: AdminLocation }) {
  const { ops: t, common } = useT()
  // Untouched fields follow the loaded data: a location that was shown before is requested again.
  const [touched, setTouched] = useState<Partial<Draft>>({})
  const draft = { ...draftOf(location), ...touched }
  const call: Call =
    location === undefined
      ? { path: '/v1/admin/locations/', method: 'POST', body: draft }
      : { path: `/v1/admin/locations/${location.id}`, method: 'PATCH', body: draft }
  const save = useAct<AdminLocation>(() => call)
  const set = (name: keyof Draft) => (event: { target: { value: string } }) =>
    setTouched({ ...touched, [name]: event.target.value })
  // Not in a callback of the mutation: creating the first location rebuilds the page around this dialog.
  const submit = () => void save.mutateAsync().then(onClose, () => undefined)
  return (
    <DialogForm act={save} call={call} onSubmit={submit} onClose={onClose}>
      <Field label={common.name}>
        <input required value={draft.name} onChange={set('name')} />
      </Field>
      <Field label={t.city}>
        <input value={draft.city} onChange={set('city')} />
      </Field>
      <Field label={common.zone} hint={location === undefined ? undefined : t.zoneHint}>
        <input required list="zones" value={draft.timeZone} onChange={set('timeZone')} />
      </Field>
      <Names id="zones" names={zones} />
      <Field label={t.currency}>
        <input required list="currencies" value={draft.currency} onChange={set('currency')} />
      </Field>
      <Names id="currencies" names={currencies} />
      <Field label={t.dayStartsAt}>
        <input type="time" required value={draft.dayStartsAt} onChange={set('dayStartsAt')} />
      </Field>
      <Field label={t.fiscalYear} hint={t.fiscalHint}>
        <input required pattern="\d\d-\d\d" value={draft.fiscalYearStarts} onChange={set('fiscalYearStarts')} />
      </Field>
    </DialogForm>
  )
}
