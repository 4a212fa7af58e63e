import type { ReportCheck as Check, ReportCheckPage as CheckPage } from '@tillgate/client'
import { useSearch, Link } from '@tanstack/react-router'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Filters, Pager, Filter } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { totalOf, textColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Mark, Time } from '../../parts/text.tsx'
import { useDays } from '../../parts/day-alerts.tsx'
import { VerdictMark } from './verdict.tsx'
import { useChange } from '../../parts/use-change.ts'

type Gap = { device: string; from: number; to: number; after: string; nextId: string; nextDay: string }

type Row = { kind: 'report'; check: Check } | { kind: 'gap'; gap: Gap }

type Meta = Pick<CheckPage['meta'], 'missingReports' | 'since' | 'until'>

/** Returns the numbers that are missing between two reports of one till, newest first. */
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
 * Returns the reports, newest first, each above the numbers missing just before it. Gaps beyond the range are at the ends.
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

const verdicts = ['balanced', 'unbalanced', 'waiting'] as const

const checkOf = (row: Row) => (row.kind === 'report' ? row.check : undefined)

const keyOf = (row: Row) => (row.kind === 'report' ? row.check.reportId : `gap ${row.gap.nextId}`)

export function Reports() {
  const { reports: t, catalog, screens, common } = useT()
  const format = useFormat()
  const search = useSearch({ from: '/z' })
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
  const change = useChange({ page: undefined })
  return (
    <Page title={screens.reports} intro={t.intro} call={call}>
      <Filters>
        <RangeChoice search={search} fallback="28d" />
        <Filter
          label={t.verdict}
          value={search.verdict}
          choices={t.verdicts}
          onChange={(verdict) => change({ verdict })}
        />
      </Filters>
      <Async read={read} rows={10}>
        {({ data, meta }) => {
          const rows = toRows(data, meta, { isFirst: page === 0, isLast: page + 1 >= meta.totalPage })
          return (
            <>
              {isLoading && <span data-loading hidden />}
              <Figures>
                {verdicts.map((one) => (
                  <FigureOf key={one} name={t.verdicts[one]} value={format.number(meta.verdicts[one])} />
                ))}
                <FigureOf
                  name={t.missingZ}
                  value={`${format.number(meta.missingReports.length)}${meta.missingReports.length < 100 ? '' : '+'}`}
                />
                <FigureOf name={t.rewritten} value={format.number(isKnown ? revisions.length : null)} />
              </Figures>
              {rows.length === 0 ? (
                <Empty title={search.verdict === undefined ? t.none : catalog.notFound}>
                  {search.verdict === undefined && <p>{t.noneText}</p>}
                </Empty>
              ) : (
                <Box flush>
                  <Table<Row>
                    caption={screens.reports}
                    fileName={`${screens.reports}-${days.since}-${days.until}`}
                    allRows={Object.assign(
                      async () => toRows(await allChecks(), meta, { isFirst: true, isLast: true }),
                      { key: allChecks.key },
                    )}
                    id="reports"
                    rows={rows}
                    keyOf={keyOf}
                    pager={<Pager page={page} pages={meta.totalPage} />}
                    columns={[
                      {
                        key: 'number',
                        head: common.number,
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
                      textColumn(
                        'till',
                        common.till,
                        (row) => (row.kind === 'gap' ? row.gap.device : row.check.deviceName),
                        { isExtra: true, isOneWord: true },
                      ),
                      {
                        key: 'day',
                        head: t.day,
                        isOneWord: true,
                        cell: (row) =>
                          row.kind === 'gap' ? t.after(format.day(row.gap.after)) : format.day(row.check.businessDay),
                        file: (row) => checkOf(row)?.businessDay ?? null,
                      },
                      {
                        key: 'finalized',
                        head: common.closed,
                        isExtra: true,
                        cell: (row) => row.kind === 'report' && <Time at={row.check.finalizedAt} as="recent" />,
                        file: (row) => format.local(checkOf(row)?.finalizedAt ?? null),
                      },
                      {
                        key: 'orders',
                        head: common.orders,
                        isNumber: true,
                        isExtra: true,
                        cell: (row) => row.kind === 'report' && format.number(row.check.orders.counted),
                        file: (row) => checkOf(row)?.orders.counted ?? null,
                      },
                      {
                        key: 'sales',
                        head: common.salesInclTax,
                        isNumber: true,
                        cell: (row) => row.kind === 'report' && format.money(row.check.totalSales),
                        total: totalOf((row) => checkOf(row)?.totalSales, format.money),
                        file: (row) => format.major(checkOf(row)?.totalSales ?? null),
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
