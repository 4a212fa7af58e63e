import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toMessages, toMessage, messageId, type Entry } from '../../../../src/core/domain/journal/messages.ts'
import { eventTypes, type EventType } from '../../../../src/core/schemas/events.ts'

const locationId = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'

const epoch = '5f0c21ab'

const entryOf = (changes: Partial<Entry> = {}): Entry => ({
  locationId,
  epoch,
  seq: 42,
  acceptedAt: '2026-03-14T12:50:01.000Z',
  kind: 'order',
  id: '00000000-0000-4000-8000-000000000001',
  types: ['order.created', 'order.paid'],
  document: Buffer.from('{"total":12.50}'),
  ...changes,
})

describe('the id of a message', () => {
  test('is evt, location, epoch, sequence and event, without a full stop', () => {
    const id = 'evt_272461e94fd95db0b95bcc91735b6bf6_5f0c21ab_42_order-paid'
    assert.equal(messageId({ locationId, epoch, seq: 42 }, 'order.paid'), id)
  })

  test('is unique per location, epoch, sequence and event, and reproducible', () => {
    const event = fc.record({
      place: fc.uuid(),
      epoch: fc.constantFrom('5f0c21ab', '5f0c21ac'),
      seq: fc.nat({ max: 20 }),
      type: fc.constantFrom(...eventTypes),
    })
    fc.assert(
      fc.property(event, event, (a, b) => {
        const [one, other] = [a, b].map(({ place, type, ...at }) => messageId({ locationId: place, ...at }, type))
        assert.ok(one && /^[\w-]+$/.test(one))
        const same = a.place === b.place && a.epoch === b.epoch && a.seq === b.seq && a.type === b.type
        assert.equal(one === other, same)
      }),
    )
  })
})

describe('the body of a message', () => {
  test('is the documented members in order, with the unchanged document', () => {
    const body = toMessage(entryOf(), 'order.paid').body.toString()
    assert.equal(
      body,
      '{"id":"evt_272461e94fd95db0b95bcc91735b6bf6_5f0c21ab_42_order-paid","type":"order.paid",' +
        `"timestamp":"2026-03-14T12:50:01.000Z","locationId":"${locationId}","sequence":42,"data":{"total":12.50}}`,
    )
  })

  test('contains any document unchanged, byte for byte', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const document = Buffer.from(json)
        const body = toMessage(entryOf({ document }), 'order.paid').body
        const tail = body.subarray(body.indexOf('"data":') + 7, -1)
        assert.deepEqual(tail, document)
        assert.deepEqual(JSON.parse(body.toString()).data, JSON.parse(json))
      }),
    )
  })
})

describe('the bodies of an entry', () => {
  const typesOf = (types: readonly EventType[]) => toMessages(entryOf(), new Set(types)).map(({ type }) => type)

  test('are one per registered event of the entry, in the order of the entry', () => {
    assert.deepEqual(typesOf(eventTypes), ['order.created', 'order.paid'])
    assert.deepEqual(typesOf(['order.paid', 'order.created']), ['order.created', 'order.paid'])
    assert.deepEqual(typesOf(['order.paid', 'report.created']), ['order.paid'])
    assert.deepEqual(typesOf([]), [])
  })

  test('are the bytes that are sent to a webhook', () => {
    const at =
      '"timestamp":"2026-03-14T12:50:01.000Z","locationId":"272461e9-4fd9-5db0-b95b-cc91735b6bf6","sequence":42'
    const id = 'evt_272461e94fd95db0b95bcc91735b6bf6_5f0c21ab_42'
    assert.deepEqual(
      toMessages(entryOf(), new Set(eventTypes)).map(({ body }) => body.toString()),
      [
        `{"id":"${id}_order-created","type":"order.created",${at},"data":{"total":12.50}}`,
        `{"id":"${id}_order-paid","type":"order.paid",${at},"data":{"total":12.50}}`,
      ],
    )
  })
})
