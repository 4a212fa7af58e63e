import { useSearch } from '@tanstack/react-router'
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
import { Failure } from '../../parts/states.tsx'
import { numberColumn, timeColumn } from '../../parts/columns.tsx'
import { ListBox } from '../../parts/list-box.tsx'

/** Returns the file name that the server gave a batch. */
const nameIn = (disposition: string | null, otherwise: string): string =>
  /filename="([^"]+)"/.exec(disposition ?? '')?.[1] ?? otherwise

const forms = ['fec', 'csv', 'json'] as const

/** Issued batches, each with its files. */
export function Batches() {
  const { books: t, common } = useT()
  const format = useFormat()
  const location = useLocationId()
  const [problem, setProblem] = useState<Problem | null>(null)
  const { page = '0' } = useSearch({ from: '/month' })
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
    <>
      <ListBox<BookBatchList['data'][number], BookBatchList>
        title={t.batches}
        call={call}
        read={read}
        lines={3}
        none={t.noBatches}
        pages="number"
        allRows={allRows}
        keyOf={({ number }) => String(number)}
        columns={[
          { key: 'batch', head: t.batch, cell: ({ number }) => number, file: ({ number }) => number },
          timeColumn('at', t.at, ({ createdAt }) => createdAt, { file: (at) => at }),
          {
            key: 'until',
            head: common.until,
            cell: ({ until }) => format.days(until, until),
            file: ({ until }) => until,
          },
          numberColumn(format)('count', t.count, ({ entries }) => entries),
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
      {problem !== null && <Failure problem={problem} retry={() => setProblem(null)} />}
    </>
  )
}
