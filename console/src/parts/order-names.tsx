import { Link } from '@tanstack/react-router'
import type { OrderPage } from '@tillgate/client'
import { useApi, type Call } from '../api/use-api.ts'
import { Foreign, Id } from './text.tsx'

/** Numbers of orders by their ids; undefined while loading. */
type Numbers = ReadonlyMap<string, string> | undefined

/** Returns the numbers of orders that carry the id of a Z report: up to a hundred, requested when they are shown. */
export function useOrderNumbers(reportId: string, isShown: boolean): Numbers {
  const call: Call = { path: '/v1/orders/', query: { reportId, size: 100, sort: '-createdAt' } }
  const { data, error } = useApi<OrderPage>(isShown ? call : null)
  if (isShown && data === undefined && error === null) return undefined
  return new Map(data?.data.data.map(({ id, orderNumber }) => [id, orderNumber]))
}

type Props = { id: string; numbers: Numbers; isMissing?: boolean }

/** An order by its number; by its id if the number is unknown, and without a link if it never arrived. */
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
