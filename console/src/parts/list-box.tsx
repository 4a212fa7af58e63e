import type { ReactNode } from 'react'
import type { Call, Read } from '../api/use-api.ts'
import { Pager } from './filters.tsx'
import { More } from './more.tsx'
import { Box } from './page.tsx'
import { Async, Empty } from './states.tsx'
import { Table, type TableProps } from './table.tsx'

type Meta = { totalPage?: number; currentPageIndex?: number; next?: string | null }

type Answer<Row> = { data: readonly Row[]; meta?: object }

type Props<Row, Given extends Answer<Row>> = Omit<TableProps<Row>, 'caption' | 'rows' | 'pager'> & {
  /** Heading of the box, and caption of the table. */
  title?: string
  /** Caption of a table whose box has no heading. */
  caption?: string
  aside?: ReactNode
  call?: Call
  read: Read<Given>
  /** Number of rows of the placeholder. */
  lines?: number
  /** Why there are no rows. */
  none: ReactNode
  /** The shown rows, if they are not those of the answer. */
  toRows?: (rows: readonly Row[]) => readonly Row[]
  /** The links to the other pages, if there are any: by the number of the page, or by a cursor. */
  pages?: 'number' | 'cursor'
  /** Above the table, such as filters. */
  before?: ReactNode
  /** Below the table. */
  after?: (answer: Given) => ReactNode
}

/** A list of the API in a box: its rows in a table, or why there are none. */
export function ListBox<Row, Given extends Answer<Row> = Answer<Row>>({
  title,
  caption = title ?? '',
  aside,
  call,
  read,
  lines = 6,
  none,
  toRows,
  pages,
  before,
  after,
  ...table
}: Props<Row, Given>) {
  return (
    <Box title={title} aside={aside} call={call} flush>
      {before}
      <Async read={read} rows={lines}>
        {(answer) => {
          const rows = toRows === undefined ? answer.data : toRows(answer.data)
          if (rows.length === 0) return typeof none === 'string' ? <Empty title={none} /> : none
          const { totalPage = 1, currentPageIndex = 0, next = null } = (answer.meta ?? {}) as Meta
          const pager =
            pages === 'number' ? <Pager page={currentPageIndex} pages={totalPage} /> : pages && <More next={next} />
          return (
            <>
              <Table<Row> caption={caption} rows={rows} pager={pager} {...table} />
              {after?.(answer)}
            </>
          )
        }}
      </Async>
    </Box>
  )
}
