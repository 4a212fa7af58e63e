import type { Report } from '@tillgate/client'
import { useQuery } from '@tanstack/react-query'
import type { Call } from '../../api/request.ts'
import type { Problem } from '../../api/problem.ts'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Box } from '../../parts/page.tsx'
import { useFormat } from '../../parts/place.tsx'
import { instantsOf, type Days } from '../../parts/range.tsx'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { numberColumn, textColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'

type Row = { till: string; reports: number; openings: number }

/** Counts the reports of each till and its drawer openings without a sale; the most openings come first. */
function rowsOf(reports: readonly Report[]): Row[] {
  const rows = new Map<string, Row>()
  for (const { deviceName: till, reportEntries } of reports) {
    const row = rows.get(till) ?? { till, reports: 0, openings: 0 }
    row.reports += 1
    row.openings += reportEntries.filter(({ entryType }) => entryType === 'no_sale').length
    rows.set(till, row)
  }
  return [...rows.values()].toSorted((a, b) => b.openings - a.openings)
}

/** How often the drawer of each till was opened without a sale, from its Z reports. */
export function DrawerOpenings({ days }: { days: Days }) {
  const { deductions: t, reports, screens, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/reports/', query: instantsOf(days, format) }
  const readAll = useAllRows<Report>(call)
  const read = useQuery<Report[], Problem>({ queryKey: ['drawer', readAll.key], queryFn: () => readAll() })
  return (
    <Box title={t.openings} call={call} flush>
      {read.error !== null && <Failure problem={read.error} retry={() => void read.refetch()} />}
      {read.isLoading && <Loading rows={2} />}
      {read.data?.length === 0 && <Empty title={reports.none} />}
      {read.data !== undefined && read.data.length > 0 && (
        <Table<Row>
          caption={t.openings}
          rows={rowsOf(read.data)}
          keyOf={({ till }) => till}
          columns={[
            textColumn('till', common.till, ({ till }) => till),
            numberColumn(format)('reports', screens.reports, (row) => row.reports, { adds: true }),
            numberColumn(format)('openings', t.openedWithoutSale, (row) => row.openings, { adds: true }),
          ]}
        />
      )}
    </Box>
  )
}
