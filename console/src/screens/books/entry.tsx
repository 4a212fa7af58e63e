import type { BookingEntriesOfSource, BookingEntry } from '@tillgate/client'
import type { Call } from '../../api/request.ts'
import { useApi } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Notice } from '../../parts/page.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { Table, textColumn } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'

function Lines({ entry }: { entry: BookingEntry }) {
  const { books: t } = useT()
  const format = useFormat()
  const amount = (minor: number) => (minor === 0 ? '' : format.money(minor))
  return (
    <>
      <Table
        caption={t.lines(entry.number ?? entry.pieceRef)}
        rows={entry.lines.map((line, place) => ({ ...line, place }))}
        keyOf={({ place }) => String(place)}
        columns={[
          {
            key: 'account',
            head: t.lineAccount,
            file: ({ account }) => account,
            cell: ({ account, accountName, auxiliary }) => (
              <>
                <span className="mono">{auxiliary === null ? account : `${account} ${auxiliary}`}</span>{' '}
                <Foreign text={accountName} />
              </>
            ),
          },
          textColumn<{ label: string }>('label', t.label, ({ label }) => label),
          {
            key: 'debit',
            head: t.debit,
            isNumber: true,
            cell: ({ debit }) => amount(debit),
            file: ({ debit }) => format.major(debit),
          },
          {
            key: 'credit',
            head: t.credit,
            isNumber: true,
            cell: ({ credit }) => amount(credit),
            file: ({ credit }) => format.major(credit),
          },
        ]}
      />
      <p>
        {t.total} {format.money(entry.totals.debit)} = {format.money(entry.totals.credit)}
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
