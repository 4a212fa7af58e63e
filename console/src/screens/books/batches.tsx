import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { BookBatchList } from '@tillgate/client'
import { Problem } from '../../api/problem.ts'
import { open, type Call } from '../../api/request.ts'
import { useLocationId } from '../../api/session.tsx'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { useAllRows } from '../../parts/all-rows.ts'
import { Button } from '../../parts/button.tsx'
import { saveBlob } from '../../parts/csv.ts'
import { Pager } from '../../parts/filters.tsx'
import { Box } from '../../parts/page.tsx'
import { Async, Empty, Failure } from '../../parts/states.tsx'
import { Table, numberColumn } from '../../parts/table.tsx'
import { Time } from '../../parts/text.tsx'

const api = getRouteApi('/month')

/** The server's file name for a batch. */
const nameIn = (disposition: string | null, otherwise: string): string =>
  /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? otherwise

const forms = ['fec', 'csv', 'json'] as const

/** Issued batches, each with its files. */
export function Batches() {
  const { books: t } = useT()
  const format = useFormat()
  const location = useLocationId()
  const [problem, setProblem] = useState<Problem | null>(null)
  const { page = '0' } = api.useSearch()
  const navigate = useNavigate({ from: '/month' })
  const call: Call = { path: '/v1/books/batches/', query: { size: 20, index: Number(page) } }
  const read = useApi<BookBatchList>(call)
  const allRows = useAllRows<BookBatchList['data'][number]>(call)
  const words = { fec: t.fec, csv: t.excel, json: t.json }
  const save = async (number: number, form: (typeof forms)[number]) => {
    setProblem(null)
    try {
      const answer = await open({ path: `/v1/books/batches/${number}`, query: { format: form } }, { location })
      saveBlob(nameIn(answer.headers.get('content-disposition'), `batch-${number}.${form}`), await answer.blob())
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setProblem(error)
    }
  }
  return (
    <Box title={t.batches} call={call}>
      <Async read={read} rows={3}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Empty title={t.noBatches} />
          ) : (
            <>
              <Table
                caption={t.batches}
                rows={data}
                allRows={allRows}
                keyOf={({ number }) => String(number)}
                pager={
                  <Pager
                    page={meta.currentPageIndex}
                    pages={meta.totalPage}
                    onChange={(index) =>
                      void navigate({
                        search: (before) => ({ ...before, page: index === 0 ? undefined : String(index) }),
                        resetScroll: false,
                      })
                    }
                  />
                }
                columns={[
                  { key: 'batch', head: t.batch, cell: ({ number }) => number, file: ({ number }) => number },
                  {
                    key: 'at',
                    head: t.at,
                    cell: ({ createdAt }) => <Time at={createdAt} />,
                    file: ({ createdAt }) => createdAt,
                  },
                  {
                    key: 'until',
                    head: t.until,
                    cell: ({ until }) => format.days(until, until),
                    file: ({ until }) => until,
                  },
                  numberColumn(format)<{ entries: number }>('count', t.count, ({ entries }) => entries),
                  {
                    key: 'files',
                    head: t.files,
                    cell: ({ number }) => (
                      <div style={{ display: 'flex', flexWrap: 'wrap' }}>
                        {forms.map((form) => (
                          <Button
                            key={form}
                            kind="quiet"
                            aria-label={t.file(number, words[form])}
                            onClick={() => void save(number, form)}
                          >
                            {words[form]}
                          </Button>
                        ))}
                      </div>
                    ),
                  },
                ]}
              />
            </>
          )
        }
      </Async>
      {problem !== null && <Failure problem={problem} retry={() => setProblem(null)} />}
    </Box>
  )
}
