import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrderPage, Sales, SalesRow } from '@tillgate/client'
import { Problem } from '../../api/problem.ts'
import { send, type Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { saveText, type FileCell } from '../../parts/csv.ts'
import { Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { daysOf, instantsOf, RangeChoice } from '../../parts/range.tsx'
import { Failure } from '../../parts/states.tsx'
import { FileButtons } from '../../parts/table-file.tsx'
import { elementsOf } from './differences.ts'

/** The figures of a day, in the order in which they add up. */
const figures = [
  'orders', 'guests', 'items', 'listInclTax', 'discounts', 'salesInclTax', 'tax', 'salesExclTax', 'tips', 'refunds',
] as const // prettier-ignore

const isCount = (figure: (typeof figures)[number]) => figure === 'orders' || figure === 'guests' || figure === 'items'

/** Files for the accountant: the sales of each day as a table, and the stored orders, one per line. */
export function Exports() {
  const { integrity: t, sales: salesTexts } = useT()
  const format = useFormat()
  const location = useLocationId()
  const search = useSearch({ from: '/integrity' })
  const days = daysOf(search, format, 'lastMonth')
  const [done, setDone] = useState<string | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const name = `${days.since}-${days.until}`
  const guard = async (make: () => Promise<void>) => {
    setProblem(null)
    try {
      await make()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
    }
    setDone(null)
  }
  const sales = async (): Promise<FileCell[][]> => {
    const call: Call = { path: '/v1/sales/', query: { ...days, by: 'day' } }
    const { data } = (await send<Sales>(call, { location })).data
    const valueOf = (row: SalesRow, figure: (typeof figures)[number]) =>
      isCount(figure) ? row[figure] : format.major(row[figure])
    return [
      [salesTexts.parts.day, ...figures.map((figure) => salesTexts.figures[figure])],
      ...data.map((row) => [row.period, ...figures.map((figure) => valueOf(row, figure))]),
    ]
  }
  const orders = async () => {
    const lines: string[] = []
    for (let index = 0, pages = 1; index < pages; index += 1) {
      const call: Call = { path: '/v1/orders/', query: { ...instantsOf(days, format), size: 100, index } }
      const { data, text } = await send<OrderPage>(call, { location })
      pages = data.meta.totalPage
      lines.push(...elementsOf(text))
      setDone(t.page(format.number(index + 1), format.number(pages)))
    }
    saveText(`orders-${name}.ndjson`, lines.map((line) => `${line}\n`).join(''), 'application/x-ndjson')
  }
  return (
    <Box title={t.exports}>
      <Filters>
        <RangeChoice search={search} fallback="lastMonth" />
      </Filters>
      <p>
        <Button disabled={done !== null} onClick={() => void guard(orders)}>
          {done ?? t.exportOrders}
        </Button>
      </p>
      <p className="muted">{t.exportText}</p>
      <p>{t.exportSales}</p>
      <p className="row">
        <FileButtons name={`sales-${name}`} rows={sales} />
      </p>
      {problem !== null && <Failure problem={problem} retry={() => setProblem(null)} />}
    </Box>
  )
}
