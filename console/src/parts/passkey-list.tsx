import { useState } from 'react'
import type { Passkey, PasskeyPage } from '@tillgate/client'
import { useAct, useApi, type Call } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { useAllRows } from './all-rows.ts'
import { Confirm } from './dialog.tsx'
import { asAnswered } from './records.ts'
import { textColumn, timeColumn, actionColumn } from './columns.tsx'
import { Foreign, Mark } from './text.tsx'
import { ListBox } from './list-box.tsx'
import { callerName } from './words.ts'

/** The passkeys that the session may see: its own, or all passkeys for an operator. */
export function PasskeyList({ cursor, isOfAll = false }: { cursor?: string | undefined; isOfAll?: boolean }) {
  const texts = useT()
  const { access: t, common } = texts
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const call: Call = { path: '/v1/console/passkeys/', query: { cursor } }
  const read = useApi<PasskeyPage>(call)
  const allRows = useAllRows<Passkey>(call)
  const person = textColumn<Passkey>('name', t.person, ({ name }) => callerName(texts, name) || '–', { isShown: true })
  const remove = useAct<undefined, string>((id) => ({ path: `/v1/console/passkeys/${id}`, method: 'DELETE' }))
  return (
    <>
      <ListBox<Passkey>
        title={texts.ops.tabs.passkeys}
        call={call}
        read={read}
        none={t.noPasskeys}
        pages="cursor"
        keyOf={({ id }) => id}
        toRecords={asAnswered}
        allRows={allRows}
        columns={[
          ...(isOfAll ? [person] : []),
          {
            key: 'label',
            head: t.device,
            cell: ({ label, isOwn }) => (
              <>
                <Foreign text={label} /> {isOwn && <Mark tone="info">{t.usedNow}</Mark>}
              </>
            ),
            note: ({ isSynced }) => isSynced && t.synced,
          },
          timeColumn('added', t.added, ({ createdAt }) => createdAt, { isExtra: true }),
          timeColumn('used', common.lastUsed, ({ lastUsedAt }) => lastUsedAt, { as: 'ago' }),
          timeColumn('until', common.until, ({ expiresAt }) => expiresAt, { isExtra: true }),
          textColumn('origin', common.address, ({ origin }) => origin, { isShown: true, isExtra: true }),
          actionColumn(common.remove, setRemoving),
        ]}
      />
      <Confirm
        title={t.removeTitle}
        text={t.removeText}
        action={common.remove}
        isOpen={removing !== null}
        act={remove}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing !== null && remove.mutate(removing.id, { onSuccess: () => setRemoving(null) })}
      />
    </>
  )
}
