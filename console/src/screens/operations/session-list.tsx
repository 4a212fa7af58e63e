import type { ConsoleSession } from '@tillgate/client'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Call } from '../../api/request.ts'
import { useAct, useApi } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Box } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Called, Foreign, Mark, Time } from '../../parts/text.tsx'
import { More } from '../../parts/more.tsx'
import { usePlaces, useRights } from './names.tsx'
import type { Page as List } from './shapes.ts'

const api = getRouteApi('/ops/keys')

/** Sessions of the console and unused links; each can be ended. */
export function SessionList() {
  const { ops: t } = useT()
  const rights = useRights()
  const { cursor } = api.useSearch()
  const [ending, setEnding] = useState<ConsoleSession | null>(null)
  const call: Call = { path: '/v1/console/sessions/', query: { cursor } }
  const read = useApi<List<ConsoleSession>>(call)
  const allRows = useAllRows<ConsoleSession>(call)
  const placeOf = usePlaces((read.data?.data.data ?? []).flatMap(({ locationIds }) => locationIds ?? []))
  const end = useAct<undefined, string>((id) => ({ path: `/v1/console/sessions/${id}`, method: 'DELETE' }))
  return (
    <>
      <Box title={t.tabs.sessions} call={call} flush>
        <Async read={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={t.noSessions} />
            ) : (
              <>
                <Table<ConsoleSession>
                  caption={t.tabs.sessions}
                  rows={data}
                  keyOf={({ id }) => id}
                  toRecords={asAnswered}
                  allRows={allRows}
                  columns={[
                    {
                      key: 'name',
                      head: t.name,
                      cell: ({ name, kind, isOwn, redeemedAt }) => (
                        <>
                          {kind === 'operator' ? t.operator : <Foreign text={name || '–'} />}{' '}
                          {isOwn && <Mark tone="info">{t.thisSession}</Mark>}{' '}
                          {redeemedAt === null && <Mark tone="warn">{t.unused}</Mark>}
                        </>
                      ),
                    },
                    { key: 'scopes', head: t.scopes, cell: ({ scopes }) => rights(scopes) },
                    {
                      key: 'sees',
                      head: t.sees,
                      cell: ({ locationIds }) =>
                        locationIds === null ? (
                          t.allOfThem
                        ) : (
                          <ul>
                            {locationIds.map((id) => (
                              <li key={id}>
                                <Called id={id} name={placeOf(id)} />
                              </li>
                            ))}
                          </ul>
                        ),
                    },
                    { key: 'seen', head: t.lastSeen, cell: ({ lastSeenAt }) => <Time at={lastSeenAt} as="ago" /> },
                    {
                      key: 'from',
                      head: t.openedFrom,
                      isExtra: true,
                      cell: ({ address, userAgent }) => (
                        <>
                          <Foreign text={address ?? '–'} />
                          {userAgent !== null && (
                            <>
                              <br />
                              <Foreign text={userAgent} />
                            </>
                          )}
                        </>
                      ),
                    },
                    { key: 'until', head: t.until, isExtra: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                    {
                      key: 'end',
                      head: <span className="hidden">{t.end}</span>,
                      cell: (session) => (
                        <Button kind="quiet" onClick={() => setEnding(session)}>
                          {t.end}
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
        title={t.endTitle}
        text={t.endText}
        action={t.end}
        isOpen={ending !== null}
        act={end}
        onClose={() => setEnding(null)}
        onConfirm={() => ending !== null && end.mutate(ending.id, { onSuccess: () => setEnding(null) })}
      />
    </>
  )
}
