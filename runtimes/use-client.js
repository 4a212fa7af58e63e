// Uses @tillgate/client as an integrator does, in the runtime that runs this file: npm run check -- client.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { Tillgate, TillgateError, toFetchHandler, toNodeHandler, verifyWebhook } from '@tillgate/client'

const { Bun, Deno, process } = globalThis
const runtime = Bun ? `Bun ${Bun.version}` : Deno ? `Deno ${Deno.version.deno}` : `Node ${process.versions.node}`
const env = Deno ? Deno.env.toObject() : process.env
let asked304 = 0
const counting = async (url, init) => {
  const answer = await fetch(url, init)
  if (answer.status === 304) asked304 += 1
  return answer
}
const tillgate = new Tillgate({ url: env.TILLGATE_URL, key: env.TILLGATE_KEY, cache: new Map(), fetch: counting })

/** Returns the first `count` items. */
async function first(count, items) {
  const found = []
  for await (const item of items) if (found.push(item) === count) return found
  return found
}

// Lists, page by page, and a second request for a resource, with its ETag.
const ids = (await first(120, tillgate.orders({ size: 50 }))).map(({ id }) => id)
assert.equal(new Set(ids).size, 120)
const order = await tillgate.order(ids[0])
assert.deepEqual(await tillgate.order(ids[0]), order)
assert.equal(asked304, 1)

// The feed from its beginning: the same events by stream and by polling. An abort ends a stream.
const streamed = await first(40, tillgate.events({ after: 0, transport: 'stream' }))
const polled = await first(40, tillgate.events({ after: 0, transport: 'poll' }))
assert.deepEqual(streamed, polled)
const stopping = new AbortController()
const waiting = first(
  1,
  tillgate.events({ transport: 'stream', signal: stopping.signal, onOpen: () => stopping.abort() }),
)
await assert.rejects(waiting, { name: 'AbortError' })

// A compressed push: one record that is already stored, and one that is not a valid order.
const records = [
  { type: 'order', data: order },
  { type: 'order', data: { ...order, total: 'a lot' } },
]
const verdicts = await first(2, tillgate.ingest(records))
assert.deepEqual(
  verdicts.map(({ status, record }) => [status, record]),
  [
    ['unchanged', records[0]],
    ['rejected', records[1]],
  ],
)

// A copy in memory; `sync` checks at the end that it is complete.
const copy = new Map()
let position
const result = await tillgate.sync({
  position: () => position,
  apply(changes, to) {
    for (const { key, document } of changes) copy.set(`${key.kind} ${key.id}`, document)
    position = to
  },
  count: countKinds,
  clear: () => copy.clear(),
})
function countKinds() {
  const counts = {}
  for (const key of copy.keys()) counts[key.split(' ')[0]] = (counts[key.split(' ')[0]] ?? 0) + 1
  return counts
}
assert.equal(result.isComplete, true, JSON.stringify(result))

// Errors are typed.
const refused = await tillgate.order('00000000-0000-4000-8000-000000000000').catch((error) => error)
assert.ok(refused instanceof TillgateError)
assert.deepEqual([refused.code, refused.status, typeof refused.requestId], ['order_not_found', 404, 'string'])

// Signatures: every vector of the server, then one delivery to each handler over HTTP.
const vectors = JSON.parse(await readFile('node_modules/@tillgate/client/conformance/signature.json', 'utf8'))
const headersOf = ({ id, timestamp, signature }) =>
  Object.fromEntries(
    Object.entries({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }).filter(
      ([, value]) => value !== undefined && value !== null,
    ),
  )
for (const { name, input, expect } of vectors.cases) {
  const options = { now: new Date(input.now * 1000) }
  const found = await verifyWebhook(input.body, headersOf(input), input.secrets.split(' '), options).then(
    () => 'ok',
    (error) => error.reason,
  )
  // The first vectors sign bodies that are not events: their signatures are valid, and then the body is refused.
  assert.ok(found === expect || (expect === 'ok' && found === 'body_invalid'), `${name}: ${found}, not ${expect}`)
}
const whole = vectors.cases.find(({ name }) => name === 'a whole delivery').input
const dealtWith = []
const handling = {
  secrets: whole.secrets.split(' '),
  now: new Date(whole.now * 1000),
  seen: new Set(),
  onEvent: ({ event }) => void dealtWith.push(event.sequence),
}
async function deliver(url) {
  const post = (body) => fetch(url, { method: 'POST', headers: headersOf(whole), body })
  const statuses = []
  for (const body of [whole.body, whole.body, `${whole.body} `]) statuses.push((await post(body)).status)
  assert.deepEqual(statuses, [204, 204, 400])
}
const server = createServer(toNodeHandler({ ...handling, seen: new Set() }))
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
await deliver(`http://127.0.0.1:${server.address().port}/`)
server.close()
const handle = toFetchHandler(handling)
if (Bun) {
  const serving = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: handle })
  await deliver(serving.url)
  await serving.stop(true)
} else if (Deno) {
  const serving = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => undefined }, handle)
  await deliver(`http://127.0.0.1:${serving.addr.port}/`)
  await serving.shutdown()
} else {
  const post = (body) => handle(new Request('http://x/', { method: 'POST', headers: headersOf(whole), body }))
  assert.deepEqual([(await post(whole.body)).status, (await post(whole.body)).status], [204, 204])
}
// Each handler ignored the second delivery, which it knew.
assert.deepEqual(dealtWith, [42, 42])

console.log(
  `ok  ${runtime}: ${ids.length} orders, ${streamed.length} events, ${result.applied} changes copied, ${vectors.cases.length} signatures`,
)
