import type { AdminLocation, AdminLocationPage } from '@tillgate/client'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { send, type Answer, type Call } from '../api/request.ts'
import { useLocationId, useScope, useSession } from '../api/session.tsx'
import { useApi } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Ask } from '../parts/filters.tsx'
import { Empty } from '../parts/states.tsx'
import { Foreign } from '../parts/text.tsx'
import styles from './shell.module.css'
import list from './list.module.css'

type Place = Pick<AdminLocation, 'id' | 'name' | 'city'>

const shownAtMost = 100

/** All locations of an operator, page by page: the session itself names the first 50 only. */
async function listAll(): Promise<Place[]> {
  const places: Place[] = []
  let cursor: string | null = null
  do {
    const call: Call = { path: '/v1/admin/locations/', query: { size: 50, cursor: cursor ?? undefined } }
    const { data }: Answer<AdminLocationPage> = await send<AdminLocationPage>(call, { location: null })
    places.push(...data.data)
    cursor = data.meta.next
  } while (cursor !== null && places.length < 5000)
  return places
}

export function LocationChoice() {
  const { shell } = useT()
  const session = useSession()
  const id = useLocationId()
  const navigate = useNavigate()
  const reads = useScope('read')
  const [isOpen, setOpen] = useState(false)
  const [all, setAll] = useState<Place[]>(session.locations)
  const [find, setFind] = useState('')
  const isListed = session.locations.some((place) => place.id === id)
  const asked = useApi<Place>(!isListed && reads && id !== null ? { path: '/v1/locations/own' } : null)
  const here = session.locations.find((place) => place.id === id) ?? asked.data?.data
  const label = (
    <span className={styles.place}>
      <span className={styles.placeName}>
        <Foreign text={here?.name ?? shell.noLocation} />
      </span>
      <span className={styles.placeCity}>
        <Foreign text={here?.city ?? ''} />
      </span>
    </span>
  )
  if (!session.allLocations && session.locations.length < 2) return label
  const onOpen = () => {
    setOpen(true)
    if (session.allLocations) listAll().then(setAll, () => undefined)
  }
  const wanted = find.toLowerCase()
  const found = all.filter(({ id, name, city }) => `${name} ${city} ${id}`.toLowerCase().includes(wanted))
  const choose = (location: string) => {
    setOpen(false)
    void navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, location, page: undefined, cursor: undefined }),
    })
  }
  return (
    <div className={styles.picker}>
      <Button kind="quiet" onClick={onOpen} aria-haspopup="dialog" title={shell.location}>
        {label} <span aria-hidden="true">▾</span>
      </Button>
      <Dialog title={shell.location} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Ask label={shell.findLocation} type="search" value={find} onChange={setFind} />
        {found.length === 0 && <Empty title={shell.nothingFound} />}
        <ul className={list.list}>
          {found.slice(0, shownAtMost).map((place) => (
            <li key={place.id}>
              <button
                type="button"
                className={list.item}
                aria-current={place.id === id}
                onClick={() => choose(place.id)}
              >
                <Foreign text={place.name} />
                <span className="muted">
                  <Foreign text={place.city} /> <span className="mono">{place.id.slice(0, 8)}</span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </Dialog>
    </div>
  )
}
