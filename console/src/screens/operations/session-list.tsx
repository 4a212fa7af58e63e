import type { ConsoleSession } from '@tillgate/client'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Called, Foreign, Mark } from '../../parts/text.tsx'
import { usePlaces } from './names.tsx'
import type { Page as List } from './shapes.ts'
import { ListBox } from '../../parts/list-box.tsx'
import { timeColumn, actionColumn } from '../../parts/columns.tsx'
import { useRights } from '../../parts/who.tsx'
import { callerName } from '../../parts/words.ts'

/** Returns what a browser calls itself, in short: its name and its system. */
function shortly(agent: string): string {
  const name = ['Edg', 'OPR', 'Firefox', 'CriOS', 'Chrome', 'Safari'].find((one) => agent.includes(`${one}/`))
  const system = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'].find((one) => agent.includes(one))
  const usual = name?.replace('Edg', 'Edge').replace('OPR', 'Opera').replace('CriOS', 'Chrome')
  return [usual ?? agent, ...(usual === undefined || system === undefined ? [] : [system])].join(', ')
}

/** Sessions of the console and unused links; each can be ended. */
export function SessionList() {
  const texts = useT()
  const { ops: t, common } = texts
  const rights = useRights()
  const { cursor } = useSearch({ from: '/ops/keys' })
  const [ending, setEnding] = useState<ConsoleSession | null>(null)
  const call: Call = { path: '/v1/console/sessions/', query: { cursor } }
  const read = useApi<List<ConsoleSession>>(call)
  const allRows = useAllRows<ConsoleSession>(call)
  const placeOf = usePlaces((read.data?.data.data ?? []).flatMap(({ locationIds }) => locationIds ?? []))
  const end = useAct<undefined, string>((id) => ({ path: `/v1/console/sessions/${id}`, method: 'DELETE' }))
  return (
    <>
      <ListBox<ConsoleSession>
        caption={t.tabs.sessions}
        call={call}
        read={read}
        none={t.noSessions}
        pages="cursor"
        keyOf={({ id }) => id}
        toRecords={asAnswered}
        allRows={allRows}
        columns={[
          {
            key: 'name',
            head: common.name,
            cell: ({ name, isOwn, redeemedAt }) => (
              <>
                <Foreign text={callerName(texts, name) || '–'} /> {isOwn && <Mark tone="info">{t.thisSession}</Mark>}{' '}
                {redeemedAt === null && <Mark tone="warn">{t.unused}</Mark>}
              </>
            ),
          },
          { key: 'scopes', head: common.rights, cell: ({ scopes }) => rights(scopes) },
          {
            key: 'sees',
            head: common.sees,
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
          timeColumn('seen', t.lastSeen, ({ lastSeenAt }) => lastSeenAt, { as: 'ago' }),
          {
            key: 'from',
            head: t.openedFrom,
            isExtra: true,
            cell: ({ address, userAgent }) => (
              <>
                <Foreign text={address ?? '–'} />
                {userAgent !== null && (
                  <div className="muted" title={userAgent}>
                    <Foreign text={shortly(userAgent)} />
                  </div>
                )}
              </>
            ),
          },
          timeColumn('until', common.until, ({ expiresAt }) => expiresAt, { isExtra: true }),
          actionColumn(t.end, setEnding),
        ]}
      />
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
