import type { AdminKey } from '@tillgate/client'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useLocationId } from '../../api/session.tsx'
import { useAct, useApi, type Call } from '../../api/use-api.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Called, Foreign, Mark } from '../../parts/text.tsx'
import { HereFilter, usePlaces } from './names.tsx'
import type { Page as List } from './shapes.ts'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'
import { timeColumn, actionColumn } from '../../parts/columns.tsx'
import { useRights } from '../../parts/who.tsx'

export function KeyList() {
  const { ops: t, common } = useT()
  const here = useLocationId()
  const rights = useRights()
  const { state = 'active', only, cursor } = useSearch({ from: '/ops/keys' })
  const [ending, setEnding] = useState<AdminKey | null>(null)
  const call: Call = {
    path: '/v1/admin/keys/',
    query: { location: only === 'yes' ? (here ?? undefined) : undefined, state, cursor },
  }
  const read = useApi<List<AdminKey>>(call)
  const allRows = useAllRows<AdminKey>(call)
  const placeOf = usePlaces((read.data?.data.data ?? []).map(({ locationId }) => locationId))
  const revoke = useAct<AdminKey, string>((id) => ({ path: `/v1/admin/keys/${id}`, method: 'DELETE' }))
  const change = useChange({ cursor: undefined })
  return (
    <>
      <Filters>
        <HereFilter only={only} />
        <Choose
          label={common.state}
          value={state}
          choices={{ ...t.keyStates, all: common.all }}
          onChange={(value) => change({ state: value })}
        />
      </Filters>
      <ListBox<AdminKey>
        caption={t.tabs.keys}
        call={call}
        read={read}
        none={t.noKeys}
        pages="cursor"
        keyOf={({ id }) => id}
        toRecords={asAnswered}
        allRows={allRows}
        columns={[
          {
            key: 'name',
            head: common.name,
            cell: ({ name, hint }) => (
              <>
                <Foreign text={name || '–'} /> <code className="muted">{hint}</code>
              </>
            ),
          },
          { key: 'scopes', head: common.rights, cell: ({ scopes }) => rights(scopes) },
          {
            key: 'location',
            head: common.location,
            isExtra: true,
            cell: ({ locationId }) =>
              locationId === null ? t.installation : <Called id={locationId} name={placeOf(locationId)} />,
          },
          {
            key: 'state',
            head: common.state,
            isExtra: true,
            cell: ({ state: one }) => <Mark tone={one === 'active' ? 'good' : 'plain'}>{t.keyIs[one]}</Mark>,
          },
          timeColumn('used', common.lastUsed, ({ lastUsedAt }) => lastUsedAt, { as: 'ago' }),
          actionColumn<AdminKey>(t.revoke, setEnding, ({ revokedAt }) => revokedAt === null),
        ]}
      />
      <Confirm
        title={t.revokeTitle}
        text={
          <>
            <Foreign text={ending?.name} /> <code>{ending?.hint}</code>
            <br />
            {t.revokeText}
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
