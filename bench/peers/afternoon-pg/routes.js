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

/** Adds the routes to a Fastify instance; `store` has the queries, each for the location of the key. */
export function addRoutes(app, store) {
  app.addHook('onRequest', async (request, reply) => {
    request.locationId = await store.findLocation(request.headers['x-api-key'])
    if (!request.locationId) return reply.code(401).send({ error: 'unknown key' })
  })
  app.get('/v1/orders/:id', async (request, reply) => {
    const order = await store.findOrder(request.locationId, request.params.id)
    return order ?? reply.code(404).send({ error: 'not found' })
  })
  app.get('/v1/orders/', { schema: { querystring: pageQuery } }, async (request) => {
    const { index, size, since, until } = request.query
    const range = [request.locationId, `${since}T00:00:00.000Z`, `${until}T23:59:59.999Z`]
    const [totalCount, data] = await Promise.all([
      store.countOrders(...range),
      store.listOrders(...range, size, index * size),
    ])
    const totalPage = Math.ceil(totalCount / size)
    const meta = { totalCount, currentPageIndex: index, totalPage, pageSize: size }
    return { data, meta, links: linksOf(request, totalPage) }
  })
  // One order, or an array of orders.
  app.post('/v1/orders/', { bodyLimit: 64 * 1024 * 1024 }, async (request, reply) => {
    const orders = [request.body].flat()
    const isOwn = orders.every(({ locationId }) => locationId === request.locationId)
    if (!isOwn) return reply.code(422).send({ error: 'an order of another location' })
    await store.saveOrders(orders)
    return { accepted: orders.length }
  })
  app.get('/v1/catalog/', async (request) => store.listProducts(request.locationId))
  return app
}
