import type { Reconciliation, Report, ReportEntry } from '@tillgate/client'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Fact, Facts } from '../../parts/page.tsx'
import { textColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign } from '../../parts/text.tsx'
import { entryName } from '../../parts/words.ts'

/** The cash drawer: initial cash, movements, and expected and counted cash. */
export function Drawer({ report, reconciliation }: { report: Report; reconciliation: Reconciliation | undefined }) {
  const texts = useT()
  const { reports: t, common } = texts
  const format = useFormat()
  const cash = reconciliation?.figures.find(({ figure }) => figure === 'cash')
  const entries = report.reportEntries.map((entry, place) => ({ ...entry, place }))
  return (
    <Box title={t.drawer}>
      <Facts>
        <Fact name={t.float}>{format.money(report.initialCashBalance)}</Fact>
        <Fact name={t.expected}>{cash === undefined ? '–' : format.money(cash.computed)}</Fact>
        <Fact name={t.countedCash}>{format.money(report.finalCashBalance)}</Fact>
        <Fact name={common.difference}>{cash === undefined ? '–' : format.money(cash.difference)}</Fact>
      </Facts>
      {entries.length > 0 && (
        <Table<ReportEntry & { place: number }>
          caption={t.entries}
          rows={entries}
          keyOf={({ place }) => String(place)}
          columns={[
            { key: 'name', head: t.entries, cell: ({ entryName }) => <Foreign text={entryName} /> },
            textColumn('type', common.kind, ({ entryType }) => entryName(texts, entryType), { isShown: true }),
            {
              key: 'amount',
              head: common.amount,
              isNumber: true,
              cell: ({ entryAmount }) => format.money(entryAmount),
            },
          ]}
        />
      )}
    </Box>
  )
}
