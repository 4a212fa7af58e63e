import { useSearch, Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Event, EventPage, JournalEntry } from '@tillgate/client'
import { send, type Call } from '../../api/request.ts'
import { useLocationId, useSession } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useLive } from '../../live/live.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyCurl, useRequests } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Ask, Filters } from '../../parts/filters.tsx'
import { Json } from '../../parts/json.tsx'
import { Box, Fact, Facts, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty, Failure, Held, Loading } from '../../parts/states.tsx'
import { textColumn, timeColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Id, Mark } from '../../parts/text.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { useChange } from '../../parts/use-change.ts'

/** Maximum number of events kept. To read more of them, use the feed. */
const keptAtMost = 1000

const shownFirst = 50

const fits = (event: Event, types: readonly string[]) => types.length === 0 || types.includes(event.type)

/** Returns the last events, and each new one when the stream announces it; after a pause, also those in between. */
function useTail(after: number | null, types: readonly string[]) {
  const live = useLive()
  const [tail, setTail] = useState<Event[]>([])
  const { subscribe } = live
  const location = useLocationId()
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    let [read, wanted, isReading] = [0, 0, false]
    const readOn = async () => {
      isReading = true
      while (read < wanted && !signal.aborted) {
        const page: Call = { path: '/v1/events/', query: { after: read, limit: keptAtMost } }
        const { data, meta } = (await send<EventPage>(page, { location, signal })).data
        setTail((before) => [...data.toReversed(), ...before].slice(0, keptAtMost))
        if (meta.next <= read) break
        read = meta.next
      }
    }
    const unsubscribe = subscribe(({ sequence }) => {
      wanted = Math.max(wanted, sequence)
      if (read === 0) read = sequence - 1
      // Events that arrive together are read together; after a failure the next event causes a retry.
      if (!isReading)
        readOn()
          .catch(() => undefined)
          .finally(() => (isReading = false))
    })
    return () => {
      ending.abort()
      unsubscribe()
    }
  }, [subscribe, location])
  const call: Call | null =
    after === null ? null : { path: '/v1/events/', query: { after, types: types.join(','), limit: 200 } }
  const read = useApi<EventPage>(call)
  const events = useMemo(() => {
    const first = read.data?.data.data.toReversed() ?? []
    const known = new Set(first.map(({ id }) => id))
    return [...tail.filter(({ id }) => !known.has(id)), ...first]
      .toSorted((a, b) => b.sequence - a.sequence)
      .slice(0, keptAtMost)
  }, [tail, read.data])
  return { call, events, isFull: events.length === keptAtMost, read, live }
}

function subjectOf({ data }: Event): string {
  if (Array.isArray(data)) return '–'
  const { orderNumber, reportNumber, name, date } = data as {
    orderNumber?: string
    reportNumber?: number
    name?: string
    date?: string
  }
  return orderNumber || (reportNumber === undefined ? name || date || '–' : `Z ${reportNumber}`)
}

function EntryView({ sequence }: { sequence: string }) {
  const { events: t, common } = useT()
  const format = useFormat()
  const call: Call = { path: `/v1/events/${sequence}` }
  const read = useApi<JournalEntry>(call, { isStill: true })
  return (
    <Async read={read} rows={10}>
      {(entry, text) => (
        <>
          <p>
            <CopyCurl call={call} />
          </p>
          <Facts>
            <Fact name={common.journal}>{format.number(entry.sequence)}</Fact>
            <Fact name={common.accepted} at={entry.timestamp} as="second" />
            <Fact name={common.kind} text={entry.kind} />
            <Fact name={t.before}>
              {entry.previousSequence === null ? (
                '–'
              ) : (
                <Link to="/events" search={(search) => ({ ...search, entry: String(entry.previousSequence) })}>
                  {format.number(entry.previousSequence)}
                </Link>
              )}
            </Fact>
            <Fact name={common.concerns}>
              <RecordLink kind={entry.kind} id={entry.resourceId} version={entry.sequence}>
                <Id id={entry.resourceId} />
              </RecordLink>
            </Fact>
            <Fact name={t.hash}>
              <Id id={entry.hash} />
            </Fact>
          </Facts>
          <p>
            {entry.types.map((type) => (
              <span key={type}>
                <Mark>{type}</Mark>{' '}
              </span>
            ))}
          </p>
          <Json text={text} label={t.body} />
        </>
      )}
    </Async>
  )
}

export function Events() {
  const { events: t, screens, shell, common } = useT()
  const format = useFormat()
  const { server } = useSession()
  const search = useSearch({ from: '/events' })
  const head = useApi<{ sequence: number }>({ path: '/v1/journal/head' }, { isStill: true })
  const headSequence = head.data?.data.sequence
  const after =
    search.after === undefined
      ? headSequence === undefined
        ? null
        : Math.max(0, headSequence - shownFirst)
      : Number(search.after)
  const types = (search.types ?? '').split(',').filter((type) => type !== '')
  const { call, events, isFull, read, live } = useTail(after, types)
  // New events are shown from the head on. If the page ends before the head, the events in between are not shown.
  const next = read.data?.data.meta.next
  const goOnAfter = next !== undefined && headSequence !== undefined && next < headSequence ? next : undefined
  const rows = events.filter((event) => fits(event, types))
  const change = useChange()
  const hasTerminal = useRequests() !== null
  const listen = `tillgate listen --url ${server.baseUrl} --key $KEY`
  return (
    <Page
      title={screens.events}
      intro={t.intro}
      {...(call === null ? {} : { call })}
      actions={
        <>
          <Button onClick={live.toggle} aria-pressed={live.state === 'paused'}>
            {live.state === 'paused' ? common.resume : common.pause}
          </Button>
          <span className="muted">{shell.live[live.state]}</span>
        </>
      }
    >
      <Filters>
        <Ask
          label={t.types}
          value={search.types ?? ''}
          placeholder="order.paid,report.created"
          onChange={(value) => change({ types: value.replaceAll(/\s/g, '') })}
        />
        <Ask label={t.after} type="number" value={search.after ?? ''} onChange={(value) => change({ after: value })} />
      </Filters>
      {hasTerminal && (
        <Box title={t.listen}>
          <p>
            <code>{listen}</code> <Copy text={listen} label={common.copy} />
          </p>
        </Box>
      )}
      <Box flush>
        {goOnAfter !== undefined && (
          <p className="muted" style={{ padding: '0.7rem 1rem' }}>
            {t.leftOut(format.number(goOnAfter))}{' '}
            <Link to="/events" search={(before) => ({ ...before, after: String(goOnAfter) })}>
              {t.goOnAfter(format.number(goOnAfter))}
            </Link>
          </p>
        )}
        {head.error !== null && <Failure problem={head.error} retry={() => void head.refetch()} />}
        {read.error !== null && <Failure problem={read.error} retry={() => void read.refetch()} />}
        {(after === null && head.error === null) ||
        (rows.length === 0 && (read.isLoading || read.isPlaceholderData)) ? (
          <Loading />
        ) : rows.length === 0 && (head.error ?? read.error) !== null ? null : rows.length === 0 ? (
          <Empty title={t.none}>
            <p>{types.length === 0 ? t.noneText : t.noneOfTypes}</p>
          </Empty>
        ) : (
          <Held read={read}>
            <Table<Event>
              caption={screens.events}
              rows={rows}
              keyOf={({ id }) => id}
              toRecords={asAnswered}
              isChosen={({ sequence }) => String(sequence) === search.entry}
              columns={[
                {
                  key: 'sequence',
                  head: common.journal,
                  cell: ({ sequence }) => (
                    <Link to="/events" search={(before) => ({ ...before, entry: String(sequence) })}>
                      {format.number(sequence)}
                    </Link>
                  ),
                },
                { key: 'type', head: t.type, cell: ({ type }) => <Mark>{type}</Mark> },
                textColumn('subject', t.subject, (event) => subjectOf(event), { isShown: true, isOneWord: true }),
                timeColumn('at', common.accepted, ({ timestamp }) => timestamp, { as: 'second', isExtra: true }),
              ]}
            />
          </Held>
        )}
        {isFull && (
          <p className="muted" style={{ padding: '0.7rem 1rem' }}>
            {t.keptOnly(format.number(keptAtMost))}
          </p>
        )}
      </Box>
      <Dialog
        title={t.entry}
        place="side"
        isOpen={search.entry !== undefined}
        onClose={() => change({ entry: undefined })}
      >
        {search.entry !== undefined && <EntryView sequence={search.entry} />}
      </Dialog>
    </Page>
  )
}
