import type { ReactNode } from 'react'
import type { Format } from '../format/format.ts'
import { Button } from './button.tsx'
import type { FileCell } from './csv.ts'
import { Foreign, Time, type TimeForm } from './text.tsx'

export type Column<Row> = {
  key: string
  /** Heading of the column; screen readers read it before each cell. */
  head: ReactNode
  cell: (row: Row) => ReactNode
  /** A second line of the cell, in gray. */
  note?: (row: Row) => ReactNode
  /** The value of the cell in a file: as it is, not as it is shown. Without it the column is in no file. */
  file?: (row: Row) => FileCell
  /** The value that rows are sorted by, if it differs from that in a file. */
  sort?: (row: Row) => FileCell
  /** Heading in a file if `head` is not text. */
  fileHead?: string
  /** The total of the column. */
  total?: (rows: readonly Row[]) => ReactNode
  isNumber?: boolean
  /** Left out on narrow screens: the linked screen shows it too. */
  isExtra?: boolean
  /** A number or a name that is read as one word: it is truncated rather than broken. */
  isOneWord?: boolean
}

/** The value of a row. */
type Of<Row, Value> = (row: Row) => Value | null | undefined

type Options = {
  isExtra?: boolean
  isOneWord?: boolean
  /** The column is shown on the screen, but left out of files. */
  isShown?: boolean
  /** The column can be added up. */
  adds?: boolean
}

/** The total of a column of numbers. */
export const totalOf =
  <Row,>(of: Of<Row, number>, write: (sum: number) => string) =>
  (rows: readonly Row[]) =>
    write(rows.reduce((sum, row) => sum + (of(row) ?? 0), 0))

/** A column of numbers, formatted on the screen, and as `toFile` in a file. */
const formattedColumn =
  (write: (value: number | null) => string, toFile: (value: number | null) => FileCell) =>
  <Row,>(key: string, head: string, of: Of<Row, number>, { isShown, isExtra, adds }: Options = {}): Column<Row> => ({
    key,
    head,
    isNumber: true,
    isExtra: isExtra === true,
    cell: (row) => write(of(row) ?? null),
    sort: (row) => of(row) ?? null,
    ...(adds === true ? { total: totalOf(of, write) } : {}),
    ...(isShown === true ? {} : { file: (row: Row) => toFile(of(row) ?? null) }),
  })

/** Returns a column of amounts in minor units: formatted on the screen, and in major units in a file. */
export const moneyColumn = ({ money, major }: Format) => formattedColumn(money, major)

export const numberColumn = ({ number }: Format) => formattedColumn(number, (value) => value)

/** A column of text from others. */
export const textColumn = <Row,>(
  key: string,
  head: string,
  of: Of<Row, string>,
  { isShown = false, isExtra = false, isOneWord = false }: Options = {},
): Column<Row> => ({
  key,
  head,
  isExtra,
  isOneWord,
  cell: (row) => <Foreign text={of(row) ?? null} />,
  sort: (row) => of(row) ?? null,
  ...(isShown ? {} : { file: (row: Row) => of(row) ?? null }),
})

/** A column of times; `file` is their format in files, if files include them. */
export const timeColumn = <Row,>(
  key: string,
  head: string,
  of: Of<Row, string>,
  { as, isExtra = false, file }: { as?: TimeForm; isExtra?: boolean; file?: (at: string | null) => FileCell } = {},
): Column<Row> => ({
  key,
  head,
  isExtra,
  cell: (row) => <Time at={of(row)} as={as} />,
  ...(file === undefined ? {} : { file: (row: Row) => file(of(row) ?? null) }),
})

/** A column with a button in each row that has one. */
export const actionColumn = <Row,>(
  name: string,
  onAct: (row: Row) => void,
  isShown: (row: Row) => boolean = () => true,
): Column<Row> => ({
  key: name,
  head: <span className="hidden">{name}</span>,
  cell: (row) =>
    isShown(row) && (
      <Button kind="quiet" onClick={() => onAct(row)}>
        {name}
      </Button>
    ),
})
