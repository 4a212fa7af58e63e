import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Delivery, DeliveryFailureList, DeliveryPage } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { offers } from '../../api/offers.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Ask, Choose, Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { instantsOf } from '../../parts/range.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table, numberColumn } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { DeliveryView } from './delivery.tsx'
import { OutcomeMark } from '../../parts/webhook-state.tsx'
import styles from './delivery.module.css'

const api = getRouteApi('/webhooks/$id')

const hasDetails = () => offers('/v1/webhooks/{id}/deliveries/{deliveryId}')

export function DeliveryLog({ id, events }: { id: string; events: readonly string[] }) {
  const { webhooks: t, common } = useT()
  const format = useFormat()
  const search = api.useSearch()
  const navigate = useNavigate({ from: '/webhooks/$id' })
  const { since, until } = search
  const range =
    since === undefined && until === undefined
      ? {}
      : instantsOf({ since: since ?? until ?? '', until: until ?? since ?? '' }, format)
  const call: Call = {
    path: `/v1/webhooks/${id}/deliveries`,
    query: { size: 50, event: search.event, outcome: search.outcome, cursor: search.cursor, ...range },
  }
  const read = useApi<DeliveryPage>(call, { everyMs: 5000 })
  const allRows = useAllRows<Delivery>(call)
  // The event types of the webhook, of its log, and of the address.
  const logged = read.data?.data.data.map(({ event }) => event) ?? []
  const names = [...new Set<string>([...events, ...logged, search.event ?? ''])].filter(Boolean)
  const change = (values: object) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...values }) })
  return (
    <Box title={t.log} call={call} flush aside={<Retention page={read.data?.data} />}>
      <div style={{ paddingInline: '1rem', display: 'grid', gap: '0.7rem' }}>
        <Filters>
          <Choose
            label={t.outcome}
            value={search.outcome ?? 'all'}
            choices={[
              ['all', common.all],
              ['success', t.succeeded],
              ['failure', t.failed],
            ]}
            onChange={(outcome) => change({ outcome: outcome === 'all' ? undefined : outcome })}
          />
          <Choose
            label={t.event}
            value={search.event ?? 'all'}
            choices={[['all', common.all], ...names.map((name) => [name, name] as const)]}
            onChange={(event) => change({ event: event === 'all' ? undefined : event })}
          />
          <Ask
            label={common.from}
            type="date"
            value={search.since ?? ''}
            onChange={(value) => change({ since: value })}
          />
          <Ask
            label={common.to}
            type="date"
            value={search.until ?? ''}
            onChange={(value) => change({ until: value })}
          />
        </Filters>
      </div>
      {search.outcome !== 'success' && (
        <Failures call={{ path: `/v1/webhooks/${id}/failures`, query: { event: search.event, ...range } }} />
      )}
      <Async read={read}>
        {({ data, meta }) => (
          <>
            {data.length === 0 ? (
              <Empty title={t.noAttempts}>
                <p>{t.noAttemptsText}</p>
              </Empty>
            ) : (
              <Table<Delivery>
                caption={t.log}
                rows={data}
                keyOf={(delivery) => delivery.id}
                toRecords={asAnswered}
                allRows={allRows}
                isChosen={(delivery) => delivery.id === search.delivery}
                columns={[
                  {
                    key: 'event',
                    head: t.event,
                    cell: (delivery) =>
                      !hasDetails() ? (
                        delivery.event
                      ) : (
                        <Link to="." search={(before: object) => ({ ...before, delivery: delivery.id })}>
                          {delivery.event}
                        </Link>
                      ),
                  },
                  { key: 'outcome', head: t.outcome, cell: (delivery) => <OutcomeMark delivery={delivery} /> },
                  { key: 'attempt', head: t.attempt, isNumber: true, isExtra: true, cell: ({ attempt }) => attempt },
                  numberColumn(format)('sequence', t.journal, ({ sequence }) => sequence, {
                    isShown: true,
                    isExtra: true,
                  }),
                  {
                    key: 'duration',
                    head: t.duration,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ durationMs }) => format.duration(durationMs),
                  },
                  { key: 'sent', head: t.sentAt, cell: ({ sentAt }) => <Time at={sentAt} as="second" /> },
                ]}
              />
            )}
            <p style={{ padding: '0.7rem 1rem', display: 'flex', gap: '0.6rem' }}>
              {search.cursor !== undefined && <Button onClick={() => change({})}>{common.newest}</Button>}
              {meta.next !== null && <Button onClick={() => change({ cursor: meta.next })}>{common.older}</Button>}
            </p>
          </>
        )}
      </Async>
      <Dialog
        title={t.delivery}
        place="side"
        isOpen={search.delivery !== undefined}
        onClose={() => void navigate({ search: (before) => ({ ...before, delivery: undefined }) })}
      >
        {search.delivery !== undefined && <DeliveryView webhookId={id} deliveryId={search.delivery} />}
      </Dialog>
    </Box>
  )
}

/** How long attempts stay in the log. */
function Retention({ page }: { page: DeliveryPage | undefined }) {
  const { webhooks: t } = useT()
  const format = useFormat()
  if (page === undefined) return null
  const { keptDays, keptAttempts } = page.meta
  return <span className="muted">{t.retention(keptDays, format.number(keptAttempts))}</span>
}

/** Failures with the same cause, most frequent first: to check before single attempts. */
function Failures({ call }: { call: Call }) {
  const { webhooks: t } = useT()
  const format = useFormat()
  const read = useApi<DeliveryFailureList>(call, { everyMs: 5000 })
  if (read.data?.data.data.length === 0) return null
  return (
    <div className={styles.causes}>
      <Async read={read} rows={2}>
        {({ data }) => (
          <ul aria-label={t.failureGroups}>
            {data.map(({ errorClass, status, count, lastMessage, lastDeliveryId }) => (
              <li key={`${errorClass}${status}`}>
                <Mark tone="bad">
                  {`${format.number(count)} × ${status === 0 ? errorClass : `${errorClass} ${status}`}`}
                </Mark>{' '}
                <Foreign text={lastMessage} lang="en" />{' '}
                <Link to="." search={(before: object) => ({ ...before, delivery: lastDeliveryId })}>
                  {t.showLast}
                </Link>
                <div className="muted">{t.causes[errorClass]}</div>
              </li>
            ))}
          </ul>
        )}
      </Async>
      <CopyCurl call={call} />
    </div>
  )
}
