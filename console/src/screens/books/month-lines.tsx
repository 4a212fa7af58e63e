import type { EReport, EReportingTransactions, ListIngestWarningsAnswer } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Box, Folded, Notice } from '../../parts/page.tsx'
import { instantsOf, type Days } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { moneyColumn, timeColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { serviceName } from '../../parts/words.ts'
import { ListBox } from '../../parts/list-box.tsx'
import { RecordLink } from '../../parts/record-link.tsx'

/** The reported sums of a day and category at one rate; the first rate has the number of orders of all rates. */
type Line = Pick<EReportingTransactions, 'date' | 'category' | 'isComplete' | 'taxable' | 'tax'> & {
  rate: number | null
  orders: number | null
}

function linesOf(transactions: readonly EReportingTransactions[]): Line[] {
  return transactions.flatMap(({ rates, transactions: orders, ...whole }): Line[] =>
    rates.length === 0
      ? [{ ...whole, rate: null, orders }]
      : rates.map((of, at) => ({ ...whole, ...of, orders: at === 0 ? orders : null })),
  )
}

/** The lines of e-reporting, one for each day, category and rate, and sales without a category. */
export function EReporting({ days, month }: { days: Days; month: string }) {
  const texts = useT()
  const { month: t, sales, reports, common } = texts
  const format = useFormat()
  const call: Call = { path: '/v1/e-reporting/', query: days }
  const read = useApi<EReport>(call)
  return (
    <Box title={t.eReporting} call={call} flush>
      <Async read={read}>
        {({ transactions, unmapped }) => (
          <>
            {unmapped.length > 0 && (
              <div style={{ padding: '0 1rem 0.6rem' }}>
                <Notice tone="warn">
                  {t.unmapped(unmapped.map(({ serviceType }) => serviceName(texts, serviceType)).join(', '))}
                </Notice>
              </div>
            )}
            {transactions.length === 0 ? (
              unmapped.length === 0 && <Empty title={t.nothing} />
            ) : (
              <Folded title={t.lines} rows={linesOf(transactions).length}>
                <Table<Line>
                  caption={t.eReporting}
                  fileName={`${t.eReporting}-${month}`}
                  rows={linesOf(transactions)}
                  keyOf={({ date, category, rate }) => `${date}${category}${rate}`}
                  columns={[
                    { key: 'day', head: reports.day, cell: ({ date }) => format.day(date), file: ({ date }) => date },
                    {
                      key: 'category',
                      head: common.category,
                      cell: ({ category, isComplete }) => (
                        <>
                          <code>{category}</code> <span className="muted">{t.categories[category]}</span>{' '}
                          {!isComplete && <Mark tone="warn">{sales.notStated}</Mark>}
                        </>
                      ),
                      file: ({ category }) => category,
                    },
                    {
                      key: 'rate',
                      head: sales.parts.tax,
                      isNumber: true,
                      cell: ({ rate }) => (rate === null ? '–' : format.percent(rate / 10_000)),
                      file: ({ rate }) => (rate === null ? null : rate / 100),
                    },
                    {
                      key: 'count',
                      head: sales.figures.orders,
                      isNumber: true,
                      isExtra: true,
                      cell: ({ orders }) => orders !== null && format.number(orders),
                      file: ({ orders }) => orders,
                    },
                    moneyColumn(format)('base', sales.taxable, (row) => row.taxable),
                    moneyColumn(format)('tax', sales.figures.tax, (row) => row.tax),
                  ]}
                />
              </Folded>
            )}
          </>
        )}
      </Async>
    </Box>
  )
}

/** The number of stored warnings to request, and the number to show. */
const [keptWarnings, shownWarnings] = [1000, 100]

/** Warnings of these days: likely mistakes in stored records. */
export function Warnings({ days, month }: { days: Days; month: string }) {
  const { month: t, cautions, shell, common } = useT()
  const format = useFormat()
  const call: Call = { path: '/v1/ingest/warnings/', query: { ...instantsOf(days, format), limit: keptWarnings } }
  const read = useApi<ListIngestWarningsAnswer>(call)
  return (
    <ListBox<ListIngestWarningsAnswer['data'][number], ListIngestWarningsAnswer>
      title={t.warnings}
      call={call}
      read={read}
      none={t.noWarnings}
      fileName={`${t.warnings}-${month}`}
      toRows={(rows) => rows.slice(0, shownWarnings)}
      allRows={() => Promise.resolve(read.data?.data.data ?? [])}
      keyOf={(row) => String(read.data?.data.data.indexOf(row))}
      columns={[
        timeColumn('at', common.received, ({ receivedAt }) => receivedAt, { as: 'recent', file: format.local }),
        { key: 'code', head: t.warning, cell: ({ code }) => cautions[code], file: ({ code }) => code },
        {
          key: 'record',
          head: t.record,
          cell: ({ type, id }) => (
            <RecordLink kind={type} id={id}>
              {type === 'report' ? 'Z' : type === 'order' ? shell.kinds.order : type}
            </RecordLink>
          ),
          file: ({ id }) => id,
        },
        {
          key: 'detail',
          head: t.detail,
          isExtra: true,
          cell: ({ detail }) => <Foreign text={detail} lang="en" />,
          file: ({ detail }) => detail,
        },
      ]}
      after={({ data }) =>
        data.length > shownWarnings && (
          <p className="muted" style={{ padding: '0.7rem 1rem' }}>
            {t.cut(format.number(shownWarnings), format.number(data.length))}
          </p>
        )
      }
    />
  )
}
