import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { added } from '../../../src/core/schemas/growth.ts'
import { Amount, Nullable } from '../../../src/core/contract/scalars.ts'
import { files, keptReleases } from '../../support/kept-releases.ts'
import { brokenPromises } from '../../support/released.ts'

const root = join(import.meta.dirname, '../../..')
const load = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, any>
const current = () => load(join(root, 'openapi.json'))

describe('compatibility with the releases', () => {
  for (const { version, text } of keptReleases()) {
    test(version, () => assert.deepEqual(brokenPromises(JSON.parse(text(files.openapi)), current()), []))
  }

  test('every released version has its files', () => {
    const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    const named = Array.from(text.matchAll(/^## (\d+\.\d+\.\d+)$/gm), ([, version]) => version)
    const kept = keptReleases().map(({ version }) => version)
    assert.deepEqual(new Set(named), new Set(kept), 'npm run make -- released makes them')
  })

  test('the document is compatible with itself, and so is one that has grown as decision 0033 allows', () => {
    assert.deepEqual(brokenPromises(current(), current()), [])
    const grown = current()
    grown['components'].schemas.Order.properties.deposit = added('9.9.0', Nullable(Amount()))
    grown['components'].schemas.OrderItem.properties.note = added('9.9.0', Nullable(Amount()))
    grown['paths']['/v1/orders/'].get.parameters.push({ in: 'query', name: 'weather', required: false })
    grown['paths']['/v1/deposits/'] = grown['paths']['/v1/orders/']
    assert.deepEqual(brokenPromises(current(), grown), [])
  })

  type Change = [fault: string, change: (order: Record<string, any>, document: Record<string, any>) => void]
  const changes: Change[] = [
    ['Order/total went away', (order) => delete order['properties'].total],
    ['Order/guests changed its type', (order) => (order['properties'].guests.type = 'string')],
    ['Order/total changed its type', (order) => (order['properties'].total.type = ['number', 'null'])],
    ['Order/total may be absent now', (order) => order['required'].splice(order['required'].indexOf('total'), 1)],
    [
      'Order/deposit is new and required: older documents do not have it',
      (order) => {
        order['properties'].deposit = added('9.9.0', Amount())
        order['required'].push('deposit')
      },
    ],
    ['Order/deposit is new and does not say since when', (order) => (order['properties'].deposit = { type: 'number' })],
    [
      'Order/items[]/tax/taxRate went away',
      (_order, { components }) => {
        const { ItemTax: tax } = components.schemas
        delete tax.properties.taxRate
        tax.required = tax.required.filter((name: string) => name !== 'taxRate')
      },
    ],
    ['GET /v1/catalog/taxes/ went away', (_order, document) => delete document['paths']['/v1/catalog/taxes/']],
    [
      'GET /v1/orders/ asks for a new parameter weather',
      (_order, { paths }) => paths['/v1/orders/'].get.parameters.push({ in: 'query', name: 'weather', required: true }),
    ],
    [
      'GET /v1/orders/ does not answer 401 any more',
      (_order, { paths }) => delete paths['/v1/orders/'].get.responses['401'],
    ],
    ['the event order.paid went away', (_order, document) => delete document['webhooks']['order.paid']],
    [
      'POST /v1/webhooks/ body/secret is now required',
      (_order, document) => {
        const { schema } = document['paths']['/v1/webhooks/'].post.requestBody.content['application/json']
        const named = schema['$ref'] ? document['components'].schemas[schema['$ref'].split('/').at(-1)] : schema
        named.required = [...(named.required ?? []), 'secret']
      },
    ],
    [
      'GET /v1/orders/ does not take query since any more',
      (_order, { paths }) => {
        const { get } = paths['/v1/orders/']
        get.parameters = get.parameters.filter(({ name }: any) => name !== 'since')
      },
    ],
  ]
  for (const [fault, change] of changes) {
    test(`this would be found: ${fault}`, () => {
      const document = current()
      change(document['components'].schemas.Order, document)
      assert.ok(brokenPromises(current(), document).includes(fault), brokenPromises(current(), document).join('\n'))
    })
  }
})
