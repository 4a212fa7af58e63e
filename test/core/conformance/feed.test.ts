import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { EventPage, HistoryEntry } from '../../../src/core/schemas/events.ts'
import { many, one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { everyRecord, idOf, order, versionOf } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'

const site = await startDelivery()
const { app, receiver } = site
site.startEngine()

const feed = async (key: string, query = '') => okay(await app.get(`/v1/events/${query}`, { key }), EventPage)

test('[EVT-14] the feed returns the same events by their sequences, which have no gaps', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.paid'], place)
  await app.store(many(place.id, 1, 7), place.key)
  await site.settled(webhook)
  const seen = []
  for (let after = 0; ;) {
    const { data, meta } = await feed(place.key, `?after=${after}&limit=3`)
    seen.push(...data)
    after = meta.next
    if (after === meta.head) break
  }
  const delivered = receiver.at(webhook.path).map(({ event }) => event)
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
  assert.deepEqual(seen.toSorted(byId), delivered.toSorted(byId))
  assert.deepEqual([...new Set(seen.map(({ sequence }) => sequence))], [1, 2, 3, 4, 5, 6, 7])
})

test('[EVT-15] the feed is filtered by types, and an unknown type is 400', async () => {
  const place = await app.addLocation()
  await app.store(everyRecord(place.id), place.key)
  const { data } = await feed(place.key, '?types=order.paid,report.created')
  assert.deepEqual(
    data.map(({ type }: { type: string }) => type),
    ['order.paid', 'report.created'],
  )
  const unknown = await app.get('/v1/events/?types=order.eaten')
  assertProblem(unknown, { status: 400, code: 'validation_failed', pointers: ['/types'] })
})

test('[EVT-16] the feed waits for new events on request', async () => {
  const place = await app.addLocation()
  const waiting = feed(place.key, '?wait=20')
  await app.store([one(place.id, 1)], place.key)
  assert.equal((await waiting).data.length, 2)
})

test('[EVT-17] the feed is a stream of server-sent events that resumes by Last-Event-ID', async () => {
  const place = await app.addLocation()
  const url = `${app.url}/v1/events/`
  const first = await openEventStream(url, { 'x-api-key': place.key })
  await app.store([one(place.id, 1)], place.key)
  await first.until(() => first.events.length === 2, 'the first order')
  first.close()
  await app.store([one(place.id, 2)], place.key)
  const second = await openEventStream(url, { 'x-api-key': place.key, 'last-event-id': first.lastEventId() })
  await second.until(() => second.events.length === 2, 'the second order')
  second.close()
  assert.deepEqual(
    [...first.events, ...second.events].map(({ event, data }) => [event, data.sequence]),
    [
      ['order.created', 1],
      ['order.paid', 1],
      ['order.created', 2],
      ['order.paid', 2],
    ],
  )
})

test('[EVT-18] the history of an order lists its versions, oldest first, with the events of each', async () => {
  const place = await app.addLocation()
  await app.store(
    [1, 2].map((v) => order(versionOf(place.id, 1, v))),
    place.key,
  )
  const answer = await app.get(`/v1/orders/${idOf('order', 1)}/history`, { key: place.key })
  const history = okay(answer, Type.Array(HistoryEntry))
  assert.deepEqual(
    history.map(({ data, types }: any) => [data.guests, types]),
    [
      [1, ['order.created', 'order.paid']],
      [2, ['order.updated']],
    ],
  )
  const other = await app.get(`/v1/orders/${idOf('order', 1)}/history`, { key: app.other.key })
  assertProblem(other, { status: 404, code: 'order_not_found' })
})
