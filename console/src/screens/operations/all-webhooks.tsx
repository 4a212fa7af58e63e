import type { AdminWebhook } from '@tillgate/client'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Choose, Filters } from '../../parts/filters.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Called, Foreign, Time } from '../../parts/text.tsx'
import { StateMark } from '../../parts/webhook-state.tsx'
import { More } from '../../parts/more.tsx'
import { usePlaces } from './names.tsx'
import type { Page as List } from './shapes.ts'

const api = getRouteApi('/ops/webhooks')

export function AllWebhooks() {
  const { ops: t, webhooks, screens, common } = useT()
  const format = useFormat()
  const navigate = useNavigate({ from: '/ops/webhooks' })
  const { state, cursor } = api.useSearch()
  const call: Call = { path: '/v1/admin/webhooks/', query: { state, cursor } }
  const read = useApi<List<AdminWebhook>>(call, { everyMs: 15_000 })
  const allRows = useAllRows<AdminWebhook>(call)
  const placeOf = usePlaces((read.data?.data.data ?? []).map(({ locationId }) => locationId))
  return (
    <Page title={screens.allWebhooks} call={call}>
      <Filters>
        <Choose
          label={webhooks.state}
          value={state ?? 'all'}
          choices={[
            ['all', common.all],
            ['enabled', webhooks.states.enabled],
            ['failing', webhooks.states.failing],
            ['disabled', webhooks.states.disabled],
          ]}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, cursor: undefined, state: value === 'all' ? undefined : value }),
            })
          }
        />
      </Filters>
      <Box flush>
        <Async read={read} rows={8}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <Empty title={webhooks.none} />
            ) : (
              <>
                <Table<AdminWebhook>
                  caption={screens.allWebhooks}
                  rows={data}
                  keyOf={({ id }) => id}
                  toRecords={asAnswered}
                  allRows={allRows}
                  columns={[
                    {
                      key: 'url',
                      head: 'URL',
                      cell: ({ id, endpointUrl, locationId }) => (
                        <Link to="/webhooks/$id" params={{ id }} search={{ location: locationId } as never}>
                          <Foreign text={endpointUrl} />
                        </Link>
                      ),
                    },
                    {
                      key: 'location',
                      head: t.location,
                      isExtra: true,
                      cell: ({ locationId }) => <Called id={locationId} name={placeOf(locationId)} />,
                    },
                    { key: 'state', head: webhooks.state, cell: ({ state: one }) => <StateMark state={one} /> },
                    {
                      key: 'behind',
                      head: webhooks.behind,
                      isNumber: true,
                      cell: ({ behind, setAside }) => (
                        <>
                          {format.number(behind)}
                          {setAside > 0 && <div className="muted">{webhooks.asideCount(format.number(setAside))}</div>}
                        </>
                      ),
                    },
                    {
                      key: 'since',
                      head: webhooks.failingSince,
                      isExtra: true,
                      cell: ({ failingSince }) => <Time at={failingSince} as="ago" />,
                    },
                  ]}
                />
                <More cursor={cursor} next={meta.next} />
              </>
            )
          }
        </Async>
      </Box>
    </Page>
  )
}
