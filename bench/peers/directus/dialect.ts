import type { Dialect } from '../dialect.ts'

const orderFields = 'fields=*,items.*,items.discounts_applied.*,items.modifiers.*,menus.*,payments.*,tips.*'

const filterOf = (filter: object) => `filter=${encodeURIComponent(JSON.stringify(filter))}`

export const directus: Dialect = {
  path(ask, locationId) {
    if (ask.of === 'order') return `/items/orders/${ask.id}?${orderFields}`
    const ofLocation = { location_id: { _eq: locationId } }
    if (ask.of === 'catalog') return `/items/catalog_products?sort=position&limit=-1&${filterOf(ofLocation)}`
    const { index, size, since, until } = ask
    const filter = filterOf({
      ...ofLocation,
      closed_at: { _nnull: true },
      created_at: { ...(since && { _gte: since }), ...(until && { _lte: until }) },
    })
    const page = `sort=created_at,id&limit=${size}&offset=${index * size}&meta=filter_count`
    return `/items/orders?${orderFields}&${page}&${filter}`
  },
  headers: (_ask, key) => ({ authorization: `Bearer ${key}` }),
  read: ({ data, meta }) => ({ rows: [data].flat(), totalCount: meta?.filter_count }),
}
