import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useAct } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { checkClass, Choose, Field, formClass } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'
import { Empty, Failure } from '../../parts/states.tsx'
import { Foreign } from '../../parts/text.tsx'
import { useFoundPlaces, useHere, type FoundPlace } from '../../parts/found-places.ts'

const scopes = ['read', 'webhooks', 'ingest', 'books'] as const

/** A secret that is shown only once. */
function Once({ text, value, label }: { text: string; value: string; label: string }) {
  return (
    <>
      <Notice tone="warn">{text}</Notice>
      <p className="mono">{value}</p>
      <p>
        <Copy text={value} label={label} kind="plain" />
      </p>
    </>
  )
}

/** A key of the selected location, or one of the installation, which has no location and no other right. */
export function KeyDialog({ onClose }: { onClose: () => void }) {
  const { ops: t, common, shell } = useT()
  const locationId = useLocationId()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>(['read'])
  const [isOfAll, setOfAll] = useState(locationId === null)
  const body = isOfAll ? { name, scopes: ['admin'] } : { locationId, name, scopes: chosen }
  const call: Call = { path: '/v1/admin/keys/', method: 'POST', body }
  const make = useAct<{ key: string }>(() => call)
  const made = make.data?.data.key
  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((one) => one !== scope) : [...chosen, scope])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog title={t.makeKey} isOpen onClose={onClose}>
      {made === undefined ? (
        <form onSubmit={onSubmit} className={formClass}>
          <Field label={t.name}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Choose
            label={t.keyFor}
            value={isOfAll ? 'all' : 'here'}
            choices={[...(locationId === null ? [] : [['here', t.ofLocation] as const]), ['all', t.ofInstallation]]}
            onChange={(value) => setOfAll(value === 'all')}
          />
          {!isOfAll && (
            <fieldset style={{ border: 0, padding: 0, margin: 0 }}>
              <legend className="muted">{t.scopes}</legend>
              {scopes.map((scope) => (
                <label key={scope} className={checkClass}>
                  <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
                  {shell.scopes[scope]} <code>{scope}</code>
                </label>
              ))}
            </fieldset>
          )}
          {make.error !== null && <Failure problem={make.error} retry={() => make.mutate()} />}
          <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.6rem', justifyContent: 'end' }}>
            <CopyCurl call={call} />
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" kind="primary" disabled={make.isPending || (!isOfAll && chosen.length === 0)}>
              {t.makeKey}
            </Button>
          </div>
        </form>
      ) : (
        <Once text={t.keyOnce} value={made} label={t.copyKey} />
      )}
    </Dialog>
  )
}

/** The server decides the rights of a role: the role is sent, without scopes. */
const roles = ['owner', 'accountant', 'integrator'] as const

type Role = (typeof roles)[number]

const days = ['1', '7'] as const

const dayS = 86_400

/** Days after its use in which the person may return by renewal or passkey. */
const returns = ['365', '90', '0'] as const

/** The restaurants of an invitation: the chosen ones, and a field that searches others by name. */
function Places({
  places,
  onChange,
}: {
  places: readonly FoundPlace[]
  onChange: (places: readonly FoundPlace[]) => void
}) {
  const { ops: t } = useT()
  const [q, setQ] = useState('')
  const found = useFoundPlaces(q, { size: 8, isAsked: q.trim() !== '' })
  const others = found.places.filter(({ id }) => places.every((place) => place.id !== id))
  return (
    <fieldset>
      <legend className="muted">{t.linkPlaces}</legend>
      {places.map((place) => (
        <label key={place.id} className={checkClass}>
          <input
            type="checkbox"
            checked
            disabled={places.length === 1}
            onChange={() => onChange(places.filter(({ id }) => id !== place.id))}
          />{' '}
          <Foreign text={`${place.name}, ${place.city}`} />
        </label>
      ))}
      <Field label={t.linkPlace}>
        <input type="search" value={q} onChange={({ target }) => setQ(target.value)} />
      </Field>
      {others.map((place) => (
        <label key={place.id} className={checkClass}>
          <input type="checkbox" checked={false} onChange={() => onChange([...places, place])} />{' '}
          <Foreign text={`${place.name}, ${place.city}`} />
        </label>
      ))}
    </fieldset>
  )
}

/** A link signs in to the chosen restaurants, initially the selected one; without any, it leads to the first one. */
export function LinkDialog({ onClose }: { onClose: () => void }) {
  const { ops: t, common } = useT()
  const locationId = useLocationId()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('owner')
  const here = useHere()
  const [chosen, setPlaces] = useState<readonly FoundPlace[] | null>(null)
  const places = chosen ?? (here === undefined ? [] : [here])
  const [expires, setExpires] = useState<(typeof days)[number]>('7')
  const [comesBack, setComesBack] = useState<(typeof returns)[number]>('365')
  const body = {
    role,
    name,
    locationIds: places.map(({ id }) => id),
    expiresIn: Number(expires) * dayS,
    sessionSeconds: 30 * dayS,
    renewSeconds: Number(comesBack) * dayS,
  }
  const call: Call = { path: '/v1/console/links', method: 'POST', body }
  const make = useAct<{ url: string }>(() => call)
  const made = make.data?.data.url
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  return (
    <Dialog title={t.makeLink} isOpen onClose={onClose}>
      {locationId === null ? (
        <Empty title={t.noLocations}>
          <Link to="/ops" search={{ dialog: 'new' }}>
            {t.makeLocation}
          </Link>
        </Empty>
      ) : made === undefined ? (
        <form onSubmit={onSubmit} className={formClass}>
          <p>{t.linkText}</p>
          <Field label={t.linkFor}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Choose
            label={t.role}
            value={role}
            choices={roles.map((one) => [one, t.roles[one]] as const)}
            onChange={setRole}
          />
          <Places places={places} onChange={setPlaces} />
          <Choose
            label={t.linkUntil}
            value={expires}
            choices={days.map((one) => [one, t.days(Number(one))] as const)}
            onChange={setExpires}
          />
          <Choose
            label={t.comesBack}
            value={comesBack}
            choices={returns.map((one) => [one, one === '0' ? t.notAtAll : t.days(Number(one))] as const)}
            onChange={setComesBack}
          />
          {make.error !== null && <Failure problem={make.error} retry={() => make.mutate()} />}
          <div style={{ display: 'flex', flexWrap: 'wrap', gap: '0.6rem', justifyContent: 'end' }}>
            <CopyCurl call={call} />
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" kind="primary" disabled={make.isPending}>
              {t.makeLink}
            </Button>
          </div>
        </form>
      ) : (
        <Once text={t.linkOnce} value={made} label={t.copyLink} />
      )}
    </Dialog>
  )
}
