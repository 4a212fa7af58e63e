import { useSearch, useParams, Link } from '@tanstack/react-router'
import type { Reconciliation, Report } from '@tillgate/client'
import { useState } from 'react'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays, businessDayOf } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Ask, Filters, Filter } from '../../parts/filters.tsx'
import { Json } from '../../parts/json.tsx'
import { Box, Columns, Fact, Facts, Notice, Page } from '../../parts/page.tsx'
import { Async, Failure } from '../../parts/states.tsx'
import { Drawer } from './drawer.tsx'
import { OrderName, useOrderNumbers } from '../../parts/order-names.tsx'
import { ChangedAfterReport } from '../../parts/changed-orders.tsx'
import { useDays } from '../../parts/day-alerts.tsx'
import { Proof } from './proof.tsx'
import { useHistory, Versions } from './versions.tsx'
import styles from './report.module.css'
import { useChange } from '../../parts/use-change.ts'

type Orders = Reconciliation['orders']

const kinds = ['counted', 'missing', 'open', 'extra', 'elsewhere', 'canceled', 'training'] as const

const shownAtMost = 40

/** Kinds of orders that need no attention. */
const closed = ['counted', 'canceled', 'training'] as const

function OrdersByKind({ orders, reportId }: { orders: Orders; reportId: string }) {
  const { reports: t } = useT()
  const [isOpened, setOpened] = useState(false)
  const hasDifferences = kinds.some((kind) => !(closed as readonly string[]).includes(kind) && orders[kind].length > 0)
  const numbers = useOrderNumbers(reportId, isOpened || hasDifferences)
  return (
    <div className={styles.kinds}>
      {kinds
        .filter((kind) => orders[kind].length > 0)
        .map((kind) => (
          <details
            key={kind}
            open={!(closed as readonly string[]).includes(kind)}
            onToggle={(event) => event.currentTarget.open && setOpened(true)}
          >
            <summary>
              {t.kinds[kind]} · {orders[kind].length}
            </summary>
            <p className="muted">{t.kindHelp[kind]}</p>
            <ul className={styles.ids}>
              {orders[kind].slice(0, shownAtMost).map((id) => (
                <li key={id}>
                  <OrderName id={id} numbers={numbers} isMissing={kind === 'missing'} />
                </li>
              ))}
              {orders[kind].length > shownAtMost && (
                <li className="muted">{t.more(orders[kind].length - shownAtMost)}</li>
              )}
            </ul>
          </details>
        ))}
    </div>
  )
}

function Verdict({ reconciliation }: { reconciliation: Reconciliation }) {
  const { reports: t } = useT()
  const format = useFormat()
  const { orders, differences, balanced } = reconciliation
  const sales = reconciliation.figures.find(({ figure }) => figure === 'sales')
  const awaited = orders.missing.length + orders.open.length
  if (balanced) return <Notice tone="good">{t.isBalanced(orders.counted.length)}</Notice>
  if (awaited > 0) return <Notice tone="warn">{t.isWaiting(awaited)}</Notice>
  return (
    <Notice tone="bad">
      {t.isUnbalanced(
        differences.length,
        sales?.difference ? format.money(sales.difference).replace('-', '\u2011') : null,
      )}
    </Notice>
  )
}

/** A note that the day of a Z was rewritten after its close, the difference, and a link to the day. */
function RewrittenDay({ report }: { report: Report }) {
  const { days: t } = useT()
  const format = useFormat()
  // A report may close an earlier day: the days before it are searched for the report.
  const near = businessDayOf(new Date(report.finalizedAt), format.place)
  const { days, revisions, isLoading } = useDays({ since: addDays(near, -3), until: near })
  const day = days.map((one) => one.day).find(({ reports }) => reports.some(({ reportId }) => reportId === report.id))
  if (isLoading) return <span data-loading hidden />
  if (day?.status !== 'revised') return null
  const revision = revisions.find(({ date }) => date === day.date)
  return (
    <Notice tone="bad">
      <span>
        {t.dayRewritten}{' '}
        <Link to="/days" search={{ day: day.date }}>
          {format.fullDay(day.date)}
        </Link>
        {revision !== undefined && (
          <>
            {revision.revisedAt !== null && <>, {format.dateTime(revision.revisedAt)}</>}{' '}
            <strong data-difference>
              {format.moneyChange(revision.now.salesInclTax - revision.before.salesInclTax)}
            </strong>
          </>
        )}
      </span>
    </Notice>
  )
}

/** A Z report and its proof: its figures and the sums of its orders. */
export function ReportScreen() {
  const { reports: t, sales, common } = useT()
  const { id } = useParams({ from: '/z/$id' })
  const { show, cash, version } = useSearch({ from: '/z/$id' })
  const call: Call = { path: `/v1/reports/${id}` }
  const proofCall: Call = { path: `/v1/reports/${id}/reconciliation`, query: { cash } }
  const read = useApi<Report>(call)
  const proof = useApi<Reconciliation>(proofCall)
  const change = useChange()
  const history = useHistory<Report>(`/v1/reports/${id}`)
  const chosen = history.entries.find(({ sequence }) => String(sequence) === version)
  const latest = history.entries.at(-1)
  const number = read.data?.data.reportNumber
  // An unknown report: only the message, without actions.
  if (read.data === undefined && read.error !== null) {
    return (
      <Page title={sales.parts.report} call={call}>
        <Failure problem={read.error} retry={() => void read.refetch()} />
      </Page>
    )
  }
  return (
    <Page
      title={number === undefined ? sales.parts.report : t.zNumber(number)}
      call={proofCall}
      actions={
        <>
          <Button onClick={() => window.print()}>{common.print}</Button>
          <Link to="/orders" search={{ report: id }}>
            {t.itsOrders}
          </Link>
        </>
      }
    >
      <Async read={proof} rows={3}>
        {(reconciliation) => (
          <>
            <Verdict reconciliation={reconciliation} />
            {reconciliation.notStated.length > 0 && (
              <Notice tone="info">
                {t.notStated(reconciliation.notStated.map((section) => t.sections[section]).join(', '))}
              </Notice>
            )}
          </>
        )}
      </Async>
      <ChangedAfterReport id={id} name={number === undefined ? id : t.zNumber(number)} />
      {read.data !== undefined && <RewrittenDay report={read.data.data} />}
      {history.entries.length > 1 && (
        <Notice tone="warn">
          <span>{t.hasVersions(history.entries.length)}</span>
        </Notice>
      )}
      <Async read={read} rows={6}>
        {(report) => (
          <Columns>
            <Box title={common.period}>
              <Facts>
                <Fact name={common.till} text={report.deviceName} />
                <Fact name={common.started} at={report.startedAt} />
                <Fact name={common.closed} at={report.finalizedAt} />
                <Fact name={t.clerk} text={report.clerkName} />
                <Fact name={t.establishment} text={report.reportHeaderInfo.headerName} />
                <Fact name="SIRET" text={report.reportHeaderInfo.headerSiret} />
              </Facts>
            </Box>
            <Drawer report={report} reconciliation={proof.data?.data} />
          </Columns>
        )}
      </Async>
      <Async read={proof} rows={10}>
        {(reconciliation) => (
          <>
            <Box title={t.proof} flush>
              <div className={styles.filters}>
                <Filters>
                  <Filter
                    label={common.show}
                    value={show}
                    all={t.allFigures}
                    choices={{ differences: t.onlyDifferences }}
                    onChange={(value) => change({ show: value })}
                  />
                  <Ask
                    label={t.cashWords}
                    value={cash ?? ''}
                    placeholder={t.cashDefault}
                    onChange={(value) => change({ cash: value })}
                  />
                </Filters>
              </div>
              <Proof reconciliation={reconciliation} onlyDifferences={show === 'differences'} />
            </Box>
            <Box title={common.orders}>
              <OrdersByKind orders={reconciliation.orders} reportId={reconciliation.reportId} />
            </Box>
          </>
        )}
      </Async>
      <Versions
        history={history}
        chosen={chosen?.sequence ?? latest?.sequence ?? null}
        onChoose={(sequence) => change({ version: String(sequence) })}
      />
      <div className={styles.json}>
        <Async read={read} rows={3}>
          {(_, text) => (
            <Box title={common.json} call={call}>
              <Json text={chosen?.text ?? text} label={common.json} />
            </Box>
          )}
        </Async>
      </div>
    </Page>
  )
}
