/** The data that an integrator requests, in terms common to all servers. Moments are in ISO format. */
export type Ask =
  | { of: 'order'; id: string }
  | { of: 'page'; index: number; size: number; since?: string; until?: string }
  | { of: 'catalog' }

export type Row = Record<string, any>

/** How to request this data from a widely used server on the tables of `afternoon-pg`. */
export type Dialect = {
  path(ask: Ask, locationId: string): string
  headers(ask: Ask, key: string): Record<string, string>
  /** The rows and, for a page, the total number over all pages. */
  read(body: any, headers: Headers): { rows: Row[]; totalCount: number }
}

/** Columns that only link the tables. */
const keys = new Set(['row_id', 'order_id', 'item_id', 'item_position', 'position', 'has_modifiers'])

/** Amounts, which are JSON numbers or, from servers that keep every digit, text. */
const amounts = new Set(
  ['quantity', 'weight', 'unit_price', 'total', 'total_tax', 'total_discount', 'tax_rate', 'tax_amount'].concat([
    'discount_value',
    'payment_amount',
    'amount',
  ]),
)

const moments = new Set(['created_at', 'updated_at', 'opened_at', 'closed_at'])

const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function valueOf(name: string, value: unknown): unknown {
  if (value === null) return null
  if (amounts.has(name)) return Number(value)
  return moments.has(name) ? new Date(value as string).toISOString() : value
}

function fieldsOf(row: Row): Row {
  const named = Object.entries(row).filter(([name]) => !keys.has(name))
  return Object.fromEntries(named.map(([name, value]) => [camel(name), valueOf(name, value)]))
}

const present = (row: Row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))

function toItem({ discounts_applied: discounts, modifiers, stock_impact_indicator: stock, ...row }: Row): Row {
  const { taxName, taxRate, taxAmount, taxCatalogId, ...item } = fieldsOf(row)
  return {
    ...item,
    discountsApplied: discounts.map(fieldsOf),
    ...(row['has_modifiers'] && { modifiers: modifiers.map(fieldsOf) }),
    ...(stock !== null && { stockImpactIndicator: stock }),
    tax: { taxName, taxRate, taxAmount, taxCatalogId },
  }
}

function toOrder({ items, menus, payments, tips, ...row }: Row): Row {
  return {
    ...fieldsOf(row),
    items: items.map(toItem),
    menus: menus.map(fieldsOf),
    payments: payments.map(fieldsOf),
    tips: tips.length === 0 ? null : tips.map((tip: Row) => present(fieldsOf(tip))),
  }
}

function toProduct({ location_id: _location, ...row }: Row): Row {
  return fieldsOf(row)
}

/** Returns the content of the rows, in the fields and forms of Tillgate's responses; for a page without its links. */
export function toAnswer(ask: Ask, { rows, totalCount }: ReturnType<Dialect['read']>): unknown {
  if (ask.of === 'catalog') return rows.map(toProduct)
  if (ask.of === 'order') return rows.map(toOrder)[0]
  const totalPage = Math.ceil(totalCount / ask.size)
  const meta = { totalCount, currentPageIndex: ask.index, totalPage, pageSize: ask.size }
  return { data: rows.map(toOrder), meta }
}
