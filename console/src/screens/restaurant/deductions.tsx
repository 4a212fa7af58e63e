import { useSearch, Link } from '@tanstack/react-router'
import type { Deduction, DeductionReason, Deductions, Sales } from '@tillgate/client'
import { useApi, type Call } from '../../api/use-api.ts'
import { addDays } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import type { Dictionary } from '../../i18n/en.ts'
import { useT } from '../../i18n/language.tsx'
import { Button } from '../../parts/button.tsx'
import { Filters, Filter } from '../../parts/filters.tsx'
import { Box, FigureOf, Figures, Page } from '../../parts/page.tsx'
import { daysOf, RangeChoice, type Days } from '../../parts/range.tsx'
import { Async, Empty } from '../../parts/states.tsx'
import { moneyColumn, numberColumn, textColumn, type Column, timeColumn } from '../../parts/columns.tsx'
import { Table } from '../../parts/table.tsx'
import { deductionKinds, DeductionMonths } from './deduction-months.tsx'
import { DrawerOpenings } from './drawer-openings.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { DayAlerts } from '../../parts/day-alerts.tsx'
import { orderColumn } from '../../parts/record-link.tsx'
import { useChange } from '../../parts/use-change.ts'

type Kind = Deduction['kind']

type Group = Deductions['operators'][number]

const tones = { orderCanceled: 'bad', itemCanceled: 'bad', loss: 'warn', discount: 'info' } as const satisfies Record<
  Kind,
  string
>

const kindColumn = ({ deductions: t, common }: Dictionary): Column<{ kind: Kind }> => ({
  key: 'kind',
  head: common.kind,
  cell: ({ kind }) => <Mark tone={tones[kind]}>{t.kinds[kind]}</Mark>,
  file: ({ kind }) => t.kinds[kind],
})

/** A table of amounts by kind, for one grouping of deductions. */
function Groups({
  title,
  head,
  fileName,
  groups,
  nameOf,
  toSearch,
  salesOf,
  call,
}: {
  title: string
  head: string
  fileName: string
  groups: readonly Group[]
  nameOf: (group: Group) => string
  /** The filter that a row sets. */
  toSearch: (key: string) => object
  /** The sales of the same person or hour: an amount alone has no meaning. */
  salesOf?: (key: string) => number | null
  call?: Call
}) {
  const { deductions: t, sales } = useT()
  const format = useFormat()
  const takenOff = (group: Group) => deductionKinds.reduce((sum, kind) => sum + group[kind].amount, 0)
  const shareColumns = (of: (key: string) => number | null): Column<Group>[] => {
    const share = (group: Group) => {
      const sold = of(group.key)
      return sold === null || sold <= 0 ? null : takenOff(group) / sold
    }
    const shares = groups.flatMap((group) => share(group) ?? []).toSorted((a, b) => b - a)
    const rankOf = (group: Group) => {
      const own = share(group)
      return own === null ? null : shares.indexOf(own) + 1
    }
    return [
      moneyColumn(format)('sold', sales.figures.salesInclTax, ({ key }) => of(key), { isExtra: true }),
      {
        key: 'share',
        head: t.shareOfSales,
        isNumber: true,
        cell: (group) => format.percent(share(group)),
        file: share,
      },
      {
        key: 'rank',
        head: t.rank,
        isNumber: true,
        isExtra: true,
        cell: (group) => rankOf(group) ?? '–',
        file: rankOf,
      },
    ]
  }
  return groups.length === 0 ? null : (
    <Box title={title} call={call} flush>
      <Table<Group>
        caption={title}
        fileName={fileName}
        rows={groups}
        keyOf={({ key }) => key}
        columns={[
          {
            key: 'name',
            head,
            cell: (group) => (
              <Link
                from="/deductions"
                to="/deductions"
                search={(before) => ({ ...before, ...toSearch(group.key) })}
                resetScroll={false}
              >
                <Foreign text={nameOf(group)} />
              </Link>
            ),
            file: nameOf,
          },
          ...(salesOf === undefined ? [] : shareColumns(salesOf)),
          ...deductionKinds.map((kind): Column<Group> => ({
            key: kind,
            head: t.kinds[kind],
            isNumber: true,
            isExtra: kind === 'loss' || kind === 'discount',
            cell: (group) =>
              group[kind].count === 0
                ? '–'
                : `${format.money(group[kind].amount)} (${format.number(group[kind].count)})`,
            file: (group) => format.major(group[kind].amount),
          })),
        ]}
      />
    </Box>
  )
}

function Reasons({ reasons, fileName }: { reasons: readonly DeductionReason[]; fileName: string }) {
  const texts = useT()
  const { deductions: t, common } = texts
  const format = useFormat()
  return reasons.length === 0 ? null : (
    <Box title={t.byReason} flush>
      <Table<DeductionReason>
        caption={t.byReason}
        fileName={fileName}
        rows={reasons}
        keyOf={({ kind, reason }) => `${kind} ${reason}`}
        columns={[
          kindColumn(texts),
          {
            key: 'reason',
            head: common.reason,
            cell: ({ reason }) =>
              reason === null ? <span className="muted">{t.noReason}</span> : <Foreign text={reason} />,
            file: ({ reason }) => reason,
          },
          numberColumn(format)('count', common.count, ({ count }) => count, { adds: true }),
          moneyColumn(format)('amount', common.amount, ({ amount }) => amount, { adds: true }),
        ]}
      />
    </Box>
  )
}

/** Maximum days per request. */
const daysAtMost = 31

/** Each deduction with its ticket, which links to its versions. */
function Each({ rows, fileName }: { rows: readonly Deduction[]; fileName: string }) {
  const texts = useT()
  const { deductions: t, sales, common } = texts
  const format = useFormat()
  return (
    <Box title={t.each} flush>
      {rows.length === 0 ? (
        <Empty title={t.none} />
      ) : (
        <Table<Deduction>
          caption={t.each}
          fileName={fileName}
          rows={rows}
          keyOf={(row) => `${rows.indexOf(row)}`}
          columns={[
            orderColumn(common.number, ({ orderId, orderNumber }) => ({ id: orderId, number: orderNumber })),
            timeColumn('at', t.at, ({ at }) => at, { as: 'recent', file: format.local }),
            kindColumn(texts),
            textColumn('item', t.item, ({ description }) => description, { isExtra: true }),
            textColumn('reason', common.reason, ({ reason }) => reason, { isExtra: true }),
            textColumn('operator', sales.parts.operator, ({ operatorName }) => operatorName, { isExtra: true }),
            moneyColumn(format)('amount', common.amount, ({ amount }) => amount, { adds: true }),
          ]}
        />
      )}
    </Box>
  )
}

/** Canceled tickets and items, losses and discounts: by person, reason and hour, down to the ticket. */
export function DeductionsScreen() {
  const { deductions: t, screens, sales, common } = useT()
  const format = useFormat()
  const search = useSearch({ from: '/deductions' })
  const days = daysOf(search, format, '7d')
  const call: Call = { path: '/v1/deductions/', query: days }
  const last: Days = { since: addDays(days.until, 1 - daysAtMost), until: days.until }
  const isTooLong = days.since < last.since
  const read = useApi<Deductions>(isTooLong ? null : call)
  const ofOperators: Call = { path: '/v1/sales/', query: { ...days, by: 'operator' } }
  const sold = useApi<Sales>(isTooLong ? null : ofOperators).data?.data.data
  const fileOf = (name: string) => `${name}-${days.since}-${days.until}`
  const change = useChange()
  return (
    <Page title={screens.deductions} intro={t.intro} call={call}>
      <Filters>
        <RangeChoice search={search} fallback="7d" />
        <Filter label={common.kind} value={search.kind} choices={t.kinds} onChange={(kind) => change({ kind })} />
        {(search.operator ?? search.hour) !== undefined && (
          <Button kind="quiet" onClick={() => change({ operator: undefined, hour: undefined })}>
            {t.allAgain}
          </Button>
        )}
      </Filters>
      <DayAlerts range={days} />
      {isTooLong ? (
        <Empty title={t.tooLong(daysAtMost)}>
          <Button onClick={() => change({ ...last, range: undefined })}>
            {t.lastOf(format.days(last.since, last.until))}
          </Button>
        </Empty>
      ) : (
        <Async read={read} rows={10}>
          {({ data, totals, operators, hours, reasons, meta }) => {
            const rows = data.filter(
              (row) =>
                (search.kind === undefined || row.kind === search.kind) &&
                (search.operator === undefined || row.operatorId === search.operator) &&
                (search.hour === undefined || row.hour === search.hour),
            )
            return (
              <>
                <Figures>
                  {deductionKinds.map((kind) => (
                    <FigureOf
                      key={kind}
                      name={t.kinds[kind]}
                      value={format.money(totals[kind].amount)}
                      note={t.times(totals[kind].count)}
                    />
                  ))}
                </Figures>
                <Groups
                  title={t.byOperator}
                  fileName={fileOf(t.byOperator)}
                  head={sales.parts.operator}
                  groups={operators}
                  nameOf={({ name }) => name}
                  toSearch={(operator) => ({ operator, hour: undefined })}
                  call={ofOperators}
                  salesOf={(operator) => sold?.find(({ key }) => key === operator)?.salesInclTax ?? null}
                />
                <Groups
                  title={t.byHour}
                  fileName={fileOf(t.byHour)}
                  head={sales.parts.hour}
                  groups={hours}
                  nameOf={({ key }) => `${key} h`}
                  toSearch={(hour) => ({ hour, operator: undefined })}
                />
                <DeductionMonths until={days.until} />
                <DrawerOpenings days={days} />
                <Reasons reasons={reasons} fileName={fileOf(t.byReason)} />
                <Each rows={rows} fileName={fileOf(screens.deductions)} />
                {meta.totalCount > data.length && (
                  <p className="muted">{t.cut(format.number(data.length), format.number(meta.totalCount))}</p>
                )}
                <p className="muted">{t.foot}</p>
              </>
            )
          }}
        </Async>
      )}
    </Page>
  )
}
