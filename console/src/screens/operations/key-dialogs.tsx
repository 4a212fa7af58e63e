import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useAct, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { checkClass, Choose, Field, toggled } from '../../parts/filters.tsx'
import { Notice } from '../../parts/page.tsx'
import { Empty } from '../../parts/states.tsx'
import { Foreign, legible } from '../../parts/text.tsx'
import { useFoundPlaces, useHere, type FoundPlace } from '../../parts/found-places.ts'
import { DialogForm } from '../../parts/dialog-form.tsx'

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
  const { ops: t, shell, common } = useT()
  const locationId = useLocationId()
  const here = useHere()
  const hereName = here === undefined ? common.location : legible(`${here.name}, ${here.city}`)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string[]>(['read'])
  const [isOfAll, setOfAll] = useState(locationId === null)
  const body = isOfAll ? { name, scopes: ['admin'] } : { locationId, name, scopes: chosen }
  const call: Call = { path: '/v1/admin/keys/', method: 'POST', body }
  const make = useAct<{ key: string }>(() => call)
  const made = make.data?.data.key
  return (
    <Dialog title={t.makeKey} isOpen onClose={onClose}>
      {made === undefined ? (
        <DialogForm
          act={make}
          call={call}
          action={t.makeKey}
          isIncomplete={!isOfAll && chosen.length === 0}
          onSubmit={() => make.mutate()}
          onClose={onClose}
        >
          <Field label={common.name}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Choose
            label={t.keyFor}
            value={isOfAll ? 'all' : 'here'}
            choices={[...(locationId === null ? [] : [['here', hereName] as const]), ['all', t.ofInstallation]]}
            onChange={(value) => setOfAll(value === 'all')}
          />
          {!isOfAll && (
            <fieldset>
              <legend>{common.rights}</legend>
              {scopes.map((scope) => (
                <label key={scope} className={checkClass}>
                  <input
                    type="checkbox"
                    checked={chosen.includes(scope)}
                    onChange={() => setChosen(toggled(chosen, scope))}
                  />
                  {shell.scopes[scope]} {shell.scopes[scope] !== scope && <code className="muted">{scope}</code>}
                </label>
              ))}
            </fieldset>
          )}
        </DialogForm>
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

/** Days after the use of a link during which the person may return by renewal or passkey. */
const returns = ['365', '90', '0'] as const

type PlacesProps = { places: readonly FoundPlace[]; onChange: (places: readonly FoundPlace[]) => void }

/** The restaurants of an invitation: the chosen ones, and a field that searches others by name. */
function Places({ places, onChange }: PlacesProps) {
  const { ops: t } = useT()
  const [q, setQ] = useState('')
  const found = useFoundPlaces(q, { size: 8, isAsked: q.trim() !== '' })
  const others = found.places.filter(({ id }) => places.every((place) => place.id !== id))
  const choice = (place: FoundPlace) => (
    <label key={place.id} className={checkClass}>
      <input
        type="checkbox"
        checked={places.includes(place)}
        disabled={places.length === 1 && places.includes(place)}
        onChange={() => onChange(places.includes(place) ? places.filter((one) => one !== place) : [...places, place])}
      />{' '}
      <Foreign text={`${place.name}, ${place.city}`} />
    </label>
  )
  return (
    <fieldset>
      <legend>{t.linkPlaces}</legend>
      {places.map(choice)}
      <Field label={t.linkPlace}>
        <input type="search" value={q} onChange={({ target }) => setQ(target.value)} />
      </Field>
      {others.map(choice)}
    </fieldset>
  )
}

/** Makes a sign-in link for chosen restaurants. If there is no location, links to the creation of one. */
export function LinkDialog({ onClose }: { onClose: () => void }) {
  const { ops: t, common } = useT()
  const { allLocations, locations } = useSession()
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
  return (
    <Dialog title={t.makeLink} isOpen onClose={onClose}>
      {allLocations && locations.length === 0 ? (
        <Empty title={common.noLocation}>
          <Link to="/ops" search={{ dialog: 'new' }}>
            {t.makeLocation}
          </Link>
        </Empty>
      ) : made === undefined ? (
        <DialogForm
          act={make}
          call={call}
          action={t.makeLink}
          isIncomplete={places.length === 0}
          onSubmit={() => make.mutate()}
          onClose={onClose}
        >
          <p>{t.linkText}</p>
          <Field label={t.linkFor}>
            <input required value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Choose label={t.role} value={role} choices={t.roles} onChange={setRole} />
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
        </DialogForm>
      ) : (
        <Once text={t.linkOnce} value={made} label={t.copyLink} />
      )}
    </Dialog>
  )
}
