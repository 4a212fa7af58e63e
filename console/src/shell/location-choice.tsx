import { useState } from 'react'
import { useLocationId, useScope, useSession } from '../api/session.tsx'
import { useFormat } from '../parts/place.tsx'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/filters.tsx'
import { Empty } from '../parts/states.tsx'
import { Foreign } from '../parts/text.tsx'
import { useFoundPlaces, useHere } from '../parts/found-places.ts'
import { ListItem } from './list-item.tsx'
import { useRested } from './rested.ts'
import styles from './shell.module.css'
import list from './list.module.css'
import { useChange } from '../parts/use-change.ts'

const shownAtMost = 50

export function LocationChoice() {
  const { shell, common, access } = useT()
  const isOperator = useScope('admin')
  const session = useSession()
  const id = useLocationId()
  const change = useChange({ page: undefined, cursor: undefined })
  const [isOpen, setOpen] = useState(false)
  const [find, setFind] = useState('')
  const { places, isMore, isFetching } = useFoundPlaces(useRested(find.trim()), { size: shownAtMost, isAsked: isOpen })
  const here = useHere()
  const { timeZone } = useFormat().place
  // Times are shown in the location's time zone: say so if the browser's zone differs.
  const isElsewhere = timeZone !== Intl.DateTimeFormat().resolvedOptions().timeZone
  // A key of the installation has no location of its own.
  const nowhere = session.allLocations ? common.noLocation : isOperator ? access.everything : '–'
  const label = (
    <span className={styles.place}>
      <span className={styles.placeName}>
        <Foreign text={here?.name ?? (id === null ? nowhere : '')} />
      </span>
      <span className={styles.placeCity}>
        <Foreign text={here?.city ?? ''} />
        {isElsewhere && <span title={shell.zoneOfAll}>{` · ${timeZone}`}</span>}
      </span>
    </span>
  )
  if (!session.allLocations && session.locations.length < 2) return label
  const choose = (location: string) => {
    setOpen(false)
    change({ location })
  }
  return (
    <div className={styles.picker}>
      <Button kind="quiet" onClick={() => setOpen(true)} aria-haspopup="dialog" title={common.location}>
        {label} <span aria-hidden="true">▾</span>
      </Button>
      <Dialog title={common.location} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Field label={shell.findLocation}>
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is for this field */}
          <input type="search" autoFocus value={find} onChange={(event) => setFind(event.target.value)} />
        </Field>
        {places.length === 0 && !isFetching && <Empty title={shell.nothingFound} />}
        <ul className={list.list}>
          {places.map((place) => (
            <ListItem key={place.id} isHere={place.id === id} onChoose={() => choose(place.id)}>
              <Foreign text={place.name} />
              <span className="muted">
                <Foreign text={place.city} /> <span className="mono">{place.id.slice(0, 8)}</span>
              </span>
            </ListItem>
          ))}
        </ul>
        {isMore && <p className="muted">{shell.moreLocations}</p>}
      </Dialog>
    </div>
  )
}
