import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import os from 'node:os'
import { after, before, describe, test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Lookup } from '../../../../src/core/delivery/sender/resolver.ts'
import { generateSecret, parseSecret } from '../../../../src/core/delivery/secrets.ts'
import { createSender, type Sender, type SenderOptions } from '../../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { signatureHeaders } from '../../../../src/core/delivery/sign.ts'
import { startFaultReceiver, type FaultReceiver } from '../../../support/fault-receiver.ts'

const loopback = ['127.0.0.0/8', '::1'].map(toAddressRange)
const body = Buffer.from('{"a":1}')

function post(sender: Sender, url: string, headers: Record<string, string> = {}) {
  return sender.send({ url, headers, body })
}

function answering(...addresses: string[]): Lookup {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

async function receiverFor(t: TestContext, options: { seed?: number } = {}): Promise<FaultReceiver> {
  const receiver = await startFaultReceiver(options)
  t.after(() => receiver.close())
  return receiver
}

describe('a delivery', () => {
  let receiver: FaultReceiver
  const senders: Sender[] = []

  function sender(options: Partial<SenderOptions> = {}): Sender {
    const made = createSender({ allowHttp: true, allowAddresses: loopback, deadlineMs: 60_000, ...options })
    senders.push(made)
    return made
  }

  before(async () => {
    receiver = await startFaultReceiver()
  })
  after(async () => {
    for (const made of senders) await made.close()
    await receiver.close()
  })

  test('arrives byte for byte as one JSON POST that the library of Standard Webhooks verifies', async () => {
    const secret = generateSecret()
    const key = parseSecret(secret)
    assert.ok(key)
    const sent = Buffer.from('{"type":"order.paid","data":{"total":12.50,"name":"é"}}')
    const signed = signatureHeaders({
      id: 'evt_9',
      timestampS: Math.floor(Date.now() / 1000),
      body: sent,
      keys: [key],
    })
    const url = receiver.url('ok', 'key=a%20b&x=/')
    const outcome = await sender().send({ url, headers: { ...signed, 'webhook-test': 'true' }, body: sent })
    const { [receiver.received.length - 1]: arrived } = await receiver.waitForReceived(1)
    assert.ok(arrived)
    assert.deepEqual(arrived.body, sent)
    assert.deepEqual([arrived.method, arrived.url], ['POST', '/ok?key=a%20b&x=/'])
    assert.equal(arrived.headers['content-type'], 'application/json')
    assert.equal(arrived.headers['content-length'], String(arrived.body.length))
    assert.equal(arrived.headers['accept-encoding'], 'identity')
    assert.equal(arrived.headers['webhook-test'], 'true')
    new Webhook(secret).verify(arrived.body, arrived.headers)
    assert.equal(outcome.ok, true)
    assert.equal(outcome.message, 'The endpoint answered 200 OK.')
    assert.equal(outcome.responseBody, 'thanks')
  })

  test('keeps the signature, cookies and tokens out of its outcome', async () => {
    const outcome = await post(sender(), receiver.url('secrets'), {
      'webhook-id': 'evt_1',
      'webhook-signature': 'v1,hush',
    })
    assert.equal(JSON.stringify(outcome).includes('hush'), false)
    assert.equal(outcome.requestHeaders['webhook-id'], 'evt_1')
    assert.equal(outcome.requestHeaders['webhook-signature'], '[struck out]')
    assert.equal(outcome.responseHeaders['set-cookie'], '[struck out]')
    assert.equal(outcome.responseHeaders['x-twice'], '1, 2')
  })

  test('reports the duration of each phase, and null for those that a reused connection skips', async () => {
    const to = sender({ caFile: receiver.caFile })
    const first = await post(to, `${receiver.httpsUrl}/ok`)
    assert.equal(first.ok, true, first.message)
    assert.equal(first.address, '127.0.0.1')
    for (const [phase, ms] of Object.entries(first.phases)) assert.ok(ms !== null && ms >= 0, phase)
    const sum = Object.values(first.phases).reduce<number>((total, ms) => total + (ms ?? 0), 0)
    assert.ok(sum <= first.durationMs + 1, `${sum} of ${first.durationMs}`)
    const second = await post(to, `${receiver.httpsUrl}/ok`)
    const { dnsMs, connectMs, tlsMs, headersMs } = second.phases
    assert.deepEqual([dnsMs, connectMs, tlsMs], [null, null, null])
    assert.ok(headersMs !== null)
    assert.equal(second.address, '127.0.0.1')
    const literal = await post(sender(), receiver.url('ok'))
    assert.deepEqual([literal.phases.dnsMs, literal.phases.tlsMs], [null, null])
    assert.ok(literal.phases.connectMs !== null)
  })

  test('on a reused connection that is just closing is sent once more', async () => {
    const to = sender()
    const before = receiver.received.length
    const url = receiver.url('stale')
    const outcomes = [await post(to, url), await post(to, url), await post(to, url)]
    assert.deepEqual(
      outcomes.map(({ ok, responseBody }) => [ok, responseBody]),
      [
        [true, 'fresh'],
        [true, 'fresh'],
        [true, 'fresh'],
      ],
    )
    assert.equal(receiver.received.length - before, 5)
    assert.ok(outcomes[1]?.phases.connectMs !== null)
  })

  test('waits for a free connection to its endpoint, which never has more than the limit', async (t) => {
    const own = await receiverFor(t)
    const to = sender({ maxConnectionsPerEndpoint: 3 })
    let most = 0
    const sent = Array.from({ length: 30 }, async () => {
      const outcome = await post(to, own.url('late', 'ms=5'))
      most = Math.max(most, own.openConnections())
      return outcome
    })
    assert.ok((await Promise.all(sent)).every(({ ok }) => ok))
    assert.equal(most, 3)
  })

  test('reuses the connection of an earlier one', async (t) => {
    const own = await receiverFor(t)
    const to = sender()
    for (let n = 0; n < 5; n++) assert.equal((await post(to, own.url('ok'))).ok, true)
    assert.equal(own.openConnections(), 1)
  })

  test('is not delayed by another endpoint of the same origin that hangs', async () => {
    const to = sender({ maxConnectionsPerEndpoint: 2 })
    let settled = 0
    const hanging = Array.from({ length: 6 }, async () => {
      await post(to, receiver.url('hang'))
      settled += 1
    })
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(to, receiver.url('ok'))))
    assert.ok(outcomes.every(({ ok }) => ok))
    assert.equal(settled, 0, 'the others hang still')
    await to.close()
    await Promise.all(hanging)
  })

  test('that timed out while it waited for a connection is not sent later', async () => {
    const name = Promise.withResolvers<{ address: string; family: number }[]>()
    const to = sender({ maxConnectionsPerEndpoint: 1, deadlineMs: 50, lookup: () => name.promise })
    const url = receiver.url('created').replace('127.0.0.1', 'slow.test')
    const early = { 'x-early': 'yes' }
    const [first, queued] = await Promise.all([post(to, url, early), post(to, url, early)])
    assert.deepEqual([first.errorClass, queued.errorClass], ['timeout', 'timeout'])
    name.resolve([{ address: '127.0.0.1', family: 4 }])
    // On a busy machine 50 ms may be too short for these requests as well.
    while ((await post(to, url)).status !== 201);
    assert.ok(receiver.received.every(({ headers }) => !('x-early' in headers)))
  })

  test('uses only the addresses that the guard allowed', async () => {
    const lookup = answering('169.254.169.254', '10.0.0.1', '127.0.0.1', '::ffff:10.0.0.1')
    const outcome = await post(sender({ lookup }), receiver.url('ok').replace('127.0.0.1', 'receiver.test'))
    assert.deepEqual([outcome.ok, outcome.address], [true, '127.0.0.1'])
    assert.equal(
      receiver.received.at(-1)?.headers['host'],
      new URL(receiver.httpUrl).host.replace('127.0.0.1', 'receiver.test'),
    )
  })

  test('is blocked, without a connection, if every address of the name is refused', async () => {
    const received = receiver.received.length
    const lookup = answering('127.0.0.1', '::1')
    const url = receiver.url('ok').replace('127.0.0.1', 'rebound.test')
    const outcome = await post(sender({ lookup, allowAddresses: [] }), url)
    assert.deepEqual([outcome.errorClass, outcome.status], ['blocked', 0])
    // The partner learns the kind of address; the operator's log has the address.
    assert.match(outcome.message, /^The name rebound\.test resolves to an address that is not allowed: loopback\. /)
    assert.deepEqual([outcome.address, outcome.refusedAddress], [null, '127.0.0.1'])
    assert.equal(receiver.received.length, received)
  })

  test('has its address checked at each connection: a name that changes to a refused address is blocked', async () => {
    const answers = ['127.0.0.1', '10.0.0.1']
    const lookup = async () => [{ address: answers.shift() ?? '10.0.0.1', family: 4 }]
    const to = sender({ lookup })
    const url = receiver.url('created').replace('127.0.0.1', 'turning.test')
    assert.equal((await post(to, url)).status, 201)
    assert.equal((await post(to, url)).status, 201, 'the open connection is pinned')
    assert.deepEqual(answers, ['10.0.0.1'])
    const other = await post(to, url.replace('created', 'ok'))
    assert.deepEqual([other.errorClass, other.address, other.refusedAddress], ['blocked', null, '10.0.0.1'])
  })

  test('is blocked at once if the URL itself is refused', async () => {
    const blocked = [
      'http://10.0.0.1/',
      'http://[::ffff:169.254.169.254]/',
      'ftp://example.com/',
      'http://u:p@127.0.0.1/',
      'x',
    ]
    for (const url of blocked) {
      const outcome = await post(sender(), url)
      assert.deepEqual([outcome.errorClass, outcome.status, outcome.ok], ['blocked', 0, false], url)
      assert.match(outcome.message, /^The .*\.$/)
    }
    assert.equal((await post(sender({ allowHttp: false }), receiver.url('ok'))).errorClass, 'blocked')
    assert.equal((await post(sender(), 'http://10.0.0.1/')).refusedAddress, '10.0.0.1')
  })

  test('is blocked if the machine has since got the address in its URL', async (t) => {
    const own = { address: '203.0.114.7', family: 'IPv4' }
    t.mock.method(os, 'networkInterfaces', () => ({ eth0: [own] }))
    const outcome = await post(sender(), 'http://203.0.114.7/')
    assert.deepEqual([outcome.errorClass, outcome.refusedAddress], ['blocked', '203.0.114.7'])
  })

  test('reports that the name cannot be resolved, or not in time', async () => {
    const error = new Error('getaddrinfo ENOTFOUND nowhere.test')
    const unknown = await post(sender({ lookup: () => Promise.reject(error) }), 'http://nowhere.test/')
    assert.equal(unknown.errorClass, 'dns')
    assert.equal(unknown.message, 'The name could not be resolved: getaddrinfo ENOTFOUND nowhere.test.')
    assert.ok(unknown.phases.dnsMs !== null && unknown.phases.connectMs === null)
    assert.equal((await post(sender({ lookup: answering() }), 'http://empty.test/')).errorClass, 'dns')
    const never = new Promise<never>(() => {})
    const silent = await post(sender({ lookup: () => never, deadlineMs: 50 }), 'http://silent.test/')
    assert.deepEqual([silent.errorClass, silent.message], ['timeout', 'The name was not resolved within 0.05 s.'])
  })

  test('reports that no one listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => server.once('listening', listening))
    const address = server.address()
    assert.ok(typeof address === 'object' && address)
    await new Promise((closed) => server.close(closed))
    const outcome = await post(sender(), `http://127.0.0.1:${address.port}/`)
    assert.equal(outcome.errorClass, 'connect')
    assert.equal(outcome.message, `The connection failed: connect ECONNREFUSED 127.0.0.1:${address.port}.`)
    assert.ok(outcome.phases.connectMs !== null && outcome.phases.headersMs === null)
    assert.equal(outcome.address, '127.0.0.1')
  })

  test('tries the next address of a name if the first one refuses the connection', async () => {
    const lookup = answering('127.0.0.2', '127.0.0.1')
    const outcome = await post(sender({ lookup }), receiver.url('ok').replace('127.0.0.1', 'two.test'))
    assert.deepEqual([outcome.ok, outcome.address], [true, '127.0.0.1'], outcome.message)
  })

  const hasIPv6 = Object.values(os.networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
  test('reaches an IPv6 address', { skip: !hasIPv6 && 'this machine has no ::1' }, async (t) => {
    const server = createServer((socket) => socket.resume().end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'))
    t.after(() => server.close())
    await new Promise<void>((listening) => server.listen(0, '::1', listening))
    const address = server.address()
    assert.ok(typeof address === 'object' && address)
    const outcome = await post(sender(), `http://[::1]:${address.port}/`)
    assert.deepEqual([outcome.status, outcome.address], [204, '::1'])
  })

  test('with an invalid header is an outcome, not an exception', async () => {
    const outcome = await post(sender(), receiver.url('ok'), { 'x-bad': 'a\r\nb' })
    assert.deepEqual([outcome.ok, outcome.status], [false, 0])
    assert.match(outcome.message, /^The request was not sent: /)
  })

  test('in flight when the sender closes settles, in any phase, and leaves no connection', async (t) => {
    const own = await receiverFor(t)
    const never = new Promise<never>(() => {})
    const to = sender({ deadlineMs: 15_000 })
    const resolving = sender({ deadlineMs: 15_000, lookup: () => never })
    const urls = [own.url('hang'), own.url('drip'), `${own.wrongTls.silent}/`]
    const underWay = [...urls.map((url) => post(to, url)), post(resolving, 'http://silent.test/')]
    await own.waitForReceived(2)
    await own.waitForConnections(3)
    await Promise.all([to.close(), resolving.close()])
    for (const { ok } of await Promise.all(underWay)) assert.equal(ok, false)
    await own.waitForQuiet()
    const later = await post(to, own.url('ok'))
    assert.deepEqual([later.errorClass, later.message], ['reset', 'The request was not sent: the sender was closed.'])
  })
})

test('a sender with an invalid configuration is refused', () => {
  assert.throws(() => createSender({ allowHttp: false, allowAddresses: [], caFile: '/nowhere/ca.pem' }), /ENOENT/)
  const noCertificate = import.meta.filename
  assert.throws(
    () => createSender({ allowHttp: false, allowAddresses: [], caFile: noCertificate }),
    /contains no PEM certificate/,
  )
})
