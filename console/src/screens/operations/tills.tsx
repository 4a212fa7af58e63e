import type { DeviceList, DeviceState } from '@tillgate/client'
import { Link } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { numberRanges } from '../../format/number-ranges.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Id, Mark, Time } from '../../parts/text.tsx'

function Name({ deviceId, deviceName }: DeviceState) {
  const name = deviceName === null ? <Id id={deviceId ?? '–'} /> : <Foreign text={deviceName} />
  if (deviceId === null) return name
  return (
    <Link to="/orders" search={{ device: deviceId }}>
      {name}
    </Link>
  )
}

/** Whether a till is connected, in one word. */
function Hearing({ state, silentSince }: DeviceState) {
  const { ops: t } = useT()
  const format = useFormat()
  if (silentSince !== null) return <Mark tone="warn">{t.silentFor(format.ago(silentSince))}</Mark>
  if (state === 'retired') return <Mark>{t.retired}</Mark>
  return state === 'idle' ? <Mark>{t.idle}</Mark> : <Mark tone="good">{t.heard}</Mark>
}

/** The time until which all of a till's data has arrived, its source, and what is missing. */
function Complete({ completeUntil, basis, missingOrders, missingReports }: DeviceState) {
  const { ops: t } = useT()
  return (
    <>
      <Time at={completeUntil} as="recent" /> {basis !== null && <span className="muted">{t.basis[basis]}</span>}
      {missingOrders > 0 && <Mark tone="warn">{t.missingOrders(missingOrders)}</Mark>}
      {missingReports.length > 0 && <Mark tone="warn">{t.missingReports(numberRanges(missingReports))}</Mark>}
    </>
  )
}

/** Each till of the location: whether it is connected, until when its data is complete, how late its orders arrive. */
export function Tills() {
  const { ops: t, reports, screens } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/devices/' }
  const read = useApi<DeviceList>(call, { everyMs: 15_000 })
  return (
    <Page title={screens.tills} intro={t.tillsIntro} call={call}>
      <Box flush>
        <Async read={read} rows={6}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title={t.noTills} />
            ) : (
              <Table<DeviceState>
                caption={screens.tills}
                rows={data}
                keyOf={({ deviceId, deviceName }) => deviceId ?? deviceName ?? ''}
                toRecords={asAnswered}
                columns={[
                  {
                    key: 'name',
                    head: t.name,
                    cell: (device) => (
                      <>
                        <Name {...device} />
                        <div>
                          <Hearing {...device} />
                        </div>
                      </>
                    ),
                  },
                  {
                    key: 'order',
                    head: t.lastOrder,
                    cell: ({ lastOrder }) =>
                      lastOrder && (
                        <>
                          <Link to="/orders/$id" params={{ id: lastOrder.id }}>
                            <Foreign text={lastOrder.orderNumber} />
                          </Link>
                          <div>
                            <Time at={lastOrder.openedAt} as="recent" />
                          </div>
                        </>
                      ),
                  },
                  {
                    key: 'accepted',
                    head: t.lastPush,
                    isExtra: true,
                    cell: ({ lastAcceptedAt }) => <Time at={lastAcceptedAt} as="ago" />,
                  },
                  { key: 'complete', head: t.completeUntil, cell: (device) => <Complete {...device} /> },
                  {
                    key: 'report',
                    head: t.lastReport,
                    isExtra: true,
                    cell: ({ lastReport }) =>
                      lastReport && (
                        <>
                          {reports.zNumber(lastReport.reportNumber)}
                          <div>
                            <Time at={lastReport.finalizedAt} as="recent" />
                          </div>
                        </>
                      ),
                  },
                  {
                    key: 'orders',
                    head: t.ordersToday,
                    isNumber: true,
                    cell: ({ ordersToday, openOrders }) => (
                      <>
                        {format.number(ordersToday)}
                        {openOrders > 0 && <div className="muted">{t.openOf(format.number(openOrders))}</div>}
                      </>
                    ),
                  },
                  {
                    key: 'delay',
                    head: t.medianDelay,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ medianDelayMs, clockAheadMs }) => (
                      <>
                        {medianDelayMs === null ? '–' : format.duration(medianDelayMs)}
                        {clockAheadMs !== null && clockAheadMs > 0 && (
                          <div className="muted">{t.clockAheadBy(format.duration(clockAheadMs))}</div>
                        )}
                      </>
                    ),
                  },
                  {
                    key: 'rejected',
                    head: t.rejected24h,
                    isNumber: true,
                    isExtra: true,
                    cell: ({ rejected24h, staleShare24h }) => (
                      <>
                        {format.number(rejected24h)}
                        {staleShare24h !== null && staleShare24h > 0 && (
                          <div className="muted">{t.staleShare(format.percent(staleShare24h))}</div>
                        )}
                      </>
                    ),
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
