import { createHmac } from 'node:crypto'
import { role } from '../../../src/core/embedded/cluster.ts'
import type { Dialect } from '../dialect.ts'

const orderFields = [
  'select=*,items:order_items(*,discounts_applied:item_discounts(*),modifiers:item_modifiers(*))',
  ',menus:order_menus(*),payments:order_payments(*),tips:order_tips(*)&items.order=position',
  '&items.discounts_applied.order=position&items.modifiers.order=position',
  '&menus.order=position&payments.order=position&tips.order=position',
].join('')

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Returns a token that does not expire, for the only role. */
function tokenOf(key: string): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ role })}`
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`
}

export const postgrest: Dialect = {
  path(ask, locationId) {
    if (ask.of === 'order') return `/orders?id=eq.${ask.id}&${orderFields}`
    if (ask.of === 'catalog') return `/catalog_products?location_id=eq.${locationId}&order=position`
    const { index, size, since, until } = ask
    const range = [since && `&created_at=gte.${since}`, until && `&created_at=lte.${until}`].join('')
    const filter = `location_id=eq.${locationId}&closed_at=not.is.null${range}`
    return `/orders?${filter}&${orderFields}&order=created_at,id&limit=${size}&offset=${index * size}`
  },
  headers(ask, key) {
    const authorization = `Bearer ${tokenOf(key)}`
    return ask.of === 'page' ? { authorization, prefer: 'count=exact' } : { authorization }
  },
  read: (rows, headers) => ({ rows, totalCount: Number(headers.get('content-range')?.split('/')[1]) }),
}
