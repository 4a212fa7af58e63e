import type { AdminLocation } from '@tillgate/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import { EditLocationDialog, NewLocationDialog } from './location-dialog.tsx'
import { More } from '../../parts/more.tsx'
import type { Page as List } from './shapes.ts'

const api = getRouteApi('/ops/locations')

/** Since when rejected records are counted. */
const dayAgo = () => new Date(Date.now() - 86_400_000).toISOString()

export function Locations() {
  const { ops: t, screens, common } = useT()
  const format = useFormat()
  const navigate = useNavigate({ from: '/ops/locations' })
  const { cursor, dialog, id } = api.useSearch()
  const call: Call = { path: '/v1/admin/locations/', query: { cursor } }
  const read = useApi<List<AdminLocation>>(call, { everyMs: 15_000 })
  const allRows = useAllRows<AdminLocation>(call)
  const change = (values: object) => void navigate({ search: (before) => ({ ...before, ...values }) })
  const close = () => change({ dialog: undefined, id: undefined })
  return (
    <Page
      title={screens.locations}
      call={call}
      actions={
        <Button kind="primary" onClick={() => change({ dialog: 'new' })}>
          {t.makeLocation}
        </Button>
      }
    >
      <Box flush>
        <Async read={read} rows={8}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={t.noLocations} />
            ) : (
              <>
                <Table<AdminLocation>
                  caption={screens.locations}
                  rows={data}
                  keyOf={(location) => location.id}
                  allRows={allRows}
                  toRecords={({ today, ...location }) => [
                    {
                      ...asAnswered(location)[0],
                      'today.businessDay': today?.businessDay ?? null,
                      'today.orders': today?.orders ?? null,
                      'today.salesInclTax': today && format.majorIn(today.salesInclTax, location.currency),
                    },
                  ]}
                  columns={[
                    {
                      key: 'name',
                      head: t.name,
                      cell: ({ id: location, name, city, deactivatedAt, timeZone, currency, dayStartsAt }) => (
                        <>
                          <Link to="/today" search={{ location } as never}>
                            <Foreign text={name} />
                          </Link>
                          <div className="muted">
                            <Foreign text={city} /> {deactivatedAt !== null && <Mark tone="warn">{t.deactivated}</Mark>}
                          </div>
                          <div className="muted">{`${timeZone} · ${currency} · ${dayStartsAt}`}</div>
                        </>
                      ),
                    },
                    {
                      key: 'push',
                      head: t.lastPush,
                      cell: ({ lastAcceptedAt, lastOrderAt }) => (
                        <>
                          <Time at={lastAcceptedAt} as="ago" />
                          {lastOrderAt !== null && (
                            <div className="muted">
                              {common.named(t.lastOrder, '')}
                              <Time at={lastOrderAt} as="recent" />
                            </div>
                          )}
                        </>
                      ),
                    },
                    {
                      key: 'sales',
                      head: t.salesToday,
                      isNumber: true,
                      cell: ({ today, currency }) =>
                        today === null ? (
                          '–'
                        ) : (
                          <>
                            {format.moneyIn(today.salesInclTax, currency)}
                            <div className="muted">{t.orderCount(today.orders)}</div>
                          </>
                        ),
                    },
                    {
                      key: 'open',
                      head: t.openOrders,
                      isNumber: true,
                      isExtra: true,
                      cell: ({ openOrders }) => format.number(openOrders),
                    },
                    {
                      key: 'head',
                      head: t.journal,
                      isNumber: true,
                      isExtra: true,
                      cell: ({ sequence }) => format.number(sequence),
                    },
                    {
                      key: 'rejected',
                      head: t.rejected24h,
                      isNumber: true,
                      isExtra: true,
                      cell: ({ id: location, rejected24h }) =>
                        rejected24h === 0 ? (
                          '0'
                        ) : (
                          <Link to="/ops/rejected" search={{ location, only: 'yes', since: dayAgo() } as never}>
                            {format.number(rejected24h)}
                          </Link>
                        ),
                    },
                    {
                      key: 'webhooks',
                      head: t.webhooks,
                      isExtra: true,
                      cell: ({ webhooks }) => `${webhooks.enabled} / ${webhooks.failing} / ${webhooks.disabled}`,
                    },
                    {
                      key: 'edit',
                      head: <span className="hidden">{t.edit}</span>,
                      cell: (location) => (
                        <Button kind="quiet" onClick={() => change({ dialog: 'edit', id: location.id })}>
                          {t.edit}
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
      {dialog === 'new' && <NewLocationDialog onClose={close} />}
      {dialog === 'edit' && id !== undefined && <EditLocationDialog id={id} onClose={close} />}
    </Page>
  )
}
