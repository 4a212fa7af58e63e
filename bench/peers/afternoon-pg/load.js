import { readFileSync } from 'node:fs'

const snake = (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const rowOf = (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), value]))

const positioned = (rows = []) => rows.map((row, position) => ({ ...rowOf(row), position }))

/** Yields one document as the rows of its tables. */
function* rowsOf({ items, menus, payments, tips, ...order }) {
  const orderId = order.id
  yield ['orders', rowOf(order)]
  for (const [position, { discountsApplied, modifiers, tax, ...item }] of items.entries()) {
    const of = { order_id: orderId, item_position: position }
    const has = { order_id: orderId, position, has_modifiers: modifiers !== undefined }
    yield ['order_items', { ...rowOf(item), ...rowOf(tax), ...has }]
    for (const row of positioned(discountsApplied)) yield ['item_discounts', { ...row, ...of }]
    for (const row of positioned(modifiers)) yield ['item_modifiers', { ...row, ...of }]
  }
  for (const row of positioned(menus)) yield ['order_menus', { ...row, order_id: orderId }]
  for (const row of positioned(payments)) yield ['order_payments', { ...row, order_id: orderId }]
  for (const row of positioned(tips ?? [])) yield ['order_tips', { ...row, order_id: orderId }]
}

async function insert(client, table, rows) {
  const text = `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`
  await client.query({ name: `insert ${table}`, text, values: [JSON.stringify(rows)] })
}

/** Returns the rows of some orders by their tables, in an order in which they can be inserted. */
export function tablesOf(orders) {
  const tables = new Map()
  for (const order of orders) {
    for (const [table, row] of rowsOf(order)) {
      const rows = tables.get(table)
      if (rows) rows.push(row)
      else tables.set(table, [row])
    }
  }
  return tables
}

/** Stores orders that a till sent, for the first time or again, in one transaction; existing rows are replaced. */
export async function save(client, orders) {
  await client.query('begin')
  try {
    const ids = orders.map(({ id }) => id)
    await client.query({ name: 'replace', text: 'delete from orders where id = any($1)', values: [ids] })
    for (const [table, rows] of tablesOf(orders)) await insert(client, table, rows)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Fills a new database with the key's orders and catalog. `lines` are records of NDJSON, orders only. */
export async function load(client, { key, locationId, lines, products }) {
  await client.query(readFileSync(new URL('schema.sql', import.meta.url), 'utf8'))
  await client.query('insert into api_keys values ($1, $2)', [key, locationId])
  await insert(
    client,
    'catalog_products',
    positioned(products).map((row) => ({ ...row, location_id: locationId })),
  )
  let batch = []
  const flush = async () => {
    for (const [table, rows] of tablesOf(batch)) await insert(client, table, rows)
    batch = []
  }
  for (const line of lines) {
    batch.push(JSON.parse(line).data)
    if (batch.length === 1000) await flush()
  }
  await flush()
  await client.query('vacuum analyze')
}
