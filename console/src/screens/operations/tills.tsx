import { Link } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Id, Mark, Time } from '../../parts/text.tsx'
import type { DeviceEntry } from './shapes.ts'

/** Each till of the location: when it was heard, how much it sold, how late its orders come. */
export function Tills() {
  const { ops: t, screens } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/devices/' }
  const read = useApi<{ data: DeviceEntry[] }>(call, { everyMs: 15_000 })
  return (
    <Page title={screens.tills} intro={t.tillsIntro} call={call}>
      <Box flush>
        <Async read={read} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.noTills} />
            ) : (
              <Table<DeviceEntry>
                caption={screens.tills}
                rows={data}
                keyOf={({ deviceId }) => deviceId}
                columns={[
                  {
                    key: 'name',
                    head: t.name,
                    cell: ({ deviceId, name }) => (
                      <Link to="/orders" search={{ device: deviceId }}>
                        {name === null ? <Id id={deviceId} /> : <Foreign text={name} />}
                      </Link>
                    ),
                  },
                  {
                    key: 'silent',
                    head: t.state,
                    cell: ({ silentSince }) =>
                      silentSince === null ? (
                        <Mark tone="good">{t.heard}</Mark>
                      ) : (
                        <Mark tone="warn">{t.silentFor(format.ago(silentSince))}</Mark>
                      ),
                  },
                  { key: 'order', head: t.lastOrder, cell: ({ lastOrderAt }) => <Time at={lastOrderAt} /> },
                  {
                    key: 'accepted',
                    head: t.lastPush,
                    isExtra: true,
                    cell: ({ lastAcceptedAt }) => <Time at={lastAcceptedAt} as="ago" />,
                  },
                  {
                    key: 'orders',
                    head: t.orders24h,
                    isNumber: true,
                    cell: ({ orders24h }) => format.number(orders24h),
                  },
                  {
                    key: 'delay',
                    head: t.medianDelay,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ medianDelayMs }) => (medianDelayMs === null ? '–' : format.duration(medianDelayMs)),
                  },
                ]}
              />
            )
          }
        </Async>
      </Box>
    </Page>
  )
}
