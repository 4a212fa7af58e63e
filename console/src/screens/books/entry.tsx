import type { BookingEntriesOfSource, BookingEntry } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Notice } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { textColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'

function Lines({ entry }: { entry: BookingEntry }) {
  const { books: t, common } = useT()
  const format = useFormat()
  return (
    <>
      <Table
        caption={t.lines(entry.number ?? entry.pieceRef)}
        rows={entry.lines.map((line, place) => ({ ...line, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          {
            key: 'account',
            head: common.account,
            file: ({ account }) => account,
            cell: ({ account, accountName, auxiliary }) => (
              <>
                <span className="mono">{auxiliary === null ? account : `${account} ${auxiliary}`}</span>{' '}
                <Foreign text={accountName} />
              </>
            ),
          },
          textColumn<{ label: string }>('label', t.label, ({ label }) => label),
          ...(['debit', 'credit'] as const).map((side) => ({
            key: side,
            head: t[side],
            isNumber: true,
            cell: (line: { debit: number; credit: number }) => (line[side] === 0 ? '' : format.money(line[side])),
            file: (line: { debit: number; credit: number }) => format.major(line[side]),
          })),
        ]}
      />
      <p>
        {common.total} {format.money(entry.totals.debit)} = {format.money(entry.totals.credit)}
      </p>
      {entry.warnings.map(({ code, amount: of }) => (
        <Notice key={code} tone="info">
          <span>
            {t.warnings[code]} {of === null ? '' : format.money(of)}
          </span>
        </Notice>
      ))}
    </>
  )
}

/** The entries of one Z, or day: a preview, or the issued ones. */
export function Entry({ id }: { id: string }) {
  const { books: t } = useT()
  const call: Call = { path: `/v1/books/entries/${id}` }
  const read = useApi<BookingEntriesOfSource>(call)
  return (
    <Box title={t.lines(read.data?.data.data[0]?.pieceRef ?? '')} call={call}>
      {read.error?.code === 'entry_refused' ? (
        <Empty title={t.noEntry} />
      ) : (
        <Async read={read} rows={5}>
          {({ data }) => data.map((entry) => <Lines key={entry.id} entry={entry} />)}
        </Async>
      )}
    </Box>
  )
}
