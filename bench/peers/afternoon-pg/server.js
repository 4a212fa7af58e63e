// What an engineer writes in an afternoon: Fastify, normalised tables, JSON built in SQL, one pool of `pg`.
import Fastify from 'fastify'
import pg from 'pg'
import { answer } from '../../support/child.ts'
import { orderLines } from '../../support/orders.ts'
import { load } from './load.js'
import { countOrders, getOrder, listOrders, listProducts } from './queries.js'

/** Named, so that each connection prepares it once. */
const named = (name, text, values) => ({ name, text, values })

/** `modifiers` and `stockImpactIndicator` are present on some items only. */
function tidy(order) {
  for (const item of order.items) {
    if (item.modifiers === null) delete item.modifiers
    if (item.stockImpactIndicator === null) delete item.stockImpactIndicator
  }
  for (const tip of order.tips ?? []) for (const name of Object.keys(tip)) if (tip[name] === null) delete tip[name]
  return order
}

const pageQuery = {
  type: 'object',
  properties: {
    index: { type: 'integer', minimum: 0, default: 0 },
    size: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    since: { type: 'string', format: 'date', default: '0001-01-01' },
    until: { type: 'string', format: 'date', default: '9999-12-31' },
  },
}

function linksOf(request, totalPage) {
  const url = new URL(`${request.protocol}://${request.host}${request.url}`)
  const at = (index) => {
    url.searchParams.set('index', index)
    return url.href
  }
  const { index } = request.query
  return {
    self: url.href,
    first: at(0),
    last: at(Math.max(totalPage - 1, 0)),
    next: index + 1 < totalPage ? at(index + 1) : null,
    prev: index > 0 ? at(index - 1) : null,
  }
}

function build(pool) {
  const app = Fastify()
  app.addHook('onRequest', async (request, reply) => {
    const key = request.headers['x-api-key']
    const { rows } = await pool.query(named('key', 'select location_id from api_keys where key = $1', [key]))
    if (rows.length === 0) return reply.code(401).send({ error: 'unknown key' })
    request.locationId = rows[0].location_id
  })
  app.get('/v1/orders/:id', async (request, reply) => {
    const { rows } = await pool.query(named('order', getOrder, [request.locationId, request.params.id]))
    return rows.length === 0 ? reply.code(404).send({ error: 'not found' }) : tidy(rows[0].order)
  })
  app.get('/v1/orders/', { schema: { querystring: pageQuery } }, async (request) => {
    const { index, size, since, until } = request.query
    const range = [request.locationId, `${since}T00:00:00.000Z`, `${until}T23:59:59.999Z`]
    const [counted, found] = await Promise.all([
      pool.query(named('count', countOrders, range)),
      pool.query(named('orders', listOrders, [...range, size, index * size])),
    ])
    const totalCount = counted.rows[0].n
    const totalPage = Math.ceil(totalCount / size)
    const meta = { totalCount, currentPageIndex: index, totalPage, pageSize: size }
    return { data: found.rows.map(({ order }) => tidy(order)), meta, links: linksOf(request, totalPage) }
  })
  app.get('/v1/catalog/', async (request) => {
    const { rows } = await pool.query(named('products', listProducts, [request.locationId]))
    return rows
  })
  return app
}

answer({
  start: async ({ connection, key, spread, products }) => {
    const pool = new pg.Pool({ ...connection, max: 10 })
    const client = await pool.connect()
    await load(client, { key, locationId: spread.locationId, lines: orderLines(spread), products })
    client.release()
    return build(pool).listen({ host: '127.0.0.1', port: 0 })
  },
})
