import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { OrderPage } from '@tillgate/client'
import { Problem } from '../../api/problem.ts'
import { readCsv, send, type Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { saveText } from '../../parts/csv.ts'
import { Filters } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { daysOf, instantsOf, RangeChoice } from '../../parts/range.tsx'
import { Failure } from '../../parts/states.tsx'
import { elementsOf } from './differences.ts'

const api = getRouteApi('/integrity')

/** Files for the accountant: the sales of each day as a table, the orders as they are stored, a line each. */
export function Exports() {
  const { integrity: t } = useT()
  const format = useFormat()
  const location = useLocationId()
  const search = api.useSearch()
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
  const sales = async () => {
    const call: Call = { path: '/v1/sales/', query: { ...days, by: 'day' } }
    saveText(`sales-${name}.csv`, await readCsv(call, { location }), 'text/csv')
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
        <Button onClick={() => void guard(sales)}>{t.exportSales}</Button>{' '}
        <Button disabled={done !== null} onClick={() => void guard(orders)}>
          {done ?? t.exportOrders}
        </Button>
      </p>
      <p className="muted">{t.exportText}</p>
      {problem !== null && <Failure problem={problem} retry={() => setProblem(null)} />}
    </Box>
  )
}
