import type { PendingPage, WebhookStatus, PendingEvent as Pending } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Time } from '../../parts/text.tsx'
import { nextAttemptOf } from '../../parts/webhook-state.tsx'

/** Events that wait for another attempt, soonest first. */
export function PendingDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { webhooks: t, common } = useT()
  const format = useFormat()
  const call: Call = { path: `/v1/webhooks/${id}/pending`, query: { size: 100 } }
  const read = useApi<PendingPage>(call)
  const allRows = useAllRows<Pending>(call)
  const status = useApi<WebhookStatus>({ path: `/v1/webhooks/${id}/status` }, { everyMs: 5000 }).data?.data
  return (
    <Dialog title={t.setAside} place="side" isOpen onClose={onClose}>
      <p>
        <CopyCurl call={call} />
      </p>
      <Async read={read}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t.nothingPending} />
          ) : (
            <Table<Pending>
              caption={t.setAside}
              rows={data}
              keyOf={({ messageId }) => messageId}
              toRecords={asAnswered}
              allRows={allRows}
              columns={[
                { key: 'event', head: t.event, cell: ({ event }) => event },
                {
                  key: 'sequence',
                  head: common.journal,
                  isNumber: true,
                  cell: ({ sequence }) => format.number(sequence),
                },
                { key: 'attempts', head: t.attempts, isNumber: true, cell: ({ attempts }) => attempts },
                {
                  key: 'next',
                  head: t.nextAttempt,
                  cell: ({ nextAttemptAt }) =>
                    nextAttemptAt === null ? (
                      t.waitsBehind
                    ) : (
                      <Time at={status === undefined ? null : nextAttemptOf(status, nextAttemptAt)} as="second" />
                    ),
                },
              ]}
            />
          )
        }
      </Async>
    </Dialog>
  )
}
