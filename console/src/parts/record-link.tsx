import type { ReactNode } from 'react'
import { Foreign } from './text.tsx'
import { Way } from './way.tsx'
import type { Column } from './columns.tsx'

type Props = { kind: string; id: string; version?: number; children: ReactNode }

/** A link to an order or a Z report by its kind in the API; other records have no screen. */
export function RecordLink({ kind, id, version, children }: Props) {
  if (kind === 'report') return <Way link={{ to: '/z/$id', params: { id } }}>{children}</Way>
  if (kind !== 'order') return children
  const search = (version === undefined ? {} : { version: String(version) }) as never
  return <Way link={{ to: '/orders/$id', params: { id }, search }}>{children}</Way>
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
