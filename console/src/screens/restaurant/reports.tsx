import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Choose, Filters, Pager } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table, totalOf } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import type { Check, CheckPage } from './checks.ts'
import { useDays } from '../../parts/day-alerts.tsx'
import { VerdictMark } from './verdict.tsx'

const api = getRouteApi('/z')

type Gap = { device: string; from: number; to: number; after: string; nextId: string; nextDay: string }

type Row = { kind: 'report'; check: Check } | { kind: 'gap'; gap: Gap }

type Meta = Pick<CheckPage['meta'], 'missingReports' | 'since' | 'until'>

/** The numbers that are missing between two reports of one till, newest first. */
function gapsOf({ missingReports }: Meta): Gap[] {
  const gaps = new Map<string, Gap>()
  for (const {
    deviceName: device,
    reportNumber,
    previousDay: after,
    nextReportId: nextId,
    nextDay,
  } of missingReports) {
    const from = gaps.get(nextId)?.from ?? reportNumber
    gaps.set(nextId, { device, from, to: reportNumber, after, nextId, nextDay })
  }
  return [...gaps.values()].toReversed()
}

/**
 * Reports, newest first, each followed by the reports missing before it. Those missing before a report after the range
 * are above, the others below.
 */
function withGaps(
  checks: readonly Check[],
  meta: Meta,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): Row[] {
  const rowsOf = (isHere: (gap: Gap) => boolean): Row[] =>
    gapsOf(meta)
      .filter(isHere)
      .map((gap) => ({ kind: 'gap', gap }))
  return [
    ...(isFirst ? rowsOf(({ nextDay }) => nextDay > meta.until) : []),
    ...checks.flatMap((check): Row[] => [
      { kind: 'report', check },
      ...rowsOf(({ nextId }) => nextId === check.reportId),
    ]),
    ...(isLast ? rowsOf(({ nextDay }) => nextDay < meta.since) : []),
  ]
}

const keyOf = (row: Row) => (row.kind === 'report' ? row.check.reportId : `gap ${row.gap.nextId}`)

export function Reports() {
  const { reports: t, screens, common } = useT()
  const format = useFormat()
  const navigate = useNavigate({ from: '/z' })
  const search = api.useSearch()
  const page = Number(search.page ?? 0)
  const call: Call = {
    path: '/v1/reports/checks/',
    query: { ...daysOf(search, format, '28d'), sort: '-finalizedAt', size: 50, index: page, verdict: search.verdict },
  }
  const read = useApi<CheckPage>(call)
  const days = daysOf(search, format, '28d')
  const allChecks = useAllRows<Check>(call)
  const { revisions, isLoading, isKnown } = useDays(days)
  const changeOf = (date: string) => revisions.find((revision) => revision.date === date)
  const toRows = (checks: readonly Check[], meta: Meta, place: { isFirst: boolean; isLast: boolean }): Row[] =>
    search.verdict === undefined ? withGaps(checks, meta, place) : checks.map((check) => ({ kind: 'report', check }))
  const nameOf = ({ from, to }: Gap) => (from === to ? t.gapOne(from) : t.gap(from, to))
  const change = (values: object) => void navigate({ search: (before) => ({ ...before, page: undefined, ...values }) })
  return (
    <Page title={screens.reports} intro={t.intro} call={call}>
      <Filters>
        <RangeChoice search={search} fallback="28d" />
        <Choose
          label={t.verdict}
          value={search.verdict ?? 'all'}
          choices={[
            ['all', common.all],
            ['balanced', t.verdicts.balanced],
            ['unbalanced', t.verdicts.unbalanced],
            ['waiting', t.verdicts.waiting],
          ]}
          onChange={(verdict) => change({ verdict: verdict === 'all' ? undefined : verdict })}
        />
      </Filters>
      <Async read={read} rows={10}>
        {({ data, meta }) => {
          const rows = toRows(data, meta, { isFirst: page === 0, isLast: page + 1 >= meta.totalPage })
          return (
            <>
              {isLoading && <span data-loading hidden />}
              <Figures>
                <FigureOf name={t.verdicts.balanced} value={format.number(meta.verdicts.balanced)} />
                <FigureOf name={t.verdicts.unbalanced} value={format.number(meta.verdicts.unbalanced)} />
                <FigureOf name={t.verdicts.waiting} value={format.number(meta.verdicts.waiting)} />
                <FigureOf name={t.missingZ} value={format.number(meta.missingReports.length)} />
                <FigureOf name={t.rewritten} value={format.number(isKnown ? revisions.length : null)} />
              </Figures>
              {rows.length === 0 ? (
                <Empty title={t.none}>
                  <p>{t.noneText}</p>
                </Empty>
              ) : (
                <Box flush>
                  <Table<Row>
                    caption={screens.reports}
                    fileName={`${screens.reports}-${days.since}-${days.until}`}
                    allRows={Object.assign(
                      async () => toRows(await allChecks(), meta, { isFirst: true, isLast: true }),
                      {
                        key: allChecks.key,
                      },
                    )}
                    id="reports"
                    rows={rows}
                    keyOf={keyOf}
                    pager={
                      <Pager
                        page={page}
                        pages={meta.totalPage}
                        onChange={(next) => void navigate({ search: (before) => ({ ...before, page: String(next) }) })}
                      />
                    }
                    columns={[
                      {
                        key: 'number',
                        head: t.number,
                        cell: (row) =>
                          row.kind === 'gap' ? (
                            <Mark tone="warn">{nameOf(row.gap)}</Mark>
                          ) : (
                            <Link to="/z/$id" params={{ id: row.check.reportId }}>
                              Z {row.check.reportNumber}
                            </Link>
                          ),
                        file: (row) => (row.kind === 'gap' ? nameOf(row.gap) : row.check.reportNumber),
                      },
                      {
                        key: 'till',
                        head: t.till,
                        isExtra: true,
                        cell: (row) => <Foreign text={row.kind === 'gap' ? row.gap.device : row.check.deviceName} />,
                        file: (row) => (row.kind === 'gap' ? row.gap.device : row.check.deviceName),
                      },
                      {
                        key: 'day',
                        head: t.day,
                        cell: (row) =>
                          row.kind === 'gap' ? t.after(format.day(row.gap.after)) : format.day(row.check.businessDay),
                        file: (row) => (row.kind === 'gap' ? null : row.check.businessDay),
                      },
                      {
                        key: 'finalized',
                        head: t.finalized,
                        isExtra: true,
                        cell: (row) => row.kind === 'report' && <Time at={row.check.finalizedAt} as="recent" />,
                        file: (row) => (row.kind === 'gap' ? null : format.local(row.check.finalizedAt)),
                      },
                      {
                        key: 'orders',
                        head: t.orders,
                        isNumber: true,
                        isExtra: true,
                        cell: (row) => row.kind === 'report' && format.number(row.check.orders.counted),
                        file: (row) => (row.kind === 'gap' ? null : row.check.orders.counted),
                      },
                      {
                        key: 'sales',
                        head: t.sales,
                        isNumber: true,
                        cell: (row) => row.kind === 'report' && format.money(row.check.totalSales),
                        total: totalOf((row) => (row.kind === 'report' ? row.check.totalSales : 0), format.money),
                        file: (row) => (row.kind === 'gap' ? null : format.major(row.check.totalSales)),
                      },
                      {
                        key: 'verdict',
                        head: t.verdict,
                        cell: (row) =>
                          row.kind === 'report' && (
                            <>
                              <VerdictMark check={row.check} />{' '}
                              {changeOf(row.check.businessDay) !== undefined && (
                                <Link to="/days" search={{ day: row.check.businessDay }}>
                                  <Mark tone="bad">{t.rewrittenOne}</Mark>
                                </Link>
                              )}
                            </>
                          ),
                        file: (row) => (row.kind === 'gap' ? null : t[row.check.verdict]),
                      },
                    ]}
                  />
                </Box>
              )}
            </>
          )
        }}
      </Async>
    </Page>
  )
}
