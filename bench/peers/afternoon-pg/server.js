// What an engineer writes in an afternoon: Fastify, normalised tables, JSON built in SQL, one pool of `pg`.
import Fastify from 'fastify'
import pg from 'pg'
import { answer } from '../../support/child.ts'
import { orderLines } from '../../support/orders.ts'
import { load, save } from './load.js'
import { countOrders, getOrder, listOrders, listProducts } from './queries.js'
import { addRoutes } from './routes.js'

/** Removes empty fields that are present on some items and tips only. */
function tidy(order) {
  for (const item of order.items) {
    if (item.modifiers === null) delete item.modifiers
    if (item.stockImpactIndicator === null) delete item.stockImpactIndicator
  }
  for (const tip of order.tips ?? []) for (const name of Object.keys(tip)) if (tip[name] === null) delete tip[name]
  return order
}

function createStore(pool) {
  /** Runs a named query, so that each connection prepares it once. */
  const query = async (name, text, values) => (await pool.query({ name, text, values })).rows
  return {
    async findLocation(key) {
      const [row] = await query('key', 'select location_id from api_keys where key = $1', [key])
      return row?.location_id
    },
    async findOrder(locationId, id) {
      const [row] = await query('order', getOrder, [locationId, id])
      return row && tidy(row.order)
    },
    async listOrders(...values) {
      const rows = await query('orders', listOrders, values)
      return rows.map(({ order }) => tidy(order))
    },
    async countOrders(...values) {
      const [row] = await query('count', countOrders, values)
      return row.n
    },
    async saveOrders(orders) {
      const client = await pool.connect()
      try {
        await save(client, orders)
      } finally {
        client.release()
      }
    },
    listProducts: (locationId) => query('products', listProducts, [locationId]),
  }
}

answer({
  start: async ({ connection, key, spread, products }) => {
    const pool = new pg.Pool({ ...connection, max: 8, idleTimeoutMillis: 100 })
    const client = await pool.connect()
    await load(client, { key, locationId: spread.locationId, lines: orderLines(spread), products })
    client.release()
    return addRoutes(Fastify(), createStore(pool)).listen({ host: '127.0.0.1', port: 0 })
  },
})
