import { useState } from 'react'
import type { Passkey, PasskeyPage } from '@tillgate/client'
import type { Call } from '../api/request.ts'
import { useAct, useApi } from '../api/use-api.ts'
import { useT } from '../i18n/language.tsx'
import { useAllRows } from './all-rows.ts'
import { Button } from './button.tsx'
import { Confirm } from './dialog.tsx'
import { Box } from './page.tsx'
import { asAnswered } from './records.ts'
import { Async, Empty } from './states.tsx'
import { Table, textColumn, type Column } from './table.tsx'
import { Foreign, Mark, Time } from './text.tsx'
import { More } from './more.tsx'

/** The passkeys visible to the session: its own, or for an operator those of all people. */
export function PasskeyList({ cursor, isOfAll = false }: { cursor?: string | undefined; isOfAll?: boolean }) {
  const { access: t } = useT()
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const call: Call = { path: '/v1/console/passkeys/', query: { cursor } }
  const read = useApi<PasskeyPage>(call)
  const allRows = useAllRows<Passkey>(call)
  const remove = useAct<undefined, string>((id) => ({ path: `/v1/console/passkeys/${id}`, method: 'DELETE' }))
  const person: Column<Passkey> = { key: 'name', head: t.person, cell: ({ name }) => <Foreign text={name || '–'} /> }
  return (
    <>
      <Box title={t.passkeys} call={call} flush>
        <Async read={read}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={t.noPasskeys} />
            ) : (
              <>
                <Table<Passkey>
                  caption={t.passkeys}
                  rows={data}
                  keyOf={({ id }) => id}
                  toRecords={asAnswered}
                  allRows={allRows}
                  columns={[
                    ...(isOfAll ? [person] : []),
                    {
                      key: 'label',
                      head: t.device,
                      cell: ({ label, isOwn, isSynced }) => (
                        <>
                          <Foreign text={label} /> {isOwn && <Mark tone="info">{t.usedNow}</Mark>}
                          {isSynced && <div className="muted">{t.synced}</div>}
                        </>
                      ),
                    },
                    { key: 'added', head: t.added, isExtra: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
                    { key: 'used', head: t.lastUsed, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} as="ago" /> },
                    { key: 'until', head: t.until, isExtra: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
                    textColumn('origin', t.address, ({ origin }) => origin, { isShown: true, isExtra: true }),
                    {
                      key: 'remove',
                      head: <span className="hidden">{t.remove}</span>,
                      cell: (passkey) => (
                        <Button kind="quiet" onClick={() => setRemoving(passkey)}>
                          {t.remove}
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
        title={t.removeTitle}
        text={t.removeText}
        action={t.remove}
        isOpen={removing !== null}
        act={remove}
        onClose={() => setRemoving(null)}
        onConfirm={() => removing !== null && remove.mutate(removing.id, { onSuccess: () => setRemoving(null) })}
      />
    </>
  )
}
