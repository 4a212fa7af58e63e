import { Link } from '@tanstack/react-router'
import type { OrderPage } from '@tillgate/client'
import type { Call } from '../api/request.ts'
import { useApi } from '../api/use-api.ts'
import { Foreign, Id } from './text.tsx'

/** Numbers of orders by their ids; undefined while they are asked for. */
type Numbers = ReadonlyMap<string, string> | undefined

/** Those of the orders that carry the id of a Z report: of a hundred of them, which are asked for where they are shown. */
export function useOrderNumbers(reportId: string, isShown: boolean): Numbers {
  const call: Call = { path: '/v1/orders/', query: { reportId, size: 100, sort: '-createdAt' } }
  const { data, error } = useApi<OrderPage>(isShown ? call : null)
  if (isShown && data === undefined && error === null) return undefined
  return new Map(data?.data.data.map(({ id, orderNumber }) => [id, orderNumber]))
}

type Props = { id: string; numbers: Numbers; isMissing?: boolean }

/** An order by the number that people know it by; by its id where that is not known, and no link where it never arrived. */
export function OrderName({ id, numbers, isMissing = false }: Props) {
  const number = numbers?.get(id) ?? ''
  const name = number === '' ? <Id id={id} /> : <Foreign text={number} />
  if (isMissing) return name
  return (
    <Link to="/orders/$id" params={{ id }} data-loading={numbers === undefined || undefined}>
      {name}
    </Link>
  )
}
