import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { commandsOn, serve, start, stop, tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { freePort } from '../../support/ports.ts'
import { startReceiver } from '../../support/receiver.ts'
import { locationOf, order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const { connection } = await createDatabase()
const on = ['--database-url', toUrl(connection)]
const { run, json, refuses } = commandsOn({}, on)
const receiver = await startReceiver()
const open = ['--allow-http', '--allow-address', '127.0.0.0/8']
// A fixed port: it is the same after a restart.
const port = String(await freePort())
const server = await serve([...on, ...open, '--port', port])
atEnd(async () => {
  await stop(server)
  await receiver.close()
})
const { id: location } = await json`location create --name Bistro`
const scope = 'read,webhooks,ingest'
const { key } = await json`key create --location ${location} --scope ${scope}`

async function call(method: string, path: string, body: unknown): Promise<any> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  return response.json()
}

const push = (n: number) => call('POST', '/v1/ingest/', order(smallOrderOf(location, n)))

const endpointUrl = receiver.url('/hook')
const { id } = await call('POST', '/v1/webhooks/', {
  events: ['order.created'],
  endpointUrl,
  locationId: location,
  recipientId: randomUUID(),
})

const statusOf = async () => (await json`webhook list --location ${location}`)[0]

test('webhook list shows the state of each, and deliveries what was sent', async () => {
  await push(1)
  await receiver.waitFor('/hook', 1)
  await eventually(async () => (await statusOf()).behind === 0, 'the delivery is recorded')
  const { state, setAside, endpointUrl: called } = await statusOf()
  assert.deepEqual([state, setAside, called], ['enabled', 0, endpointUrl])
  const [attempt] = await json`webhook deliveries ${id}`
  assert.deepEqual([attempt.event, attempt.success, attempt.status, attempt.attempt], ['order.created', true, 200, 1])
  assert.deepEqual(await json`webhook deliveries ${id} --failed`, [])
  const shown = await run`webhook list`
  assert.match(shown.stdout, new RegExp(`${id}.*enabled.*order\\.created`))
})

test('webhook replay resends with the same webhook-id', async () => {
  const before = receiver.at('/hook').length
  await json`webhook replay ${id} --sequence 1`
  await receiver.waitFor('/hook', before + 1)
  const ids = receiver.at('/hook').map(({ headers }) => headers['webhook-id'])
  assert.equal(ids.at(-1), ids[0])
})

test('webhook enable resumes one that a 410 disabled, without a loss', async () => {
  receiver.answer('/hook', () => 410)
  await push(2)
  await eventually(async () => (await statusOf()).state === 'disabled', 'the 410 disables it')
  await eventually(async () => {
    const acts: { act?: string; by?: string; subject?: string }[] = await json`access --location ${location}`
    return acts.some(({ act, by, subject }) => act === 'webhook.disabled' && by === 'delivery' && subject === id)
  }, 'the log of access says that the worker disabled it')
  receiver.answer('/hook', () => 200)
  const before = receiver.at('/hook').length
  await push(3)
  await json`webhook enable ${id}`
  await receiver.waitFor('/hook', before + 2)
  const numbers = receiver
    .at('/hook')
    .slice(before)
    .map(({ event }) => event.sequence)
  assert.equal(new Set(numbers).size, 2)
})

test('webhook disable stops deliveries until enable, without a loss', async () => {
  const stopped = await json`webhook disable ${id}`
  assert.deepEqual([stopped.id, stopped.state, stopped.disabledReason], [id, 'disabled', 'operator'])
  const before = receiver.at('/hook').length
  await push(31)
  const [marker] = [receiver.url('/marker')]
  const other = await call('POST', '/v1/webhooks/', {
    events: ['order.created'],
    endpointUrl: marker,
    locationId: location,
    recipientId: randomUUID(),
  })
  await push(32)
  await receiver.waitFor('/marker', 1)
  assert.equal(receiver.at('/hook').length, before, 'others are called, it is not')
  await json`webhook enable ${id}`
  await receiver.waitFor('/hook', before + 2)
  assert.deepEqual(await json`webhook delete ${other.id}`, { id: other.id })
  assert.match((await run`webhook disable ${other.id}`).stderr, /webhook \S+ does not exist/)
  // The access log has the state before and after each of these actions.
  const acts = await json`access --location ${location}`
  const changesOf = (act: string) => acts.findLast((one: any) => one.act === act && one.by === 'cli')?.changes
  assert.deepEqual(changesOf('webhook.replayed'), [{ field: 'sequence', before: null, after: '1' }])
  assert.deepEqual(changesOf('webhook.disabled'), [{ field: 'state', before: 'enabled', after: 'disabled' }])
  assert.deepEqual(changesOf('webhook.enabled'), [{ field: 'state', before: 'disabled', after: 'enabled' }])
  const [address, ...rest] = changesOf('webhook.deleted')
  assert.deepEqual(address, { field: 'endpointUrl', before: new URL(marker).origin, after: null })
  assert.deepEqual(
    rest.map(({ field }: any) => field),
    ['events', 'recipientId'],
  )
})

test('webhook test exits with 0 if every event is answered with 2xx, otherwise with 1', async () => {
  const args = ['webhook', 'test', id, ...on, ...open]
  assert.equal((await tillgate(args)).code, 0)
  receiver.answer('/hook', () => 500)
  const failed = await tillgate(args)
  assert.equal(failed.code, 1)
  assert.match(failed.stdout, /order\.created +500/)
  receiver.answer('/hook', () => 200)
})

test('an unknown webhook and wrong options are errors with exit code 2', async () => {
  await refuses(/webhook \S+ does not exist/)`webhook enable ${randomUUID()}`
  await refuses(/location \S+ does not exist/)`webhook list --location ${randomUUID()}`
  const both = await run`webhook replay ${id} --sequence 1 --since 2026-01-01`
  assert.equal(both.code, 2)
  assert.match((await run`webhook deliveries ${id} --event x`).stderr, /--event must be one of/)
})

test('no text of a till or a receiver controls the terminal or adds a line, in any command', async () => {
  const hostile = 'Ca\u001b]0;owned\u0007fé\u009b2J\u007f\u202e'
  const made = await json`location create --name Place`
  const at = ['--location', made.id, ...on]
  const own = (await tillgateJson(['key', 'create', '--scope', scope, '--name', 'own', ...at])).key
  const send = async (path: string, body: unknown): Promise<any> => {
    const headers = { 'x-api-key': own, 'content-type': 'application/json' }
    return (await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json()
  }
  receiver.answer('/hostile', () => ({ status: 500, body: hostile }))
  const events = ['order.created']
  const target = { endpointUrl: receiver.url('/hostile'), locationId: made.id, recipientId: randomUUID() }
  const { id: hooked } = await send('/v1/webhooks/', { events, ...target })
  const listening = start(process.execPath, [
    'src/main.ts',
    'listen',
    '--url',
    server.url,
    '--key',
    own,
    '--after',
    '0',
  ])
  const bad = { ...order(smallOrderOf(made.id, 1)), [hostile]: 1 }
  const warned = smallOrderOf(made.id, 2, { orderNumber: `${hostile}\nFORGED LINE`, orderPlace: hostile, total: 77 })
  const place = { type: 'location', data: { ...locationOf(made.id), name: hostile } }
  const answer = await send('/v1/ingest/', [bad, order(warned), place])
  assert.deepEqual([answer.accepted, answer.rejected, answer.warned], [2, 1, 1])
  await receiver.waitFor('/hostile', 1)
  await eventually(() => listening.written.stdout.includes('FORGED'), 'listen has printed the order')
  await eventually(async () => (await json`webhook deliveries ${hooked}`).length > 0, 'the delivery is recorded')
  const commands = [
    ['location', 'list', ...on],
    ['webhook', 'list', ...at],
    ['webhook', 'deliveries', hooked, ...on],
    ['webhook', 'deliveries', hooked, '--json', ...on],
    ['rejected', 'list', ...at],
    ['warnings', 'list', ...at],
    ['access', ...at],
    ['status', ...on],
  ]
  const ended = await Promise.all([...commands.map((args) => tillgate(args)), stop(listening, 'SIGINT')])
  // oxlint-disable-next-line no-control-regex -- the characters that must not occur
  const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
  for (const [i, { code, stdout, stderr }] of ended.entries()) {
    const name = commands[i]?.slice(0, 2).join(' ') ?? 'listen'
    assert.equal(code, 0, `${name}: ${stderr}`)
    assert.ok(!steering.test(stdout) && !steering.test(stderr), `${name} prints ${JSON.stringify(stdout)}`)
    assert.doesNotMatch(stdout, /^FORGED/m, name)
    if (name !== 'access') assert.match(stdout, /\S/, name)
  }
})

test('rotate prints a new secret for each webhook of a location, and deliveries have both signatures', async () => {
  const made = await json`location create --name Rotated`
  const { key: own } = await json`key create --location ${made.id} --scope webhooks,ingest`
  const call = async (path: string, body?: object) => {
    const headers = { 'x-api-key': own, 'content-type': 'application/json' }
    const sent = body && { method: 'POST', body: JSON.stringify(body) }
    return (await (await fetch(server.url + path, { headers, ...sent })).json()) as any
  }
  const before = new Map<string, string>()
  for (const path of ['/rotated-1', '/rotated-2']) {
    const input = {
      events: ['order.created'],
      endpointUrl: receiver.url(path),
      locationId: made.id,
      recipientId: randomUUID(),
    }
    const { id } = await call('/v1/webhooks/', input)
    before.set(id, (await call(`/v1/webhooks/${id}/secret`)).secret)
  }
  const rotated: { id: string; secret: string }[] = await json`webhook rotate --location ${made.id}`
  assert.deepEqual(new Set(rotated.map(({ id }) => id)), new Set(before.keys()))
  for (const { id, secret } of rotated) {
    assert.notEqual(secret, before.get(id))
    assert.equal((await call(`/v1/webhooks/${id}/secret`)).secret, secret)
  }
  await call('/v1/ingest/', [order(smallOrderOf(made.id, 1))])
  const [receipt] = await receiver.waitFor('/rotated-1', 1)
  const [first] = rotated.filter(({ id }) => id === [...before.keys()][0])
  for (const secret of [first?.secret ?? '', [...before.values()][0] ?? '']) {
    new Webhook(secret).verify(receipt?.body.toString() ?? '', receipt?.headers as Record<string, string>)
  }
  const acts = await json`access --location ${made.id}`
  assert.equal(acts.filter(({ act }: any) => act === 'webhook.secret_rotated').length, 2)
  assert.match((await run`webhook rotate`).stderr, /either the id of a webhook or --location/)
})

test('listen prints live events, forwards them signed, continues after a restart of the server, and ends on Ctrl-C', async () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const target = receiver.url('/laptop')
  const args = ['listen', '--url', server.url, '--key', key, '--forward', target, '--secret', secret, '--json']
  const listening = start(process.execPath, ['src/main.ts', ...args, '--types', 'order.created', '--after', '0'])
  await receiver.waitFor('/laptop', 5)
  await push(4)
  await receiver.waitFor('/laptop', 6)
  await stop(server)
  const again = await serve([...on, ...open, '--port', port])
  await push(5)
  await receiver.waitFor('/laptop', 7)
  const receipts = receiver.at('/laptop')
  for (const { body, headers } of receipts) {
    new Webhook(secret).verify(body.toString(), headers as Record<string, string>)
  }
  assert.equal(new Set(receipts.map(({ event }) => event.id)).size, 7)
  const ended = await stop(listening, 'SIGINT')
  assert.equal(ended.code, 0, ended.stderr)
  assert.equal(ended.stderr.match(/Listening/g)?.length, 1)
  // Repeated because the test may be faster than the server, which is still stopping: then the next stream ends too.
  assert.match(ended.stderr, /^The stream was interrupted: .+ Reconnecting\.$/m)
  const printed = ended.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { sequence: number })
  assert.equal(printed.length, 7)
  await stop(again)
})

test('listen reports at once that nothing answers at its URL, and retries', async () => {
  const broken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
  const listening = start(process.execPath, ['src/main.ts', 'listen', '--url', url, '--key', key])
  await eventually(() => listening.written.stderr.includes('Reconnecting'), 'listen has printed it')
  const ended = await stop(listening, 'SIGINT')
  broken.close()
  assert.equal(ended.code, 0, ended.stderr)
  assert.match(
    ended.stderr,
    new RegExp(`^${url} cannot be reached: GET /v1/events/ got no response: .+ Reconnecting\\.\n$`),
  )
})

test('listen ends on SIGTERM like other programs, also as a separate program', async () => {
  const nobody = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(nobody, 'listening')
  const flags = ['--url', `http://127.0.0.1:${(nobody.address() as AddressInfo).port}`, '--key', key]
  for (const program of [['src/main.ts', 'listen'], ['simulator/cli/listen-alone.ts']]) {
    const listening = start(process.execPath, [...program, ...flags])
    await eventually(() => listening.written.stderr.includes('Reconnecting'), 'listen tries')
    const { code, signal, stderr } = await stop(listening, 'SIGTERM')
    assert.deepEqual([code, signal], [null, 'SIGTERM'], stderr)
    assert.doesNotMatch(stderr, /error:/)
  }
  nobody.close()
})

test('listen without a valid key reports what is wrong', async () => {
  assert.match((await tillgate(['listen'])).stderr, /--key or TILLGATE_KEY/)
  const served = await serve(on)
  const refused = await tillgate(['listen', '--url', served.url, '--key', 'x', '--json'])
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /"code":"key_unknown"/)
  assert.doesNotMatch(refused.stderr, /Listening/)
  // Nothing responds at this proxy, so only a direct connection to the server of this machine works.
  const env = { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: 'example.com' }
  const direct = await tillgate(['listen', '--url', served.url, '--key', 'x', '--json'], { env })
  assert.match(direct.stderr, /"code":"key_unknown"/)
  await stop(served)
})
