import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { BookDayList, BookingEntryList } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useScope } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../format/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Filters } from '../../parts/filters.tsx'
import { Box, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice } from '../../parts/range.tsx'
import { Async } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import type { Acceptances } from './acceptances.ts'
import { Batches } from './batches.tsx'
import { Entry } from './entry.tsx'
import { Issue } from './issue.tsx'
import { Sources } from './sources.tsx'
import { UnmappedNames } from './unmapped.tsx'

const api = getRouteApi('/books')

/** What a bookkeeper takes away of some days: names first, then the Z, then what is issued. */
export function Books() {
  const { books: t, screens } = useT()
  const format = useFormat()
  const search = api.useSearch()
  const mayIssue = useScope('books')
  const [accepted, setAccepted] = useState<Acceptances>({})
  const days = daysOf(search, format, 'lastMonth')
  const call: Call = { path: '/v1/books/days/', query: days }
  const read = useApi<BookDayList>(call)
  const previewCall: Call = { path: '/v1/books/entries/', query: { ...days, size: 1 } }
  const preview = useApi<BookingEntryList>(previewCall)
  return (
    <Page title={screens.books} intro={t.intro} call={{ path: '/v1/books/accounts' }}>
      <Filters>
        <RangeChoice search={search} fallback="lastMonth" />
      </Filters>
      <Box title={t.unmapped} call={{ path: '/v1/books/unmapped/', query: days }}>
        <UnmappedNames days={days} mayChange={mayIssue} />
      </Box>
      <Box title={t.entries} call={call}>
        <Async read={read} rows={8}>
          {({ data }) => <Sources days={data} accepted={accepted} onAccept={mayIssue ? setAccepted : undefined} />}
        </Async>
      </Box>
      {search.source !== undefined && <Entry id={search.source} />}
      <Box title={t.vat} call={previewCall}>
        <Async read={preview} rows={3}>
          {({ vat }) => (
            <Table
              caption={t.vat}
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
          )}
        </Async>
      </Box>
      {mayIssue && <Issue until={days.until} accepted={accepted} />}
      <Batches />
    </Page>
  )
}
