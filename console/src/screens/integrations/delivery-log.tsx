import { useSearch, Link } from '@tanstack/react-router'
import type { Delivery, DeliveryFailureList, DeliveryPage } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { CopyCurl } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Ask, Filters, Filter } from '../../parts/filters.tsx'
import { instantsOf } from '../../parts/range.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { numberColumn, timeColumn } from '../../parts/columns.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { DeliveryView } from './delivery.tsx'
import { OutcomeMark } from '../../parts/webhook-state.tsx'
import styles from './delivery.module.css'
import { useChange } from '../../parts/use-change.ts'
import { ListBox } from '../../parts/list-box.tsx'

const hasDetails = () => offers('/v1/webhooks/{id}/deliveries/{deliveryId}')

export function DeliveryLog({ id, events }: { id: string; events: readonly string[] }) {
  const { webhooks: t, catalog, common } = useT()
  const format = useFormat()
  const search = useSearch({ from: '/webhooks/$id' })
  const choose = useChange()
  const change = useChange({ cursor: undefined })
  const { since, until } = search
  const isFiltered = (search.event ?? search.outcome ?? since ?? until) !== undefined
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
  const kept = read.data?.data.meta
  // The event types of the webhook, in its log, and in the URL.
  const logged = read.data?.data.data.map(({ event }) => event) ?? []
  const names = [...new Set<string>([...events, ...logged, search.event ?? ''])].filter(Boolean)
  return (
    <>
      <ListBox<Delivery, DeliveryPage>
        title={t.log}
        call={call}
        aside={kept && <span className="muted">{t.retention(kept.keptDays, format.number(kept.keptAttempts))}</span>}
        before={
          <>
            <div style={{ paddingInline: '1rem', display: 'grid', gap: '0.7rem' }}>
              <Filters>
                <Filter
                  label={t.outcome}
                  value={search.outcome}
                  choices={{ success: t.succeeded, failure: t.failed }}
                  onChange={(outcome) => change({ outcome })}
                />
                <Filter
                  label={t.event}
                  value={search.event}
                  choices={names.map((name) => [name, name] as const)}
                  onChange={(event) => change({ event })}
                />
                <Ask label={common.from} type="date" value={since ?? ''} onChange={(day) => change({ since: day })} />
                <Ask label={common.to} type="date" value={until ?? ''} onChange={(day) => change({ until: day })} />
              </Filters>
            </div>
            {search.outcome !== 'success' && (
              <Failures call={{ path: `/v1/webhooks/${id}/failures`, query: { event: search.event, ...range } }} />
            )}
          </>
        }
        read={read}
        none={
          <Empty title={isFiltered ? catalog.notFound : t.noAttempts}>{!isFiltered && <p>{t.noAttemptsText}</p>}</Empty>
        }
        keyOf={(delivery) => delivery.id}
        pages="cursor"
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
          numberColumn(format)('sequence', common.journal, ({ sequence }) => sequence, {
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
          timeColumn('sent', t.sentAt, ({ sentAt }) => sentAt, { as: 'second' }),
        ]}
      />
      <Dialog
        title={t.delivery}
        place="side"
        isOpen={search.delivery !== undefined}
        onClose={() => choose({ delivery: undefined })}
      >
        {search.delivery !== undefined && <DeliveryView webhookId={id} deliveryId={search.delivery} />}
      </Dialog>
    </>
  )
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
