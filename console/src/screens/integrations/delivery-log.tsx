import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Delivery, DeliveryPage, EventTypeDescription } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { offers } from '../../api/offers.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Ask, Choose, Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { instantsOf } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { DeliveryView } from './delivery.tsx'
import { OutcomeMark } from './state.tsx'

const api = getRouteApi('/webhooks/$id')

const hasDetails = offers('/v1/webhooks/{id}/deliveries/{deliveryId}')

/** Failures with the same cause, most frequent first: what to look at before single attempts. */
function groupFailures(deliveries: readonly Delivery[]) {
  const groups = new Map<string, { name: string; status: number; count: number; first: Delivery }>()
  for (const delivery of deliveries.filter(({ success }) => !success)) {
    const name = `${delivery.errorClass ?? 'http'} ${delivery.status === 0 ? '' : delivery.status}`.trim()
    const group = groups.get(name) ?? { name, status: delivery.status, count: 0, first: delivery }
    group.count += 1
    groups.set(name, group)
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count)
}

export function DeliveryLog({ id }: { id: string }) {
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
  const types = useApi<EventTypeDescription[]>({ path: '/v1/webhooks/event-types/' }, { isStill: true }).data?.data
  // What the address asks for is among them, whatever it is.
  const names = [...new Set([...(types ?? []).map(({ name }) => name), ...(search.event ?? '').split(' ')])].filter(
    Boolean,
  )
  const change = (values: object) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...values }) })
  return (
    <Box title={t.log} call={call} flush aside={<span className="muted">{t.retention}</span>}>
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
      <Async read={read}>
        {({ data, meta }) => (
          <>
            <Failures deliveries={data} />
            {data.length === 0 ? (
              <Empty title={t.noAttempts}>
                <p>{t.noAttemptsText}</p>
              </Empty>
            ) : (
              <Table<Delivery>
                caption={t.log}
                rows={data}
                keyOf={(delivery) => delivery.id}
                isChosen={(delivery) => delivery.id === search.delivery}
                columns={[
                  {
                    key: 'event',
                    head: t.event,
                    cell: (delivery) =>
                      !hasDetails ? (
                        delivery.event
                      ) : (
                        <Link to="." search={(before: object) => ({ ...before, delivery: delivery.id })}>
                          {delivery.event}
                        </Link>
                      ),
                  },
                  { key: 'outcome', head: t.outcome, cell: (delivery) => <OutcomeMark delivery={delivery} /> },
                  { key: 'attempt', head: t.attempt, isNumber: true, isExtra: true, cell: ({ attempt }) => attempt },
                  {
                    key: 'sequence',
                    head: t.journal,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ sequence }) => format.number(sequence),
                  },
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

function Failures({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { webhooks: t } = useT()
  const groups = groupFailures(deliveries)
  if (groups.length === 0) return null
  return (
    <ul style={{ paddingInline: '1rem', display: 'grid', gap: '0.3rem' }} aria-label={t.failureGroups}>
      {groups.map(({ name, count, first }) => (
        <li key={name}>
          <Mark tone="bad">{`${count} × ${name}`}</Mark> <Foreign text={first.message} />{' '}
          <Link to="." search={(before: object) => ({ ...before, delivery: first.id })}>
            {t.show}
          </Link>
          {first.errorClass !== null && <div className="muted">{t.causes[first.errorClass]}</div>}
        </li>
      ))}
    </ul>
  )
}
