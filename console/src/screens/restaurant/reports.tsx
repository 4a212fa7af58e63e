import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Choose, Filters, Pager } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark, Time } from '../../parts/text.tsx'
import type { Check, CheckPage } from './checks.ts'
import { useDays } from './day-alerts.tsx'
import { VerdictMark } from './verdict.tsx'

const api = getRouteApi('/z')

type Row = { kind: 'report'; check: Check } | { kind: 'gap'; device: string; from: number; to: number; day: string }

/** The reports with the numbers that are missing between two of one till, newest first. */
function withGaps(checks: readonly Check[]): Row[] {
  const rows: Row[] = []
  const newer = new Map<string, number>()
  for (const check of checks) {
    const { deviceName: device, reportNumber, businessDay: day } = check
    const [from, to] = [reportNumber + 1, (newer.get(device) ?? 0) - 1]
    if (to >= from) rows.push({ kind: 'gap', device, from, to, day })
    newer.set(check.deviceName, check.reportNumber)
    rows.push({ kind: 'report', check })
  }
  return rows
}

const keyOf = (row: Row) => (row.kind === 'report' ? row.check.reportId : `${row.device}${row.from}`)

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
  const { days: known, revisions, isLoading, isKnown } = useDays(days)
  const passedOver = known.flatMap((day) => day.missingReports)
  const missing = new Set(passedOver.map(({ deviceName, reportNumber }) => `${deviceName} ${reportNumber}`))
  const changeOf = (date: string) => revisions.find((revision) => revision.date === date)
  const toRows = (checks: readonly Check[]): Row[] =>
    search.verdict === undefined ? withGaps(checks) : checks.map((check) => ({ kind: 'report', check }))
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
        {({ data, meta }) => (
          <>
            {isLoading && <span data-loading hidden />}
            <Figures>
              <FigureOf name={t.verdicts.balanced} value={format.number(meta.verdicts.balanced)} />
              <FigureOf name={t.verdicts.unbalanced} value={format.number(meta.verdicts.unbalanced)} />
              <FigureOf name={t.verdicts.waiting} value={format.number(meta.verdicts.waiting)} />
              <FigureOf name={t.missingZ} value={format.number(isKnown ? missing.size : null)} />
              <FigureOf name={t.rewritten} value={format.number(isKnown ? revisions.length : null)} />
            </Figures>
            {data.length === 0 ? (
              <Empty title={t.none}>
                <p>{t.noneText}</p>
              </Empty>
            ) : (
              <Box flush>
                <Table<Row>
                  caption={screens.reports}
                  fileName={`${screens.reports}-${days.since}-${days.until}`}
                  allRows={async () => toRows(await allChecks())}
                  rows={toRows(data)}
                  keyOf={keyOf}
                  columns={[
                    {
                      key: 'number',
                      head: t.number,
                      cell: (row) =>
                        row.kind === 'gap' ? (
                          <Mark tone="warn">{row.from === row.to ? t.gapOne(row.from) : t.gap(row.from, row.to)}</Mark>
                        ) : (
                          <Link to="/z/$id" params={{ id: row.check.reportId }}>
                            Z {row.check.reportNumber}
                          </Link>
                        ),
                      file: (row) => {
                        if (row.kind === 'report') return row.check.reportNumber
                        return row.from === row.to ? t.gapOne(row.from) : t.gap(row.from, row.to)
                      },
                    },
                    {
                      key: 'till',
                      head: t.till,
                      isExtra: true,
                      cell: (row) => <Foreign text={row.kind === 'gap' ? row.device : row.check.deviceName} />,
                      file: (row) => (row.kind === 'gap' ? row.device : row.check.deviceName),
                    },
                    {
                      key: 'day',
                      head: t.day,
                      cell: (row) =>
                        row.kind === 'gap' ? t.after(format.day(row.day)) : format.day(row.check.businessDay),
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
                <Pager
                  page={page}
                  pages={meta.totalPage}
                  onChange={(next) => void navigate({ search: (before) => ({ ...before, page: String(next) }) })}
                />
              </Box>
            )}
          </>
        )}
      </Async>
    </Page>
  )
}
