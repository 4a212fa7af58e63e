import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import { AppError } from '../../../src/core/contract/errors/errors.ts'
import { RefusalLog } from '../../../src/core/http/guard/refusals.ts'
import { createLog } from '../../../src/core/server/log.ts'
import { startApp, type Answer, type LogLine } from '../../support/app.ts'

const app = await startApp()
const limited = await app.addKey(app.location, { scopes: ['read'] })

/** Resolves to the log entry of a request. */
async function lineOf(ask: () => Promise<Answer>): Promise<LogLine | undefined> {
  const { headers } = await ask()
  const found = app.lines.filter(({ requestId }) => requestId === headers['x-request-id'])
  assert.ok(found.length <= 1, 'a request has one line at most')
  return found[0]
}

test('a refused request is one log line: method, route, path, status, code, key, request and time', async () => {
  const line = await lineOf(() => app.get('/v1/orders/nonsense?secret=no', { key: limited.key }))
  assert.ok(line)
  const { level, method, route, path, status, code, keyId, ms } = line
  assert.deepEqual(
    { level, method, route, path, status, code, keyId },
    {
      level: 'info',
      method: 'GET',
      route: '/v1/orders/:id',
      path: '/v1/orders/nonsense',
      status: 400,
      code: 'validation_failed',
      keyId: limited.id,
    },
  )
  assert.ok(ms >= 0)
})

test('the line for an ended key has its location and the caller’s address, the line for an unknown key has neither', async () => {
  const ended = await app.addKey(app.location, { expiresAt: new Date('2020-01-01T00:00:00.000Z') })
  const line = await lineOf(() => app.get('/v1/orders/', { key: ended.key }))
  assert.ok(line)
  const { code, keyId, locationId, address } = line
  assert.deepEqual(
    { code, keyId, locationId, address },
    { code: 'key_expired', keyId: ended.id, locationId: app.location, address: '127.0.0.1' },
  )
  const unknown = await lineOf(() => app.get('/v1/orders/', { key: app.keys.unknown }))
  assert.deepEqual([unknown?.['keyId'], unknown?.['locationId']], [null, null])
})

test('every kind of refusal is logged, without the key or the query', async () => {
  const ways: [code: string, ask: () => Promise<Answer>][] = [
    ['key_missing', () => app.get('/v1/orders/', { key: null })],
    ['key_unknown', () => app.get('/v1/orders/', { key: app.keys.unknown })],
    ['key_unknown', () => app.get('/v1/orders/', { key: 'tg_live_wr0ngwr0ng' })],
    ['key_revoked', () => app.get('/v1/orders/', { key: app.keys.revoked })],
    ['scope_missing', () => app.get('/v1/orders/', { key: app.keys.ingest })],
    ['route_not_found', () => app.get(`/nowhere?key=${app.key}`, { key: null })],
    ['route_not_found', () => app.get('/v1/orders/%zz')],
    ['method_not_allowed', () => app.request('PUT', '/v1/orders/')],
    ['nothing_usable', () => app.push('{}\n')],
    ['media_type_unsupported', () => app.push('<a/>', { type: 'text/xml' })],
  ]
  for (const [code, ask] of ways) assert.equal((await lineOf(ask))?.['code'], code)
  const text = JSON.stringify(app.lines)
  for (const key of [app.key, app.keys.unknown, app.keys.revoked, app.keys.ingest, 'wr0ng']) {
    assert.ok(!text.includes(key), `${key} is in the log`)
  }
})

test('the answer to a key that was sent twice states this', async () => {
  const { status, json } = await app.get('/v1/orders/', { key: null, headers: { 'x-api-key': [app.key, app.key] } })
  assert.deepEqual([status, json.code], [401, 'key_unknown'])
  assert.match(json.detail, /^X-API-Key is repeated/)
  assert.ok(!JSON.stringify(json).includes(app.key))
})

test('input that is not HTTP has a log line too', async () => {
  const socket = connect(app.port, '127.0.0.1')
  socket.end('nonsense\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  assert.ok(app.lines.some(({ code, reason }) => code === 'request_malformed' && reason === 'HPE_INVALID_METHOD'))
})

test('an answered request has no log line at the level info', async () => {
  assert.equal(await lineOf(() => app.get('/v1/orders/')), undefined)
})

test('a flood of one code is limited to 100 lines and then 10 a second, is counted, and does not hide other codes', async () => {
  const lines: LogLine[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const counted: string[] = []
  let nowMs = 0
  const refusals = new RefusalLog(
    (code) => void counted.push(code),
    () => nowMs,
  )
  const flooded = fastify({ loggerInstance: log })
  flooded.decorateRequest('key', null as never)
  const codes = { '/unknown': 'key_unknown', '/expired': 'key_expired' } as const
  for (const [path, code] of Object.entries(codes)) {
    flooded.get(path, (request, reply) => {
      refusals.refused(request, reply, new AppError(code))
      return reply.code(401).send()
    })
  }
  const ask = async (path: keyof typeof codes, times: number) => {
    for (let i = 0; i < times; i++) await flooded.inject(path)
    return lines.splice(0).filter(({ code }) => code !== undefined)
  }
  assert.equal((await ask('/unknown', 250)).length, 100)
  assert.equal((await ask('/expired', 1)).length, 1)
  nowMs = 1_000
  const later = await ask('/unknown', 50)
  assert.deepEqual(
    later.map(({ suppressed }) => suppressed),
    [150, ...Array.from({ length: 9 })],
  )
  nowMs = 10_000_000
  assert.equal((await ask('/unknown', 250)).length, 100, 'what was saved up has a limit')
  assert.equal(counted.length, 551, 'every refusal is counted')
  await flooded.close()
})
