import { Link } from '@tanstack/react-router'
import type { BusinessDay, DayRevision, DayRevisionList } from '@tillgate/client'
import { offers } from '../../api/offers.ts'
import { useApi, type Call } from '../../api/use-api.ts'
import { businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Columns, Fact, Facts, Notice } from '../../parts/page.tsx'
import { Async } from '../../parts/states.tsx'
import { Foreign, Id, legible, Mark } from '../../parts/text.tsx'
import { ChangedAfterReport, ChangedOrders } from '../../parts/changed-orders.tsx'
import { toneOf } from './checks.ts'
import { DayClosing } from './day-closing.tsx'
import { DayProof } from './day-proof.tsx'
import { dayTones, stateOf } from '../../parts/day-state.ts'

/** The figures of a rewritten day when it was complete and now, with the changed tickets. */
function Rewritten({ revision, call }: { revision: DayRevision; call: Call }) {
  const { days: t } = useT()
  const format = useFormat()
  const { before, now, completedAt, revisedAt, orders = [] } = revision
  return (
    <Box title={t.changed} call={call} flush>
      <div style={{ padding: '0 1rem 0.6rem' }}>
        <Notice tone="bad">
          <span>
            {t.wasComplete(format.dateTime(completedAt), format.money(before.salesInclTax))}{' '}
            {revisedAt === null ? t.changedNow : t.changedAt(format.dateTime(revisedAt))}{' '}
            {t.isNow(format.money(now.salesInclTax))}{' '}
            <strong data-difference>{format.moneyChange(now.salesInclTax - before.salesInclTax)}</strong>
          </span>
        </Notice>
      </div>
      {orders.length > 0 && <ChangedOrders orders={orders} name={revision.date} />}
    </Box>
  )
}

/** The missing data of a day, each with its name. */
function Missing({ day, closesDays }: { day: BusinessDay; closesDays: boolean }) {
  const { days: t, today } = useT()
  const { missingReports, orders } = day
  const waitingFor = closesDays ? day.waitingFor : []
  const count = missingReports.length + orders.missing.length + orders.open.length + orders.extra.length
  if (count + orders.unreported + waitingFor.length === 0) return null
  return (
    <Box title={t.missing}>
      <ul>
        {missingReports.map(({ deviceName, reportNumber }) => (
          <li key={`${deviceName}${reportNumber}`}>
            {t.missingZ(reportNumber)} <Foreign text={deviceName} />
          </li>
        ))}
        {waitingFor.map(({ deviceId, deviceName }) => (
          <li key={deviceId}>
            {t.waiting} <Foreign text={deviceName ?? today.unknownTill} />
          </li>
        ))}
        {(['missing', 'open', 'extra'] as const).flatMap((kind) =>
          orders[kind].map((id) => (
            <li key={id}>
              {t.ordersOf[kind]}{' '}
              {kind === 'missing' ? (
                <Id id={id} />
              ) : (
                <Link to="/orders/$id" params={{ id }}>
                  <Id id={id} />
                </Link>
              )}
            </li>
          )),
        )}
        {orders.unreported > 0 && <li>{t.unreported(orders.unreported)}</li>}
      </ul>
    </Box>
  )
}

/** One business day: its figures, its Z reports, what is missing, and what changed after its close. */
export function DayDetail({ date, closesDays }: { date: string; closesDays: boolean }) {
  const { days: t, sales, reports } = useT()
  const format = useFormat()
  const call: Call = { path: `/v1/business-days/${date}` }
  const read = useApi<BusinessDay>(call)
  const isRevised = read.data?.data.status === 'revised'
  const revisedCall: Call = { path: '/v1/business-days/revised', query: { since: date, until: date, orders: 'true' } }
  const revised = useApi<DayRevisionList>(isRevised ? revisedCall : null)
  const [revision] = revised.data?.data.data ?? []
  const today = businessDayOf(new Date(), format.place)
  return (
    <Async read={read} rows={6}>
      {(day) => {
        const state = stateOf(day, today, { closesDays })
        return (
          <>
            <Columns>
              <Box title={format.fullDay(date)} call={call}>
                <p>
                  <Mark tone={dayTones[state]}>{t.states[state]}</Mark>
                </p>
                <p className="muted">{t.stateHelp[state]}</p>
                <Facts>
                  <Fact name={sales.figures.salesInclTax}>
                    <Link to="/sales" search={{ since: date, until: date }}>
                      {format.money(day.sales.salesInclTax)}
                    </Link>
                  </Fact>
                  <Fact name={sales.figures.tax}>{format.money(day.sales.tax)}</Fact>
                  <Fact name={sales.figures.salesExclTax}>{format.money(day.sales.salesExclTax)}</Fact>
                  <Fact name={sales.figures.orders}>{format.number(day.sales.orders)}</Fact>
                </Facts>
              </Box>
              <Box title={t.reports}>
                {day.reports.length === 0 && <p className="muted">{t.noReport}</p>}
                <ul>
                  {day.reports.map(({ reportId, reportNumber, deviceName, verdict }) => (
                    <li key={reportId}>
                      <Link to="/z/$id" params={{ id: reportId }}>
                        {reports.zNumber(reportNumber)}
                      </Link>{' '}
                      <Foreign text={deviceName} /> <Mark tone={toneOf[verdict]}>{reports[verdict]}</Mark>
                    </li>
                  ))}
                </ul>
              </Box>
              {offers('/v1/closings/') && <DayClosing day={day} />}
              <Missing day={day} closesDays={closesDays} />
            </Columns>
            {day.reports.length > 0 && (
              <Box title={reports.proof} flush>
                {day.reports.map(({ reportId, reportNumber, deviceName }) => (
                  <DayProof
                    key={reportId}
                    id={reportId}
                    name={`${reports.zNumber(reportNumber)} · ${legible(deviceName)}`}
                  />
                ))}
              </Box>
            )}
            {isRevised && revision !== undefined && <Rewritten revision={revision} call={revisedCall} />}
            {!isRevised &&
              day.reports
                .filter(({ verdict }) => verdict === 'unbalanced')
                .map(({ reportId, reportNumber }) => (
                  <ChangedAfterReport key={reportId} id={reportId} name={reports.zNumber(reportNumber)} />
                ))}
          </>
        )
      }}
    </Async>
  )
}
