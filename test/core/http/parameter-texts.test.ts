import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()

/** Resolves to the pointer, code and detail of a request’s only fault. */
async function faultOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { errors } = assertProblem(await app.get(path, { headers }), { status: 400, code: 'validation_failed' })
  assert.equal(errors.length, 1, JSON.stringify(errors))
  return `${errors[0].pointer} ${errors[0].code}: ${errors[0].detail}`
}

const eventNames = /; the event types are order\.created, .*$/

test('the error for an unreadable parameter states what to write instead', async () => {
  const amount = 'must be a number with at most 15 digits before and 6 after the decimal point, such as 30.50'
  for (const [path, fault] of [
    ['/v1/orders/?minTotal=1e1', `/minTotal invalid_type: minTotal ${amount}`],
    ['/v1/orders/?minTotal=30.300000001', `/minTotal invalid_type: minTotal ${amount}`],
    ['/v1/orders/?maxTotal=9007199254740993', `/maxTotal invalid_type: maxTotal ${amount}`],
    ['/v1/orders/?closedSince=2026-03-14&hour=24', '/hour invalid_format: hour must be a two-digit hour from 00 to 23'],
    [
      '/v1/orders/?closedSince=2026-03-14&halfHour=9:00',
      '/halfHour invalid_format: halfHour must be a full or half hour from 00:00 to 23:30',
    ],
    [
      '/v1/sales/?by=hour&before=24:00',
      '/before invalid_format: before must be a full or half hour from 00:00 to 23:30',
    ],
    ['/v1/events/?epoch=zz', '/epoch invalid_format: epoch must be eight hexadecimal digits from `meta.epoch`'],
    ['/v1/exports/items?month=2026-13', '/month invalid_format: month must be a year and a month (YYYY-MM)'],
    [
      '/v1/webhooks/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/pending?cursor=x',
      '/cursor invalid_format: cursor must be `meta.next` of the previous page',
    ],
  ] as const) {
    assert.equal(await faultOf(path), fault)
  }
  assert.equal(
    await faultOf('/v1/orders/', { 'tillgate-min-sequence': 'x' }),
    '/tillgate-min-sequence invalid_format: tillgate-min-sequence must be a journal sequence of at most 15 digits',
  )
})

test('an empty name is reported as empty, for a parameter and for an event', async () => {
  assert.match(
    await faultOf('/v1/orders/?=1'),
    /^\/ unknown_parameter: a parameter has a value but no name; allowed: index, size/,
  )
  for (const types of ['', 'order.paid,', ',order.paid', ' ']) {
    const fault = await faultOf(`/v1/events/?types=${encodeURIComponent(types)}`)
    assert.equal(
      fault.replace(eventNames, ''),
      '/types unknown_event: types: an event name is empty: separate names by one comma, or omit types for all',
    )
  }
  assert.match(
    await faultOf('/v1/events/?types=order.eaten,'),
    /event type order\.eaten does not exist; the event types are order\.created/,
  )
})

test('the error for a time that is too precise, or after the last possible one, states this', async () => {
  const fraction = 'must have at most nine decimals of a second'
  for (const list of ['orders', 'reports']) {
    for (const name of ['since', 'until']) {
      assert.equal(
        await faultOf(`/v1/${list}/?${name}=2026-01-01T00:00:00.0123456789Z`),
        `/${name} invalid_datetime: ${name} ${fraction}`,
      )
    }
    assert.equal((await app.get(`/v1/${list}/?since=2026-01-01T00:00:00.012345678Z`)).status, 200)
    assert.equal(
      await faultOf(`/v1/${list}/?since=9999-12-31T23:59:59.9999Z`),
      '/since invalid_datetime: since must be 9999-12-31T23:59:59.999Z at the latest',
    )
    assert.equal(
      await faultOf(`/v1/${list}/?until=0001-01-01T00:00:00%2B02:00`),
      '/until invalid_datetime: until must be 0001-01-01T00:00:00.000Z at the earliest',
    )
    assert.match(await faultOf(`/v1/${list}/?since=2026-03-02&until=2026-03-01`), /^\/since since_after_until: /)
  }
})
