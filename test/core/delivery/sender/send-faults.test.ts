import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import type { ErrorClass, Outcome } from '../../../../src/core/delivery/sender/outcome.ts'
import { createSender, type Sender } from '../../../../src/core/delivery/sender/send.ts'
import { toAddressRange } from '../../../../src/core/domain/addresses/addresses.ts'
import { faultModes, type FaultMode } from '../../../support/fault-modes.ts'
import { startFaultReceiver, type FaultReceiver } from '../../../support/fault-receiver.ts'

/** For faults that end by themselves: long enough even on a busy machine. */
const patientMs = 30_000
/** For cases that only the deadline ends. */
const hastyMs = 250
/** For a slow body: its head must arrive within this time. */
const drippingMs = 1_000
const limit = 16 * 1024

type Expected = [ok: boolean, status: number, errorClass: ErrorClass | null, message: RegExp, body?: string | RegExp]

const deadlines: Partial<Record<FaultMode, number>> = {
  late: hastyMs,
  hang: hastyMs,
  'slow-headers': hastyMs,
  drip: drippingMs,
  continue: hastyMs,
}

const success = /^The endpoint answered 20\d [A-Z][A-Za-z ]+\.$/
const late = /^The endpoint did not answer within 0\.25 s\.$/
const cut = /^The response 200 OK was not complete within 1 s\.$/
const broken = /^The connection broke before the response was complete: /
const invalid = /^The response is not valid HTTP\/1\.1: /
const redirected = /^The endpoint answered 30\d [A-Za-z ]+; redirects are not followed\.$/
const answered = /^The endpoint answered \d{3} [A-Z][A-Za-z ]+\.$/

/** The outcome of each mode of the fault receiver; a mode without an entry does not compile. */
const expected: Record<FaultMode, Expected> = {
  ok: [true, 200, null, success, 'thanks'],
  created: [true, 201, null, success, 'made'],
  'no-content': [true, 204, null, success, ''],
  late: [false, 0, 'timeout', late, ''],
  hang: [false, 0, 'timeout', late, ''],
  'slow-headers': [false, 0, 'timeout', late, ''],
  drip: [false, 200, 'timeout', cut, /^\.{2,}$/],
  endless: [true, 200, null, success, 'x'.repeat(limit)],
  large: [true, 200, null, success, 'é'.repeat(limit / 2)],
  binary: [true, 200, null, success, 'a\uFFFD\uFFFD\uFFFD\uFFFD(b'],
  gzip: [true, 200, null, success, 'unpacked'],
  deflate: [true, 200, null, success, 'unpacked'],
  brotli: [true, 200, null, success, 'unpacked'],
  'gzip-bomb': [true, 200, null, success, 'A'.repeat(limit)],
  'deflate-bomb': [true, 200, null, success, 'A'.repeat(limit)],
  'brotli-bomb': [true, 200, null, success, 'A'.repeat(limit)],
  'gzip-lie': [true, 200, null, success, ''],
  'coding-unknown': [true, 200, null, success, ''],
  'redirect-loop': [false, 302, 'http', redirected, ''],
  'redirect-metadata': [false, 307, 'http', redirected, ''],
  'reset-before': [false, 0, 'reset', broken, ''],
  'reset-headers': [false, 0, 'reset', broken, ''],
  'reset-body': [false, 200, 'reset', broken, 'the first bytes'],
  close: [false, 0, 'reset', broken, ''],
  'close-body': [false, 200, 'reset', broken, 'the first bytes'],
  'close-chunked': [false, 200, 'reset', broken, 'first'],
  stale: [true, 200, null, success, 'fresh'],
  'early-hints': [true, 200, null, success, 'hinted'],
  'early-hints-flood': [
    false,
    0,
    'http',
    /^The endpoint sent more than 32 informational responses \(1xx\), but no final response\.$/,
  ],
  continue: [false, 0, 'timeout', late, ''],
  upgrade: [false, 0, 'http', invalid, ''],
  'giant-header': [false, 0, 'http', invalid, ''],
  'endless-headers': [false, 0, 'http', invalid, ''],
  garbage: [false, 0, 'http', invalid, ''],
  'garbage-chunk': [false, 200, 'http', invalid, ''],
  'two-lengths': [false, 0, 'http', invalid, ''],
  secrets: [true, 200, null, success, ''],
  gone: [false, 410, 'http', answered, ''],
  status: [false, 503, 'http', answered, 'not now'],
  random: [true, 200, null, success, ''],
}

function check(outcome: Outcome, [ok, status, errorClass, message, body]: Expected): void {
  assert.deepEqual([outcome.ok, outcome.status, outcome.errorClass], [ok, status, errorClass], outcome.message)
  assert.match(outcome.message, message)
  if (body instanceof RegExp) assert.match(outcome.responseBody, body)
  else if (body !== undefined) assert.equal(outcome.responseBody, body)
  checkShape(outcome)
}

/** Checks what holds for every outcome, whatever the receiver did. */
function checkShape(outcome: Outcome): void {
  assert.equal(outcome.ok, outcome.errorClass === null)
  assert.equal(outcome.ok && (outcome.status < 200 || outcome.status > 299), false)
  assert.ok(outcome.durationMs >= 0)
  assert.ok(Buffer.byteLength(outcome.responseBody) <= limit)
  assert.equal(outcome.responseBody.isWellFormed() && !outcome.responseBody.includes('\0'), true)
  assert.match(outcome.message, /^[A-Z].*\.$/)
}

async function receiverFor(t: TestContext, options: { seed?: number } = {}): Promise<FaultReceiver> {
  const receiver = await startFaultReceiver(options)
  t.after(() => receiver.close())
  return receiver
}

describe('a delivery to a faulty receiver has an outcome', () => {
  let receiver: FaultReceiver
  const senders = new Map<number, Sender>()
  const send = (url: string, deadlineMs = patientMs, id = 'evt_1') =>
    (senders.get(deadlineMs) as Sender).send({ url, headers: { 'webhook-id': id }, body: Buffer.from('{}') })

  let requests = 0

  /**
   * Sends until the deadline ends the request in the expected phase: on a busy machine it may already end it while
   * connecting. Each request has another id. Resolves to the outcome and the id of the last request.
   */
  async function expectOutcome(awaited: Expected, url: string, deadlineMs = patientMs) {
    for (let tries = 1; ; tries++) {
      const id = `evt_${++requests}`
      const outcome = await send(url, deadlineMs, id)
      const isLate = outcome.errorClass === 'timeout' && !awaited[3].test(outcome.message)
      if (isLate && deadlineMs < patientMs && tries < 100) continue
      check(outcome, awaited)
      return { outcome, id }
    }
  }

  const expectOf = (mode: FaultMode, url: string) => expectOutcome(expected[mode], url, deadlines[mode])

  before(async () => {
    receiver = await startFaultReceiver()
    const options = {
      allowHttp: true,
      allowAddresses: ['127.0.0.0/8', '::1'].map(toAddressRange),
      caFile: receiver.caFile,
    }
    for (const deadlineMs of [patientMs, hastyMs, drippingMs]) {
      senders.set(deadlineMs, createSender({ ...options, deadlineMs }))
    }
  })
  after(async () => {
    for (const sender of senders.values()) await sender.close()
    await receiver.close()
  })

  for (const mode of Object.keys(expected) as FaultMode[]) {
    test(`${mode}: ${faultModes[mode].about}`, async () => {
      const { id } = await expectOf(mode, receiver.url(mode))
      const received = receiver.received.filter(({ headers }) => headers['webhook-id'] === id)
      assert.equal(received.length, 1, 'one request, and none to where a redirect points')
    })
  }

  test('over TLS too', async () => {
    for (const mode of [
      'ok',
      'drip',
      'endless',
      'close',
      'close-body',
      'garbage',
      'early-hints-flood',
      'gone',
    ] as const) {
      await expectOf(mode, `${receiver.httpsUrl}/${mode}`)
    }
  })

  test('faulty TLS fails in the handshake, and no request is sent', async () => {
    const received = receiver.received.length
    const { silent, clientCertificate: _, ...wrong } = receiver.wrongTls
    const reasons = {
      selfSigned: /^The TLS handshake failed: self-signed certificate\.$/,
      wrongHost: /^The TLS handshake failed: .*altnames: DNS:elsewhere\.test\.$/,
      expired: /^The TLS handshake failed: certificate has expired\.$/,
      plainText: /^The TLS handshake failed: wrong version number\.$/,
    }
    for (const [fault, url] of Object.entries(wrong) as [keyof typeof wrong, string][]) {
      const outcome = await send(`${url}/ok`)
      check(outcome, [false, 0, 'tls', reasons[fault], ''])
      assert.ok(outcome.phases.connectMs !== null && outcome.phases.tlsMs !== null && outcome.phases.headersMs === null)
    }
    const unfinished = /^The TLS handshake was not completed within 0\.25 s\.$/
    const { outcome } = await expectOutcome([false, 0, 'timeout', unfinished, ''], `${silent}/ok`, hastyMs)
    assert.ok(outcome.phases.connectMs !== null && outcome.phases.tlsMs !== null)
    assert.equal(receiver.received.length, received)
  })

  test('a receiver that requires a client certificate is reported as such', async () => {
    const received = receiver.received.length
    const why = /^TLS failed: tlsv13 alert certificate required; the endpoint asks for a client certificate, and/
    for (let n = 1; n <= 3; n++)
      check(await send(`${receiver.wrongTls.clientCertificate}/ok`), [false, 0, 'tls', why, ''])
    assert.equal(receiver.received.length, received)
  })

  test('a certificate without a known authority is refused', async (t) => {
    const trusting = createSender({
      allowHttp: false,
      allowAddresses: ['127.0.0.0/8', '::1'].map(toAddressRange),
      deadlineMs: patientMs,
    })
    t.after(() => trusting.close())
    const outcome = await trusting.send({ url: `${receiver.httpsUrl}/ok`, headers: {}, body: Buffer.alloc(0) })
    check(outcome, [false, 0, 'tls', /^The TLS handshake failed: unable to verify/, ''])
  })

  test('a failed status counts even if its body never ends or breaks off', async () => {
    const [dripping, reset] = [receiver.url('drip', 'status=500'), receiver.url('reset-body', 'status=503')]
    const unended = /^The endpoint answered 500 Internal Server Error, but the body was not complete/
    await expectOutcome([false, 500, 'http', unended], dripping, drippingMs)
    check(await send(reset), [false, 503, 'http', /^The endpoint answered 503 Service Unavailable, incompletely\.$/])
  })

  test('a body that ends early is a failure, even if the connection was to be closed', async () => {
    check(await send(receiver.url('close-body', 'connection=close')), expected['close-body'])
    check(await send(receiver.url('close-chunked', 'connection=close')), expected['close-chunked'])
  })

  test('an answer just within the deadline is a success', async () => {
    check(await send(receiver.url('late', 'ms=50')), [true, 200, null, success, 'late'])
  })

  test('Retry-After of 429 and 503 is returned in milliseconds in every format, and garbage is ignored', async () => {
    const inTwoHours = new Date(Date.now() + 7_200_000).toUTCString()
    const cases: [string, number | null, number | null][] = [
      ['120', 120_000, 120_000],
      ['0', 0, 0],
      ['99999999999999999999', 36_000_000, 36_000_000],
      [inTwoHours, 7_100_000, 7_200_000],
      ['Fri, 31 Dec 9999 23:59:59 GMT', 36_000_000, 36_000_000],
      ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 0],
      ['-5', null, null],
      ['1.5', null, null],
      ['in a while', null, null],
      ['120, 240', null, null],
    ]
    for (const code of [429, 503]) {
      for (const [value, least, most] of cases) {
        const query = new URLSearchParams({ code: String(code), 'retry-after': value }).toString()
        const outcome = await send(receiver.url('status', query))
        assert.deepEqual([outcome.status, outcome.errorClass], [code, 'http'])
        if (least === null || most === null) assert.equal(outcome.retryAfterMs, null, value)
        else assert.ok((outcome.retryAfterMs ?? -1) >= least && (outcome.retryAfterMs ?? -1) <= most, value)
      }
    }
    assert.equal((await send(receiver.url('status', 'code=429'))).retryAfterMs, null)
    assert.equal((await send(receiver.url('status', 'code=200&retry-after=5'))).retryAfterMs, null)
  })

  test('random failures are determined by the seed', async (t) => {
    const series: number[][] = []
    for (const seed of [7, 7]) {
      const seeded = await receiverFor(t, { seed })
      const statuses: number[] = []
      for (let n = 0; n < 20; n++) statuses.push((await send(seeded.url('random'))).status)
      series.push(statuses)
    }
    assert.deepEqual(new Set(series[0]), new Set([200, 500]))
    assert.deepEqual(series[1], series[0])
  })

  test('a receiver that never ends is cut off, while the sender continues', async (t) => {
    const own = await receiverFor(t)
    for (const mode of ['endless', 'large', 'drip', 'hang', 'early-hints-flood', 'endless-headers'] as const) {
      await expectOf(mode, own.url(mode))
      await own.waitForQuiet()
    }
  })

  test('concurrent deliveries to all of them leave neither connection nor timer behind', async (t) => {
    const own = createSender({
      allowHttp: true,
      allowAddresses: ['127.0.0.0/8', '::1'].map(toAddressRange),
      deadlineMs: 600,
    })
    const rest = await receiverFor(t)
    const sent = (Object.keys(faultModes) as FaultMode[]).flatMap((mode) =>
      [1, 2, 3].map(() => own.send({ url: rest.url(mode), headers: {}, body: Buffer.from('{}') })),
    )
    for (const outcome of await Promise.all(sent)) assert.equal(typeof outcome.ok, 'boolean')
    await own.close()
    const patient = createSender({
      allowHttp: true,
      allowAddresses: ['127.0.0.0/8'].map(toAddressRange),
      deadlineMs: patientMs,
    })
    for (const mode of ['ok', 'large', 'gone', 'reset-before', 'garbage'] as const) {
      await patient.send({ url: rest.url(mode), headers: {}, body: Buffer.alloc(0) })
    }
    await patient.close()
    await rest.waitForQuiet()
    await rest.close()
    for (const sender of senders.values()) await sender.close()
    await receiver.waitForQuiet()
    const left = process.getActiveResourcesInfo().filter((kind) => /Timeout|TCPSocketWrap|TLSWrap/.test(kind))
    assert.deepEqual(left, [])
  })
})
