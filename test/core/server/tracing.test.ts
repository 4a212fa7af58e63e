import assert from 'node:assert/strict'
import { test } from 'node:test'
import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace'
import { linksTo, storedEntries, traced, traceHeaders } from '../../../src/core/tracing.ts'
import { startDelivery } from '../../support/delivery.ts'
import { order, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site
site.startEngine({ random: () => 0.5 })

test('without a tracer no span, attribute, link or header is created', async () => {
  const never = () => assert.fail('nobody listens')
  assert.equal(await traced('claim', async () => 7, { attributes: never, links: never }), 7)
  storedEntries('a', never)
  assert.deepEqual([linksTo('a', 1), traceHeaders()], [[], {}])
})

test('with a tracer there are six spans, below that of the caller, and attempts link to their push', async () => {
  const exporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  const spans = (name: string): ReadableSpan[] =>
    exporter.getFinishedSpans().filter((span) => span.name === `tillgate ${name}`)

  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const pushed = await app.request('POST', '/v1/ingest/', {
    key: place.key,
    headers: { 'content-type': 'application/json', traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    body: JSON.stringify(order(versionOf(place.id, 1, 1))),
  })
  assert.equal(pushed.status, 200)
  await app.get('/v1/orders/', { key: place.key })
  const [receipt] = await receiver.waitFor(webhook.path, 1)
  await eventually(() => spans('attempt').length > 0 && spans('page read').length > 0, 'all have ended')

  const [push] = spans('request').filter(({ attributes }) => attributes['http.route'] === '/v1/ingest/')
  assert.equal(push?.spanContext().traceId, traceId)
  assert.equal(push?.attributes['http.response.status_code'], 200)
  const [batch] = spans('ingest batch')
  assert.equal(batch?.parentSpanContext?.spanId, push?.spanContext().spanId)
  const isWithin = ({ parentSpanContext }: ReadableSpan) => parentSpanContext?.spanId === batch?.spanContext().spanId
  const within = spans('transaction').filter(isWithin)
  assert.ok(within.length > 0)
  assert.ok(spans('claim').length > 0)
  const [read] = spans('page read')
  assert.equal(read?.attributes['tillgate.table'], 'orders')

  const [attempt] = spans('attempt')
  assert.deepEqual(
    [attempt?.attributes['tillgate.location'], attempt?.attributes['tillgate.webhook']],
    [place.id, webhook.id],
  )
  // The span of the push that stored the entry.
  const linked = attempt?.links.map((link) => link.context.spanId)
  assert.deepEqual(linked, [batch?.spanContext().spanId])
  assert.equal(
    receipt?.headers['traceparent']?.slice(3, 52),
    `${attempt?.spanContext().traceId}-${attempt?.spanContext().spanId}`,
  )
})
