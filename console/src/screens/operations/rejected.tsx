import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Ask, Choose, Filters } from '../../parts/filters.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Called, Foreign, Time } from '../../parts/text.tsx'
import { More } from '../../parts/more.tsx'
import { useHereName, usePlaces } from './names.tsx'
import { RejectedDrawer } from './rejected-record.tsx'
import type { Page as List, Rejected as Entry, RejectedGroup } from './shapes.ts'

const api = getRouteApi('/ops/rejected')

const dayMs = 86_400_000

export function Rejected() {
  const { ops: t, screens, common, faults } = useT()
  const format = useFormat()
  const here = useLocationId()
  const hereName = useHereName()
  const navigate = useNavigate({ from: '/ops/rejected' })
  const { code, since, only, record, cursor } = api.useSearch()
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
  const change = (values: object) =>
    void navigate({ search: (search) => ({ ...search, cursor: undefined, ...values }) })
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
        <Choose
          label={t.location}
          value={only ?? 'no'}
          choices={[
            ['no', t.allLocations],
            ['yes', hereName],
          ]}
          onChange={(value) => change({ only: value === 'yes' ? 'yes' : undefined })}
        />
        <Ask label={t.code} value={code ?? ''} onChange={(value) => change({ code: value })} />
        <Ask
          label={t.since}
          type="date"
          value={since?.slice(0, 10) ?? ''}
          onChange={(value) => change({ since: value })}
        />
      </Filters>
      <Box title={t.groups} call={groupsCall} flush>
        <Async read={groups} rows={4}>
          {({ data: rows }) => {
            if (rows.length === 0) return <Empty title={nothing} />
            return (
              <Table<RejectedGroup>
                caption={t.groups}
                rows={rows}
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
                  ...(location === undefined
                    ? [
                        {
                          key: 'location',
                          head: t.location,
                          cell: ({ locationId }: RejectedGroup) => (
                            <Called id={locationId} name={placeOf(locationId)} />
                          ),
                        },
                      ]
                    : []),
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
                  { key: 'count', head: t.count, isNumber: true, cell: ({ count }) => format.number(count) },
                  { key: 'last', head: t.last, cell: ({ lastAt }) => <Time at={lastAt} as="ago" /> },
                ]}
              />
            )
          }}
        </Async>
      </Box>
      {location !== undefined && (
        <Box title={t.records} flush>
          <Async read={read} rows={6}>
            {({ data, meta }) =>
              data.length === 0 ? (
                <Empty title={nothing} />
              ) : (
                <>
                  <Table<Entry>
                    caption={t.records}
                    rows={data}
                    keyOf={({ id }) => id}
                    toRecords={asAnswered}
                    allRows={allRows}
                    isChosen={({ id }) => id === record}
                    columns={[
                      {
                        key: 'at',
                        head: t.receivedAt,
                        cell: ({ id, receivedAt }) => (
                          <Link to="/ops/rejected" search={(search) => ({ ...search, record: id })}>
                            <Time at={receivedAt} as="second" />
                          </Link>
                        ),
                      },
                      { key: 'line', head: t.line, isNumber: true, cell: ({ line }) => format.number(line) },
                      { key: 'code', head: t.code, cell: ({ code: name }) => <code>{name}</code> },
                      { key: 'detail', head: t.reason, isExtra: true, cell: ({ detail }) => <Foreign text={detail} /> },
                    ]}
                  />
                  <More cursor={cursor} next={meta.next} />
                </>
              )
            }
          </Async>
        </Box>
      )}
      {record !== undefined && here !== null && (
        <RejectedDrawer
          id={record}
          location={here}
          onClose={() => void navigate({ search: (search) => ({ ...search, record: undefined }) })}
        />
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
