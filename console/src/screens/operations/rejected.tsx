import type { AdminRejected as Entry, AdminRejectedGroup as RejectedGroup } from '@tillgate/client'
import { useSearch, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Ask, Filters } from '../../parts/filters.tsx'
import { Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Called, Foreign, Time } from '../../parts/text.tsx'
import { HereFilter, usePlaces } from './names.tsx'
import { RejectedDrawer } from './rejected-record.tsx'
import type { Page as List } from './shapes.ts'
import { useChange } from '../../parts/use-change.ts'
import { type Column, timeColumn } from '../../parts/columns.tsx'
import { ListBox } from '../../parts/list-box.tsx'

const dayMs = 86_400_000

export function Rejected() {
  const { ops: t, screens, common, faults } = useT()
  const format = useFormat()
  const here = useLocationId()
  const { code, since, only, record, cursor } = useSearch({ from: '/ops/rejected' })
  const [isDeleting, setDeleting] = useState(false)
  const location = only === 'yes' ? (here ?? undefined) : undefined
  const groupsCall: Call = {
    path: '/v1/admin/rejected/summary',
    query: { location, code, since, all: location === undefined ? 'true' : undefined },
  }
  const call: Call = { path: '/v1/admin/rejected/', query: { location, code, since, cursor } }
  const groups = useApi<List<RejectedGroup>>(groupsCall)
  const placeOf = usePlaces((groups.data?.data.data ?? []).map(({ locationId }) => locationId))
  // Records are listed for one location; for all there are groups, each with a link to its location.
  const read = useApi<List<Entry>>(location === undefined ? null : call)
  const allRows = useAllRows<Entry>(call)
  const nothing = code === undefined && since === undefined ? t.noneRejected : t.noneRejectedSo
  const before = new Date(Math.floor(Date.now() / dayMs) * dayMs - 30 * dayMs).toISOString()
  const remove = useAct<{ deleted: number }>(() => ({
    path: '/v1/admin/rejected/',
    method: 'DELETE',
    query: { location, before },
  }))
  const choose = useChange()
  const change = useChange({ cursor: undefined })
  const place: Column<RejectedGroup> = {
    key: 'location',
    head: common.location,
    cell: ({ locationId }) => <Called id={locationId} name={placeOf(locationId)} />,
  }
  return (
    <Page
      title={screens.rejected}
      intro={t.rejectedIntro}
      call={location === undefined ? groupsCall : call}
      actions={
        location !== undefined && (
          <Button kind="danger" onClick={() => setDeleting(true)}>
            {t.deleteOld}
          </Button>
        )
      }
    >
      <Filters>
        <HereFilter only={only} />
        <Ask label={t.code} value={code ?? ''} onChange={(value) => change({ code: value })} />
        <Ask
          label={t.since}
          type="date"
          value={since?.slice(0, 10) ?? ''}
          onChange={(value) => change({ since: value })}
        />
      </Filters>
      <ListBox<RejectedGroup>
        title={t.groups}
        call={groupsCall}
        read={groups}
        lines={4}
        none={nothing}
        keyOf={({ locationId, code: name, pointer }) => `${locationId}${name}${pointer}`}
        toRecords={asAnswered}
        columns={[
          {
            key: 'code',
            head: t.code,
            cell: ({ code: name, locationId }) => (
              <Link
                to="/ops/rejected"
                search={(search) => ({ ...search, code: name, location: locationId, only: 'yes' as const })}
              >
                <code>{name}</code>
              </Link>
            ),
          },
          ...(location === undefined ? [place] : []),
          {
            key: 'pointer',
            head: t.pointer,
            cell: ({ pointer, code: name }) => (
              <>
                <code>
                  <Foreign text={pointer === '' ? '–' : pointer} />
                </code>{' '}
                <span className="muted">{faults[name]}</span>
              </>
            ),
          },
          { key: 'count', head: common.count, isNumber: true, cell: ({ count }) => format.number(count) },
          timeColumn('last', t.last, ({ lastAt }) => lastAt, { as: 'ago' }),
        ]}
      />
      {location !== undefined && (
        <ListBox<Entry>
          title={t.records}
          read={read}
          none={nothing}
          pages="cursor"
          keyOf={({ id }) => id}
          toRecords={asAnswered}
          allRows={allRows}
          isChosen={({ id }) => id === record}
          columns={[
            {
              key: 'at',
              head: common.received,
              cell: ({ id, receivedAt }) => (
                <Link to="/ops/rejected" search={(search) => ({ ...search, record: id })}>
                  <Time at={receivedAt} as="second" />
                </Link>
              ),
            },
            { key: 'line', head: t.line, isNumber: true, cell: ({ line }) => format.number(line) },
            { key: 'code', head: t.code, cell: ({ code: name }) => <code>{name}</code> },
            { key: 'detail', head: common.reason, isExtra: true, cell: ({ detail }) => <Foreign text={detail} /> },
          ]}
        />
      )}
      {record !== undefined && here !== null && (
        <RejectedDrawer id={record} location={here} onClose={() => choose({ record: undefined })} />
      )}
      <Confirm
        title={t.deleteOld}
        text={t.deleteOldText(format.dateTime(before))}
        action={common.delete}
        isOpen={isDeleting}
        act={remove}
        onClose={() => setDeleting(false)}
        onConfirm={() => remove.mutate(undefined, { onSuccess: () => setDeleting(false) })}
      />
    </Page>
  )
}
