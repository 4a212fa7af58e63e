import type { Difference, Figure, Reconciliation } from '@tillgate/client'
import type { Format } from '../../format/format.ts'
import { useFormat } from '../../parts/place.tsx'
import { useT } from '../../i18n/language.tsx'
import { Empty } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { Foreign, Mark } from '../../parts/text.tsx'
import { OrderName, useOrderNumbers } from '../../parts/order-names.tsx'
import styles from './report.module.css'
import type { Column } from '../../parts/columns.tsx'

/** Guests and quantities are numbers, all other figures amounts. */
const numbers = new Set<Figure['figure']>(['guests', 'productQuantity'])

const writer = (format: Format, figure: Figure['figure']) => (numbers.has(figure) ? format.number : format.money)

const toFile = (format: Format, figure: Figure['figure']) => (value: number) =>
  numbers.has(figure) ? value : format.major(value)

type Row = Omit<Figure, 'state'> & { state?: Figure['state']; found: Difference | undefined }

/** The order in which an accountant checks, on paper too: totals, taxes, payments and the drawer, then each product. */
const inOrder: readonly Figure['figure'][] = [
  'sales', 'guests', 'taxableAmount', 'taxAmount', 'payments', 'discounts', 'openingFloat', 'cash',
  'orderTotal', 'orderTax', 'orderDiscount', 'orderPayments', 'productSales',
] // prettier-ignore

const placeOf = (figure: Figure['figure']) => inOrder.indexOf(figure === 'productQuantity' ? 'productSales' : figure)

function rowsOf({ figures, differences }: Reconciliation, onlyDifferences: boolean): Row[] {
  const keyOf = ({ figure, key }: Pick<Figure, 'figure' | 'key'>) => `${figure} ${key}`
  const found = new Map(differences.map((difference) => [keyOf(difference), difference]))
  const rows = figures.map((figure) => ({ ...figure, found: found.get(keyOf(figure)) }))
  const known = new Set(figures.map(keyOf))
  const further = differences
    .filter((difference) => !known.has(keyOf(difference)))
    .map((difference) => ({ ...difference, found: difference }))
  const places = new Map<string | null, number>()
  const all = [...rows, ...further]
  for (const { key } of all) places.set(key, places.get(key) ?? places.size)
  // Sales and quantity of one product are adjacent.
  const productOf = ({ figure, key }: Row) => (figure.startsWith('product') ? (places.get(key) ?? 0) : 0)
  all.sort((a, b) => placeOf(a.figure) - placeOf(b.figure) || productOf(a) - productOf(b))
  return onlyDifferences ? all.filter(({ found }) => found !== undefined) : all
}

const ordersShown = 8

/** Reported and computed value and the difference of each figure; for a difference also the formula and the orders. */
export function Proof({
  reconciliation,
  onlyDifferences,
}: {
  reconciliation: Reconciliation
  onlyDifferences: boolean
}) {
  const { reports: t, common } = useT()
  const format = useFormat()
  const rows = rowsOf(reconciliation, onlyDifferences)
  const numbers = useOrderNumbers(reconciliation.reportId, reconciliation.differences.length > 0)
  if (rows.length === 0) return <Empty title={t.noDifference} />
  return (
    <Table<Row>
      caption={t.proof}
      fileName={`${t.zNumber(reconciliation.reportNumber)}-${t.proof}`}
      rows={rows}
      keyOf={({ figure, key }) => `${figure}${key}`}
      columns={[
        {
          key: 'figure',
          head: t.figure,
          file: ({ figure, key, name }) => [t.figures[figure], name ?? key].filter((part) => part !== null).join(' · '),
          cell: ({ figure, key, name, found }) => (
            <>
              {t.figures[figure]}
              {figure.startsWith('order') && key !== null ? (
                <>
                  {' '}
                  <OrderName id={key} numbers={name === null ? numbers : new Map([[key, name]])} />
                </>
              ) : figure === 'taxAmount' || figure === 'taxableAmount' ? (
                key !== null && ` ${format.percent(Number(key) / 10_000)}`
              ) : (
                name !== null && (
                  <>
                    {' · '}
                    <Foreign text={name} />
                  </>
                )
              )}
              {found !== undefined && (
                <div className={styles.formula}>
                  {t.formulas[figure]}
                  <ul className={styles.ids}>
                    {found.orderIds.slice(0, ordersShown).map((id) => (
                      <li key={id}>
                        <OrderName id={id} numbers={numbers} />
                      </li>
                    ))}
                    {found.orderIds.length > ordersShown && <li>{t.more(found.orderIds.length - ordersShown)}</li>}
                  </ul>
                </div>
              )}
            </>
          ),
        },
        ...(['reported', 'computed'] as const).map((side): Column<Row> => ({
          key: side,
          head: t[side],
          isNumber: true,
          cell: ({ figure, [side]: value }) => writer(format, figure)(value),
          file: ({ figure, [side]: value }) => toFile(format, figure)(value),
        })),
        {
          key: 'difference',
          head: common.difference,
          isNumber: true,
          file: ({ figure, difference }) => toFile(format, figure)(difference),
          cell: ({ figure, difference, found, state }) =>
            found === undefined ? (
              <span className="muted">
                {state === 'rounding' && <Mark tone="info">{t.rounding}</Mark>} {writer(format, figure)(difference)}
              </span>
            ) : (
              <span className={styles.off}>{writer(format, figure)(difference)}</span>
            ),
        },
      ]}
    />
  )
}
