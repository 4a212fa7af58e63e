import type { Deductions, Sales } from '@tillgate/client'
import { useApi } from '../../api/use-api.ts'
import { businessDayOf } from '../../format/format.ts'
import { useT } from '../../i18n/language.tsx'
import { daysOfMonth, monthAfter } from '../../parts/months.tsx'
import { Box } from '../../parts/page.tsx'
import { useFormat } from '../../parts/place.tsx'
import type { Days } from '../../parts/range.tsx'
import { moneyColumn, type Column } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'

export const deductionKinds = ['orderCanceled', 'itemCanceled', 'loss', 'discount'] as const

type Row = { name: string; days: Days; deductions: Deductions | undefined; sales: number | null | undefined }

/** Returns the deductions and the sales of a month up to today. */
function useMonth(month: string, today: string): Row {
  const format = useFormat()
  const days = daysOfMonth(month, today)
  const deductions = useApi<Deductions>({ path: '/v1/deductions/', query: days }).data?.data
  const sales = useApi<Sales>({ path: '/v1/sales/', query: { ...days, by: 'total' } }).data?.data.totals.salesInclTax
  return { name: format.month(month), days, deductions, sales }
}

/** The deductions in the month of a day and in the two months before, each as a share of the sales. */
export function DeductionMonths({ until }: { until: string }) {
  const { deductions: t, sales } = useT()
  const format = useFormat()
  const month = until.slice(0, 7)
  const today = businessDayOf(new Date(), format.place)
  const before = monthAfter(month, -1)
  const rows = [useMonth(month, today), useMonth(before, today), useMonth(monthAfter(before, -1), today)]
  const takenOff = ({ deductions }: Row) =>
    deductions && deductionKinds.reduce((sum, kind) => sum + deductions.totals[kind].amount, 0)
  const share = (row: Row) => {
    const off = takenOff(row)
    return off === undefined || !row.sales || row.sales <= 0 ? null : off / row.sales
  }
  return (
    <Box title={t.months} flush>
      <Table<Row>
        caption={t.months}
        rows={rows}
        keyOf={({ days }) => days.since}
        columns={[
          {
            key: 'month',
            head: sales.parts.month,
            cell: ({ name }) => name,
            file: ({ days }) => days.since.slice(0, 7),
          },
          moneyColumn(format)('sold', sales.figures.salesInclTax, (row) => row.sales, { isExtra: true }),
          {
            key: 'share',
            head: t.shareOfAll,
            isNumber: true,
            cell: (row) => format.percent(share(row)),
            file: share,
          },
          ...deductionKinds.map((kind): Column<Row> =>
            moneyColumn(format)<Row>(kind, t.kinds[kind], ({ deductions }) => deductions?.totals[kind].amount),
          ),
        ]}
      />
    </Box>
  )
}
