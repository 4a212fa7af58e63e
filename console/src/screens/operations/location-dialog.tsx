import type { AdminLocation } from '@tillgate/client'
import { useState, type FormEvent } from 'react'
import type { Call } from '../../api/request.ts'
import { useAct, useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field, formClass } from '../../parts/filters.tsx'
import { Async, Failure } from '../../parts/states.tsx'

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
      <p>
        <CopyCurl call={call} />
      </p>
      <Async read={read}>{(location) => <LocationForm location={location} onClose={onClose} />}</Async>
    </Dialog>
  )
}

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
  // Not in a callback of the mutation: creating the first location rebuilds the page around this.
  const submit = () => void save.mutateAsync().then(onClose, () => undefined)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
  }
  return (
    <form onSubmit={onSubmit} className={formClass}>
      <Field label={t.name}>
        <input required value={draft.name} onChange={set('name')} />
      </Field>
      <Field label={t.city}>
        <input value={draft.city} onChange={set('city')} />
      </Field>
      <Field label={t.timeZone} hint={t.zoneHint}>
        <input required list="zones" value={draft.timeZone} onChange={set('timeZone')} />
      </Field>
      <datalist id="zones">
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Field label={t.currency}>
        <input required list="currencies" value={draft.currency} onChange={set('currency')} />
      </Field>
      <datalist id="currencies">
        {currencies.map((currency) => (
          <option key={currency} value={currency} />
        ))}
      </datalist>
      <Field label={t.dayStartsAt}>
        <input type="time" required value={draft.dayStartsAt} onChange={set('dayStartsAt')} />
      </Field>
      <Field label={t.fiscalYear} hint="01-01">
        <input required pattern="\d\d-\d\d" value={draft.fiscalYearStarts} onChange={set('fiscalYearStarts')} />
      </Field>
      {save.error !== null && <Failure problem={save.error} retry={submit} />}
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.6rem', justifyContent: 'end' }}>
        <CopyCurl call={call} />
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button type="submit" kind="primary" disabled={save.isPending}>
          {common.save}
        </Button>
      </div>
    </form>
  )
}
