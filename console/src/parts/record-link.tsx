import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Foreign } from './text.tsx'
import type { Column } from './columns.tsx'

type Props = { kind: string; id: string; version?: number; children: ReactNode }

/** A link to an order or a Z report by its kind in the API; other records have no screen. */
export function RecordLink({ kind, id, version, children }: Props) {
  if (kind === 'report')
    return (
      <Link to="/z/$id" params={{ id }}>
        {children}
      </Link>
    )
  if (kind !== 'order') return children
  return (
    <Link to="/orders/$id" params={{ id }} search={version === undefined ? {} : { version: String(version) }}>
      {children}
    </Link>
  )
}

/** A column with the number of an order, which links to it. */
export const orderColumn = <Row,>(
  head: string,
  of: (row: Row) => { id: string; number: string },
  { isShown = false } = {},
): Column<Row> => ({
  key: 'number',
  head,
  isOneWord: true,
  cell: (row) => (
    <RecordLink kind="order" id={of(row).id}>
      <Foreign text={of(row).number || '–'} />
    </RecordLink>
  ),
  ...(isShown ? {} : { file: (row: Row) => of(row).number }),
})
