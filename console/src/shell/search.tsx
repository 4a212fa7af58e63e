import type { SearchAnswer, SearchHit, WebhookPage } from '@tillgate/client'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState, type FormEvent } from 'react'
import { offers } from '../api/offers.ts'
import { useScope, useSession } from '../api/session.tsx'
import { useApi } from '../api/use-api.ts'
import type { Dictionary } from '../i18n/en.ts'
import { useT } from '../i18n/language.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/filters.tsx'
import { Empty, Failure } from '../parts/states.tsx'
import { Foreign, Time } from '../parts/text.tsx'
import { useFoundPlaces } from '../parts/found-places.ts'
import { Icon } from './icon.tsx'
import { useScreens } from '../parts/places.ts'
import { ListItem } from './list-item.tsx'
import { useRested } from './rested.ts'
import list from './list.module.css'

type Hit = SearchHit | (Omit<SearchHit, 'kind' | 'url'> & { kind: 'webhook' | 'location' })

/** Returns the detail of a result with a label, since a number alone could be anything. */
const detailOf = ({ kind, detail }: Hit, { orders, common }: Dictionary) =>
  detail && (kind === 'order' || kind === 'report')
    ? common.named(kind === 'order' ? orders.place : common.till, detail)
    : detail

const eventId = /^evt_[\da-f]{32}_[^_]+_(\d+)_/

const isMac = () => /mac|iphone|ipad/i.test(navigator.userAgent)

/** Finds webhooks by a part of their URL or by their id. Their list is short, so it is searched here. */
function useWebhooks(q: string): Hit[] {
  const may = useScope('webhooks')
  const isAsked = may && q.length > 2
  const { data } = useApi<WebhookPage>(isAsked ? { path: '/v1/webhooks/', query: { size: 100 } } : null)
  if (!isAsked) return []
  const found = (data?.data.data ?? []).filter(({ id, endpointUrl }) => id === q || endpointUrl.includes(q))
  return found
    .slice(0, 10)
    .map(({ id, endpointUrl }) => ({ kind: 'webhook', id, label: endpointUrl, at: null, detail: null }))
}

/** Finds locations by a part of their name, city or id, if there are several. */
function useLocations(q: string): Hit[] {
  const { allLocations, locations } = useSession()
  const isAsked = (allLocations || locations.length > 1) && q.length > 1
  return useFoundPlaces(q, { size: 5, isAsked }).places.map(({ id, name, city }) => ({
    kind: 'location',
    id,
    label: name,
    at: null,
    detail: city,
  }))
}

function SearchPanel({ onDone }: { onDone: () => void }) {
  const texts = useT()
  const { shell, screens } = texts
  const navigate = useNavigate()
  const reads = useScope('read')
  const [text, setText] = useState('')
  const [isSent, setSent] = useState(false)
  const q = useRested(text.trim())
  const sequence = reads ? eventId.exec(q)?.[1] : undefined
  const asked = useApi<SearchAnswer>(
    reads && offers('/v1/search/') && q !== '' && sequence === undefined
      ? { path: '/v1/search/', query: { q: q.slice(0, 200) } }
      : null,
  )
  const others = [...useWebhooks(q), ...useLocations(q)]
  // The id of an event contains its number, so no search is needed.
  const entry: Hit[] =
    sequence === undefined ? [] : [{ kind: 'entry', id: q, label: `#${sequence}`, at: null, detail: null } as Hit]
  const hits = q === '' ? [] : [...entry, ...(asked.data?.data.data ?? []), ...others]
  const places = useScreens().filter(({ name }) => screens[name].toLowerCase().includes(q.toLowerCase()))
  const go = (hit: Hit) => {
    onDone()
    if (hit.kind === 'order') void navigate({ to: '/orders/$id', params: { id: hit.id } })
    else if (hit.kind === 'webhook') void navigate({ to: '/webhooks/$id', params: { id: hit.id } })
    else if (hit.kind === 'location') void navigate({ to: reads ? '/today' : '/', search: { location: hit.id } })
    else if (hit.kind === 'entry') void navigate({ to: '/events', search: { entry: hit.label.slice(1) } })
    else if (hit.kind === 'report') void navigate({ to: '/z/$id', params: { id: hit.id } })
    else void navigate({ to: '/catalog/$list', params: { list: 'products' }, search: { find: hit.id } })
  }
  const goTo = ({ link }: (typeof places)[number]) => {
    onDone()
    void navigate(link as { to: string })
  }
  const goToFirst = useEffectEvent(() => {
    setSent(false)
    const [hit] = hits
    const [place] = places
    if (hit !== undefined) go(hit)
    else if (place !== undefined) goTo(place)
  })
  // Enter may be faster than the answer: it applies to the result for the typed text, not to the previous one.
  const isAnswered = q === text.trim() && !asked.isFetching
  useEffect(() => {
    if (isSent && isAnswered) goToFirst()
  }, [isSent, isAnswered])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
  }
  return (
    <>
      <form onSubmit={onSubmit}>
        <Field label={shell.searchFor} hint={shell.searchHint}>
          {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is this field */}
          <input type="search" autoFocus value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
      </form>
      <div aria-live="polite" className="hidden">
        {q !== '' && !asked.isFetching && shell.hits(hits.length)}
      </div>
      <ul className={list.list}>
        {hits.map((hit) => (
          <ListItem key={`${hit.kind}${hit.id}`} onChoose={() => go(hit)}>
            <span>
              {shell.kinds[hit.kind]} <Foreign text={hit.label} />
            </span>
            <span className="muted">
              {hit.at !== null && <Time at={hit.at} />} {hit.at && hit.detail && '· '}
              <Foreign text={detailOf(hit, texts)} />
            </span>
          </ListItem>
        ))}
        {places.map((place) => (
          <ListItem key={place.name} onChoose={() => goTo(place)}>
            {screens[place.name]}
          </ListItem>
        ))}
      </ul>
      {q !== '' && asked.error !== null && <Failure problem={asked.error} retry={() => void asked.refetch()} />}
      {q !== '' && asked.error === null && hits.length === 0 && places.length === 0 && !asked.isFetching && (
        <Empty title={shell.nothingFound} />
      )}
    </>
  )
}

export function Search() {
  const { shell } = useT()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      setOpen(true)
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <Button
        kind="quiet"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
        aria-label={shell.search}
        title={isMac() ? '⌘K' : 'Ctrl K'}
      >
        <Icon path="M8.5 3.5a5 5 0 1 1 0 10 5 5 0 1 1 0-10M12.5 12.5l4.5 4.5" />
      </Button>
      <Dialog title={shell.search} place="top" isOpen={isOpen} onClose={() => setOpen(false)}>
        <SearchPanel onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}
