import type { ReactNode } from 'react'
import styles from './table.module.css'

export type Column<Row> = {
  key: string
  /** Head of the column; screen readers read it before each cell. */
  head: ReactNode
  cell: (row: Row) => ReactNode
  isNumber?: boolean
  /** Left out on narrow screens: what it says stands on the screen that the row leads to. */
  isExtra?: boolean
  /** A number or a name that is read as one word: it is cut rather than broken. */
  isWhole?: boolean
}

type Props<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  foot?: ReactNode
  isChosen?: (row: Row) => boolean
}

/** A real table: what a browser searches, prints and reads aloud. It scrolls sideways by itself where it must. */
export function Table<Row>({ caption, columns, rows, keyOf, foot, isChosen }: Props<Row>) {
  const classOf = ({ isNumber, isExtra, isWhole }: Column<Row>) =>
    `${isNumber ? 'num' : ''} ${isExtra ? styles.extra : ''} ${isWhole ? styles.whole : ''}`
  return (
    <div className={styles.scroll} role="region" aria-label={caption} tabIndex={0}>
      <table className={styles.table}>
        <caption className="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} data-row aria-current={isChosen?.(row) ? 'true' : undefined}>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot !== undefined && <tfoot>{foot}</tfoot>}
      </table>
    </div>
  )
}

/** A bar behind a figure: how much of the largest it is. The figure itself says the same to everyone. */
export function Bar({ share, children }: { share: number; children: ReactNode }) {
  return (
    <span className={styles.barred}>
      <span
        className={styles.bar}
        aria-hidden="true"
        style={{ inlineSize: `${Math.max(0, Math.min(1, share)) * 100}%` }}
      />
      <span className={styles.barText}>{children}</span>
    </span>
  )
}
