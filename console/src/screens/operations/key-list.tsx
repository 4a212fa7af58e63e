import type { AdminKey } from '@tillgate/client'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Called, Foreign, Mark, Time } from '../../parts/text.tsx'
import { More } from '../../parts/more.tsx'
import { useHereName, usePlaces, useRights } from './names.tsx'
import type { Page as List } from './shapes.ts'

const api = getRouteApi('/ops/keys')

export function KeyList() {
  const { ops: t, common } = useT()
  const here = useLocationId()
  const hereName = useHereName()
  const rights = useRights()
  const navigate = useNavigate({ from: '/ops/keys' })
  const { state = 'active', only, cursor } = api.useSearch()
  const [ending, setEnding] = useState<AdminKey | null>(null)
  const call: Call = {
    path: '/v1/admin/keys/',
    query: { location: only === 'yes' ? (here ?? undefined) : undefined, state, cursor },
  }
  const read = useApi<List<AdminKey>>(call)
  const allRows = useAllRows<AdminKey>(call)
  const placeOf = usePlaces((read.data?.data.data ?? []).map(({ locationId }) => locationId))
  const revoke = useAct<AdminKey, string>((id) => ({ path: `/v1/admin/keys/${id}`, method: 'DELETE' }))
  const change = (values: object) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...values }) })
  return (
    <>
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
        <Choose
          label={t.state}
          value={state}
          choices={[
            ['active', t.keyStates.active],
            ['ended', t.keyStates.ended],
            ['all', common.all],
          ]}
          onChange={(value) => change({ state: value })}
        />
      </Filters>
      <Box title={t.tabs.keys} call={call} flush>
        <Async read={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={t.noKeys} />
            ) : (
              <>
                <Table<AdminKey>
                  caption={t.tabs.keys}
                  rows={data}
                  keyOf={({ id }) => id}
                  toRecords={asAnswered}
                  allRows={allRows}
                  columns={[
                    {
                      key: 'name',
                      head: t.name,
                      cell: ({ name, hint }) => (
                        <>
                          <Foreign text={name || '–'} /> <code className="muted">{hint}</code>
                        </>
                      ),
                    },
                    { key: 'scopes', head: t.scopes, cell: ({ scopes }) => rights(scopes) },
                    {
                      key: 'location',
                      head: t.location,
                      isExtra: true,
                      cell: ({ locationId }) =>
                        locationId === null ? t.installation : <Called id={locationId} name={placeOf(locationId)} />,
                    },
                    {
                      key: 'state',
                      head: t.state,
                      isExtra: true,
                      cell: ({ state: one }) => <Mark tone={one === 'active' ? 'good' : 'plain'}>{t.keyIs[one]}</Mark>,
                    },
                    { key: 'used', head: t.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="ago" /> },
                    {
                      key: 'end',
                      head: <span className="hidden">{t.revoke}</span>,
                      cell: (key) =>
                        key.revokedAt === null && (
                          <Button kind="quiet" onClick={() => setEnding(key)}>
                            {t.revoke}
                          </Button>
                        ),
                    },
                  ]}
                />
                <More cursor={cursor} next={meta.next} />
              </>
            )
          }
        </Async>
      </Box>
      <Confirm
        title={t.revokeTitle}
        text={
          <>
            <Foreign text={ending?.name} /> <code>{ending?.hint}</code> {t.revokeText}
          </>
        }
        action={t.revoke}
        isOpen={ending !== null}
        act={revoke}
        onClose={() => setEnding(null)}
        onConfirm={() => ending !== null && revoke.mutate(ending.id, { onSuccess: () => setEnding(null) })}
      />
    </>
  )
}
