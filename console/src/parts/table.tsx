/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- a table whose rows are told cell by cell would lose its own */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useT } from '../i18n/language.tsx'
import type { Format } from '../format/format.ts'
import type { FileCell } from './csv.ts'
import { toCells, type Records } from './records.ts'
import { FileButtons } from './table-file.tsx'
import { Foreign } from './text.tsx'
import styles from './table.module.css'

export type Column<Row> = {
  key: string
  /** Head of the column; screen readers read it before each cell. */
  head: ReactNode
  cell: (row: Row) => ReactNode
  /** What a file has in place of the cell: the value as it is, not as it is shown. Without it the column is in no file. */
  file?: (row: Row) => FileCell
  /** What rows are put in order by, where it is not what a file has. */
  sort?: (row: Row) => FileCell
  /** Head in a file, where `head` is no text. */
  fileHead?: string
  isNumber?: boolean
  /** Left out on narrow screens: what it says stands on the screen that the row leads to. */
  isExtra?: boolean
  /** A number or a name that is read as one word: it is cut rather than broken. */
  isWhole?: boolean
}

type Shown = { isExtra?: boolean; /** It is in no file. */ isShown?: boolean }

/** A column of amounts in hundredths: as people read them, and in a file in whole units. */
export const moneyColumn =
  (format: Format) =>
  <Row,>(
    key: string,
    head: string,
    of: (row: Row) => number | null | undefined,
    { isShown = false, isExtra = false }: Shown = {},
  ): Column<Row> => ({
    key,
    head,
    isNumber: true,
    isExtra,
    cell: (row) => format.money(of(row) ?? null),
    sort: (row) => of(row) ?? null,
    ...(isShown ? {} : { file: (row: Row) => format.major(of(row) ?? null) }),
  })

/** A column of what others wrote. */
export const textColumn = <Row,>(
  key: string,
  head: string,
  of: (row: Row) => string | null | undefined,
  { isShown = false, isExtra = false, isWhole = false }: Shown & { isWhole?: boolean } = {},
): Column<Row> => ({
  key,
  head,
  isExtra,
  isWhole,
  cell: (row) => <Foreign text={of(row) ?? null} />,
  sort: (row) => of(row) ?? null,
  ...(isShown ? {} : { file: (row: Row) => of(row) ?? null }),
})

/** A column of counts. */
export const numberColumn =
  (format: Format) =>
  <Row,>(
    key: string,
    head: string,
    of: (row: Row) => number | null | undefined,
    { isShown = false, isExtra = false }: Shown = {},
  ): Column<Row> => ({
    key,
    head,
    isNumber: true,
    isExtra,
    cell: (row) => format.number(of(row) ?? null),
    sort: (row) => of(row) ?? null,
    ...(isShown ? {} : { file: (row: Row) => of(row) ?? null }),
  })

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  foot?: ReactNode
  isChosen?: (row: Row) => boolean
  /** What a file has of a row, where it is not the columns with a `file`. */
  toRecords?: (row: Row) => Records
  /** Name of the file without its ending; the caption where it is left out. */
  fileName?: string
  /** Reads all rows of the filter, where only a page of them is shown. */
  allRows?: () => Promise<readonly Row[]>
  /** All rows are here: they can be put in another order by a column. */
  sorts?: boolean
}

/**
 * Where the columns have no room side by side, breaks long words that others wrote in a narrower column; where that is not enough, tells
 * each row cell by cell, one below the other.
 */
function useStacking(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let width = -1
    const measure = () => {
      if (element.clientWidth === width) return
      width = element.clientWidth
      element.removeAttribute('data-tight')
      element.removeAttribute('data-stacked')
      for (const name of ['data-tight', 'data-stacked']) element.toggleAttribute(name, element.scrollWidth > width)
    }
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    return () => sizes.disconnect()
  })
}

type Order = { key: string; isDown: boolean } | null

const valueOf = <Row,>({ sort, file }: Column<Row>) => sort ?? file

/** The largest first, then the smallest, then as they came; names the other way round. */
function nextOrder<Row>(order: Order, { key, isNumber = false }: Column<Row>): Order {
  if (order?.key !== key) return { key, isDown: isNumber }
  return order.isDown === isNumber ? { key, isDown: !isNumber } : null
}

/** Rows by the values of a column; those without one stand at the end either way. */
function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order): readonly Row[] {
  const column = columns.find(({ key }) => key === order?.key)
  const value = column && valueOf(column)
  if (order === null || value === undefined) return rows
  const compare = (a: FileCell, b: FileCell) =>
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true })
  return rows.toSorted((one, other) => {
    const [a, b] = [value(one), value(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return order.isDown ? compare(b, a) : compare(a, b)
  })
}

/**
 * A real table: what a browser searches, prints and reads aloud. Its roles are said, since a row that is told cell by cell would
 * lose them.
 */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  foot,
  isChosen,
  toRecords,
  fileName = caption,
  allRows,
  sorts = false,
}: Props<Row>) {
  const { common } = useT()
  const [order, setOrder] = useState<Order>(null)
  const classOf = ({ isNumber, isExtra, isWhole }: Column<Row>) =>
    `${isNumber ? 'num' : ''} ${isExtra ? styles.extra : ''} ${isWhole ? styles.whole : ''}`
  const place = useRef<HTMLDivElement>(null)
  useStacking(place)
  const filed = columns.filter(({ file }) => file !== undefined)
  const toFile = async () => {
    const all = (await allRows?.()) ?? rows
    if (toRecords !== undefined) return toCells(all.flatMap(toRecords))
    return [
      filed.map(({ head, fileHead, key }) => fileHead ?? (typeof head === 'string' ? head : key)),
      ...all.map((row) => filed.map(({ file }) => file?.(row) ?? null)),
    ]
  }
  return (
    <div className={styles.framed}>
      <div ref={place} className={styles.scroll} role="region" aria-label={caption} tabIndex={0}>
        <table role="table" className={styles.table}>
          <caption className="hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column) => (
                <th
                  key={column.key}
                  role="columnheader"
                  scope="col"
                  className={classOf(column)}
                  aria-sort={order?.key !== column.key ? undefined : order.isDown ? 'descending' : 'ascending'}
                >
                  {sorts && valueOf(column) !== undefined ? (
                    <button
                      type="button"
                      className={styles.sort}
                      title={common.sortBy}
                      onClick={() => setOrder(nextOrder(order, column))}
                    >
                      {column.head}
                    </button>
                  ) : (
                    column.head
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {inOrder(rows, columns, order).map((row) => (
              <tr key={keyOf(row)} role="row" data-row aria-current={isChosen?.(row) ? 'true' : undefined}>
                {columns.map((column) => (
                  <td
                    key={column.key}
                    role="cell"
                    className={classOf(column)}
                    data-head={typeof column.head === 'string' ? column.head : undefined}
                  >
                    <div className={styles.value}>{column.cell(row)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {foot !== undefined && <tfoot role="rowgroup">{foot}</tfoot>}
        </table>
      </div>
      {(filed.length > 0 || toRecords !== undefined) && rows.length > 0 && (
        <FileButtons name={fileName} rows={toFile} />
      )}
    </div>
  )
}

/** A bar beside a figure: how much of the largest it is. The figure itself says the same to everyone. */
export function Bar({ share, children }: { share: number; children: ReactNode }) {
  return (
    <span className={styles.barred}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ inlineSize: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      </span>
      <span className={styles.barText}>{children}</span>
    </span>
  )
}
