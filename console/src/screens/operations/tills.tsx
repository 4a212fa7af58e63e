import type { DeviceList, DeviceState } from '@tillgate/client'
import { Link } from '@tanstack/react-router'
import { useApi, type Call } from '../../api/use-api.ts'
import { numberRanges } from '../../format/number-ranges.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Page } from '../../parts/page.tsx'
import { asAnswered } from '../../parts/records.ts'
import { Foreign, Id, Mark, Time } from '../../parts/text.tsx'
import { ListBox } from '../../parts/list-box.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { timeColumn } from '../../parts/columns.tsx'

function Name({ deviceId, deviceName }: DeviceState) {
  const name = deviceName === null ? <Id id={deviceId ?? '–'} /> : <Foreign text={deviceName} />
  if (deviceId === null) return name
  return (
    <Link to="/orders" search={{ device: deviceId }}>
      {name}
    </Link>
  )
}

/** Whether a till is silent, in one word; a till that has closed its day is not silent. */
function Hearing({ state, silentSince }: DeviceState) {
  const { ops: t } = useT()
  const format = useFormat()
  if (silentSince !== null) return <Mark tone="warn">{t.silentFor(format.ago(silentSince))}</Mark>
  if (state === 'retired') return <Mark>{t.retired}</Mark>
  return state === 'idle' ? <Mark>{t.idle}</Mark> : <Mark tone="good">{t.heard}</Mark>
}

/** The time until which all of a till's data has arrived, its source, and what is missing. */
function Complete({ completeUntil, basis, missingOrders, missingReports }: DeviceState) {
  const { ops: t, days } = useT()
  return (
    <>
      <Time at={completeUntil} as="recent" /> {basis !== null && <span className="muted">{t.basis[basis]}</span>}
      {missingOrders > 0 && <Mark tone="warn">{t.missingOrders(missingOrders)}</Mark>}
      {missingReports.length > 0 && <Mark tone="warn">{days.zMissing(numberRanges(missingReports))}</Mark>}
    </>
  )
}

/** Each till of the location: whether it is silent, up to which time its data is complete, how late its orders arrive. */
export function Tills() {
  const { ops: t, reports, screens, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/devices/' }
  const read = useApi<DeviceList>(call, { everyMs: 15_000 })
  return (
    <Page title={screens.tills} intro={t.tillsIntro} call={call}>
      <ListBox<DeviceState, DeviceList>
        caption={screens.tills}
        read={read}
        none={t.noTills}
        keyOf={({ deviceId, deviceName }) => deviceId ?? deviceName ?? ''}
        toRecords={asAnswered}
        columns={[
          {
            key: 'name',
            head: common.name,
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
                <RecordLink kind="order" id={lastOrder.id}>
                  <Foreign text={lastOrder.orderNumber} />
                </RecordLink>
              ),
            note: ({ lastOrder }) => lastOrder && <Time at={lastOrder.openedAt} as="recent" />,
          },
          timeColumn('accepted', t.lastPush, ({ lastAcceptedAt }) => lastAcceptedAt, { as: 'ago', isExtra: true }),
          { key: 'complete', head: t.completeUntil, cell: (device) => <Complete {...device} /> },
          {
            key: 'report',
            head: t.lastReport,
            isExtra: true,
            cell: ({ lastReport }) => lastReport && reports.zNumber(lastReport.reportNumber),
            note: ({ lastReport }) => lastReport && <Time at={lastReport.finalizedAt} as="recent" />,
          },
          {
            key: 'orders',
            head: t.ordersToday,
            isNumber: true,
            cell: ({ ordersToday }) => format.number(ordersToday),
            note: ({ openOrders }) => openOrders > 0 && t.openOf(format.number(openOrders)),
          },
          {
            key: 'delay',
            head: t.medianDelay,
            isNumber: true,
            isExtra: true,
            cell: ({ medianDelayMs }) => format.duration(medianDelayMs),
            note: ({ clockAheadMs: ms }) => ms !== null && ms > 0 && t.clockAheadBy(format.duration(ms)),
          },
          {
            key: 'rejected',
            head: t.rejected24h,
            isNumber: true,
            isExtra: true,
            cell: ({ rejected24h }) => format.number(rejected24h),
            note: ({ staleShare24h: stale }) => stale !== null && stale > 0 && t.staleShare(format.percent(stale)),
          },
        ]}
      />
    </Page>
  )
}
