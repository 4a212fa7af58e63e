import type { BookingEntryList } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box } from '../../parts/page.tsx'
import type { Days } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'

/** Value added tax of what the Z of a month state. */
export function Vat({ month, days }: { month: string; days: Days }) {
  const { books: t } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/books/entries/', query: { ...days, size: 1 } }
  const read = useApi<BookingEntryList>(call)
  const title = t.vat(format.month(month))
  return (
    <Box title={title} call={call}>
      <Async read={read} rows={3}>
        {({ vat }) =>
          vat.length === 0 ? (
            <Empty title={t.nothing} />
          ) : (
            <Table
              caption={title}
              rows={vat}
              keyOf={({ rate }) => String(rate)}
              columns={[
                {
                  key: 'rate',
                  head: t.rate,
                  cell: ({ rate }) => format.percent(rate / 10_000),
                  file: ({ rate }) => rate / 100,
                },
                {
                  key: 'taxable',
                  head: t.taxable,
                  isNumber: true,
                  cell: ({ taxable }) => format.money(taxable),
                  file: ({ taxable }) => format.major(taxable),
                },
                {
                  key: 'tax',
                  head: t.tax,
                  isNumber: true,
                  cell: ({ tax }) => format.money(tax),
                  file: ({ tax }) => format.major(tax),
                },
              ]}
            />
          )
        }
      </Async>
    </Box>
  )
}
