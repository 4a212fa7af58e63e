import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { sampleEpoch, toMessage } from '../../../../src/core/domain/journal/messages.ts'
import { sampleData } from '../../../../src/core/domain/documents/samples.ts'
import { eventTypes, publishedEventSchema, type EventType } from '../../../../src/core/schemas/events.ts'
import { orderEvents } from '../../../../src/core/domain/journal/events.ts'
import { isPaid, usualRules } from '../../../../src/core/contract/money/paid.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'

type Validate = ((value: unknown) => boolean) & { errors?: unknown }
type Ajv = { compile(schema: unknown): Validate }

/** Creates a validator that shares nothing with ours: the one included in Fastify. */
function independentValidator(): Ajv {
  const fastify = createRequire(import.meta.resolve('fastify'))
  const compiler = createRequire(fastify.resolve('@fastify/ajv-compiler'))
  const { default: Ajv2020 } = compiler('ajv/dist/2020.js') as { default: new (options: object) => Ajv }
  const { default: addFormats } = compiler('ajv-formats') as { default: (ajv: Ajv) => void }
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  addFormats(ajv)
  return ajv
}

const ajv = independentValidator()
const locationId = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

/** Compiles the schema that an integrator gets from `GET /v1/webhooks/event-types/`. */
const published = (type: EventType) => ajv.compile(publishedEventSchema(type))

function bodyOf(type: EventType): any {
  const document = Buffer.from(JSON.stringify(sampleData(type, locationId)))
  const entry = { locationId, epoch: sampleEpoch, seq: 1, acceptedAt: '2026-03-14T12:50:01.000Z', document }
  return JSON.parse(toMessage(entry, type).body.toString())
}

for (const type of eventTypes) {
  describe(`the sample of ${type}`, () => {
    test('passes the published schema of its event, by an independent validator', () => {
      const validate = published(type)
      assert.ok(validate(bodyOf(type)), JSON.stringify(validate.errors))
    })

    test('is refused by that schema if a member is missing, unknown or of another event', () => {
      const validate = published(type)
      const body = bodyOf(type)
      for (const name of Object.keys(body)) {
        const { [name]: _left, ...rest } = body
        assert.ok(!validate(rest), `${name} may be left out`)
      }
      assert.ok(!validate({ ...body, more: 1 }))
      assert.ok(!validate({ ...body, type: eventTypes.find((other) => other !== type) }))
      assert.ok(!validate({ ...body, data: 'text' }))
    })

    test('contains the location that it is for', () => {
      const { data } = bodyOf(type)
      if ('locationId' in data) assert.equal(data.locationId, locationId)
      if (type === 'location.updated') assert.equal(data.id, locationId)
    })
  })
}

test('the samples of orders are of the event that they are for', () => {
  const order = (type: EventType) => {
    const sample = sampleData(type, locationId) as Order
    return { ...sample, isPaid: isPaid(sample, usualRules) }
  }
  assert.ok(orderEvents(undefined, order('order.created')).includes('order.created'))
  const stored = { canceled: false, transferred: false, paid: false }
  for (const type of ['order.updated', 'order.paid', 'order.canceled', 'order.transferred'] as const) {
    assert.ok(orderEvents(stored, order(type)).includes(type), type)
  }
})
