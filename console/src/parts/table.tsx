/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role -- stacked cells would lose the implicit roles */
import { useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { useT } from '../i18n/language.tsx'
import { Problem } from '../api/problem.ts'
import type { AllRows } from './all-rows.ts'
import { Button } from './button.tsx'
import { ColumnChoice, useChosenColumns } from './column-choice.tsx'
import type { Column } from './columns.tsx'
import type { FileCell } from './csv.ts'
import { useFormat } from './place.tsx'
import { toCells, type Records } from './records.ts'
import { Failure } from './states.tsx'
import { FileButtons } from './table-file.tsx'
import styles from './table.module.css'

export type TableProps<Row> = {
  caption: string
  /** The name under which the chosen columns are stored; without it the user cannot choose any. */
  id?: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  foot?: ReactNode
  isChosen?: (row: Row) => boolean
  /** Returns the records of a row in a downloaded file; by default, one with the columns that have a `file`. */
  toRecords?: (row: Row) => Records
  /** Name of the file without its extension; the caption if absent. */
  fileName?: string
  /** Reads all rows of the filter, if only a page of them is shown. */
  allRows?: AllRows<Row>
  /** Links to the other pages, unless all rows are shown. */
  pager?: ReactNode
}

/** If columns do not fit, breaks long words; if they still do not fit, shows the cells of each row one below the other. */
function useStacking(place: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    let width = -1
    const measure = () => {
      if (element.clientWidth === width && element.scrollWidth <= width) return
      width = element.clientWidth
      element.style.removeProperty('--bar-text')
      const texts = [...element.querySelectorAll<HTMLElement>('[data-bar-text]')].map((one) => one.offsetWidth)
      if (texts.length > 1) element.style.setProperty('--bar-text', `${Math.max(...texts)}px`)
      element.removeAttribute('data-tight')
      element.removeAttribute('data-stacked')
      for (const name of ['data-tight', 'data-stacked']) element.toggleAttribute(name, element.scrollWidth > width)
    }
    measure()
    const sizes = new ResizeObserver(measure)
    // Cells that load later make the table wider, but not the element around it.
    for (const one of [element, ...element.children]) sizes.observe(one)
    return () => sizes.disconnect()
  })
}

type Order = { key: string; isDown: boolean } | null

const valueOf = <Row,>({ sort, file }: Column<Row>) => sort ?? file

/** Returns the order after the next click: largest first, smallest first, original; names the other way round. */
function nextOrder<Row>(order: Order, { key, isNumber = false }: Column<Row>): Order {
  if (order?.key !== key) return { key, isDown: isNumber }
  return order.isDown === isNumber ? { key, isDown: !isNumber } : null
}

/** Returns the rows sorted by a column; those without a value are at the end either way. */
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

/** Below the rows: the totals of the columns, over all rows of the filter. */
function Totals<Row>({ columns, rows }: { columns: readonly Column<Row>[]; rows: readonly Row[] }) {
  const { common } = useT()
  const format = useFormat()
  return (
    <tr role="row">
      {columns.map(({ key, head, isNumber, isExtra, total }, place) => (
        <td
          key={key}
          role="cell"
          className={`${isNumber ? 'num' : ''} ${isExtra ? styles.extra : ''}`}
          data-head={typeof head === 'string' ? head : undefined}
        >
          <div className={styles.value}>{place === 0 ? common.totalOf(format.number(rows.length)) : total?.(rows)}</div>
        </td>
      ))}
    </tr>
  )
}

/** A second line of a cell, if it has any. */
function Note({ children }: { children: ReactNode }) {
  return children ? <div className="muted">{children}</div> : null
}

/** Number of rows shown at first; a longer table is shown in full on request. */
const shownAtFirst = 200

/**
 * A real table, which browsers can search, print and read aloud. Its roles are explicit, because stacked cells would
 * lose them. For a list with pages, sorting or adding up reads all rows first.
 */
export function Table<Row>({
  caption,
  id,
  columns: given,
  rows: page,
  keyOf,
  foot,
  isChosen,
  toRecords,
  fileName = caption,
  allRows,
  pager,
}: TableProps<Row>) {
  const { common } = useT()
  const format = useFormat()
  const [order, setOrder] = useState<Order>(null)
  const [chosen, choose] = useChosenColumns(id)
  const [whole, setWhole] = useState<{ key: string; rows: readonly Row[] } | null>(null)
  const [isLong, setLong] = useState(false)
  const [state, setState] = useState<'loading' | Problem | null>(null)
  const columns = given
    .filter(({ key }, place) => place === 0 || chosen[key] !== false)
    .map((column) => (chosen[column.key] === true ? { ...column, isExtra: false } : column))
  const loaded = whole?.key === (allRows?.key ?? fileName) ? whole.rows : null
  const hasAllRows = allRows === undefined || loaded !== null
  const rows = loaded ?? page
  const classOf = ({ isNumber, isExtra, isOneWord }: Column<Row>) =>
    `${isNumber ? 'num' : ''} ${isExtra ? styles.extra : ''} ${isOneWord ? styles.whole : ''}`
  const place = useRef<HTMLDivElement>(null)
  useStacking(place)
  const load = async () => {
    if (allRows === undefined || loaded !== null) return
    setState('loading')
    try {
      setWhole({ key: allRows.key ?? fileName, rows: await allRows() })
      setState(null)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      setState(error)
    }
  }
  const sortBy = async (column: Column<Row>) => {
    await load()
    setOrder(nextOrder(order, column))
  }
  const filed = given.filter(({ file }) => file !== undefined)
  const toFile = async () => {
    const all = loaded ?? (await allRows?.()) ?? rows
    if (toRecords !== undefined) return toCells(all.flatMap(toRecords))
    return [
      filed.map(({ head, fileHead, key }) => fileHead ?? (typeof head === 'string' ? head : key)),
      ...all.map((row) => filed.map(({ file }) => file?.(row) ?? null)),
    ]
  }
  const adds = columns.some(({ total }) => total !== undefined)
  const sorted = inOrder(rows, columns, order)
  const shown = isLong ? sorted : sorted.slice(0, shownAtFirst)
  return (
    <div className={styles.framed} aria-busy={state === 'loading'}>
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
                  {page.length > 1 && valueOf(column) !== undefined ? (
                    <button
                      type="button"
                      className={styles.sort}
                      title={common.sortBy}
                      disabled={state === 'loading'}
                      onClick={() => void sortBy(column)}
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
            {shown.map((row) => (
              <tr key={keyOf(row)} role="row" data-row aria-current={isChosen?.(row) ? 'true' : undefined}>
                {columns.map((column) => (
                  <td
                    key={column.key}
                    role="cell"
                    className={classOf(column)}
                    data-head={typeof column.head === 'string' ? column.head : undefined}
                  >
                    <div className={styles.value}>
                      {column.cell(row)}
                      {column.note !== undefined && <Note>{column.note(row)}</Note>}
                    </div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          {foot === undefined && adds && hasAllRows && rows.length > 1 && (
            <tfoot role="rowgroup">
              <Totals columns={columns} rows={rows} />
            </tfoot>
          )}
          {foot !== undefined && <tfoot role="rowgroup">{foot}</tfoot>}
        </table>
      </div>
      {shown.length < rows.length && (
        <p className={styles.note}>
          <Button onClick={() => setLong(true)}>{common.showAll(format.number(rows.length))}</Button>
        </p>
      )}
      {state instanceof Problem && <Failure problem={state} retry={() => void load()} />}
      {loaded === null && pager}
      {rows.length > 0 && (
        <div className={styles.file}>
          {id !== undefined && <ColumnChoice columns={given} chosen={chosen} onChoose={choose} />}
          {adds && !hasAllRows && (
            <Button kind="quiet" disabled={state === 'loading'} onClick={() => void load()}>
              {state === 'loading' ? common.loading : common.addUp}
            </Button>
          )}
          {(filed.length > 0 || toRecords !== undefined) && <FileButtons name={fileName} rows={toFile} />}
        </div>
      )}
    </div>
  )
}

/** A bar beside a figure: its share of the largest. The figure itself has the same information. */
export function Bar({ share, children }: { share: number; children: ReactNode }) {
  return (
    <span className={styles.barred}>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.bar} style={{ inlineSize: `${Math.max(0, Math.min(1, share)) * 100}%` }} />
      </span>
      <span className={styles.barText} data-bar-text="">
        {children}
      </span>
    </span>
  )
}
