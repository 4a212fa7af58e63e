import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Closing, Ticket } from '../../../../src/modules/sources/schemas/tickets.ts'
import { startApp } from '../../../support/app.ts'
import { byId, mapShop, shops } from '../golden.ts'

const app = await startApp({ clock: () => new Date('2026-07-20T12:00:00.000Z') })

const at = '2026-03-14T19:00:00.000Z'
const vat = { name: 'TVA 10 %', key: '10', rate: 0.1, amount: 100, mode: 'included' as const }

const ticket = (changes: Partial<Ticket> = {}) => ({
  type: 'ticket',
  data: {
    source: 'mytill',
    account: 'shop-1',
    key: '2026-0317',
    version: at,
    opened: at,
    closed: at,
    number: '17',
    closing: 'z1',
    items: [{ name: 'Plat', product: '1017', quantity: 1, amount: 1100, taxes: [vat] }],
    payments: [{ name: 'Carte', key: 'card', amount: 1100, tip: 50 }],
    said: { total: 1100, tax: 100, tips: 50 },
    ...changes,
  },
})

const closing = (changes: Partial<Closing> = {}) => ({
  type: 'closing',
  data: {
    source: 'mytill',
    account: 'shop-1',
    key: 'z1',
    number: 1,
    device: { key: '1', name: 'Caisse 1' },
    from: at,
    to: '2026-03-14T22:00:00.000Z',
    said: {
      total: 1100,
      taxes: [{ name: 'TVA 10 %', rate: 0.1, amount: 100, base: 1000 }],
      payments: [{ name: 'Carte', amount: 1100 }],
    },
    tickets: ['2026-0317'],
    ...changes,
  },
})

test('a ticket and its closing are pushed without a UUID, and the Z is balanced', async () => {
  const site = await app.addLocation()
  const answer = await app.store([ticket(), closing()], site.key)
  const [order, report] = answer.results
  assert.deepEqual(
    [order?.type, order?.status, report?.type, report?.status],
    ['order', 'accepted', 'report', 'accepted'],
  )
  const stored = (await app.get(`/v1/orders/${order?.id}`, { key: site.key })).json
  assert.deepEqual(
    [stored.locationId, stored.externalOrderId, stored.total, stored.tips[0].amount, stored.reportId],
    [site.id, '2026-0317', 11, 0.5, report?.id],
  )
  const checked = (await app.get(`/v1/reports/${report?.id}/reconciliation`, { key: site.key })).json
  assert.deepEqual([checked.balanced, checked.notStated], [true, ['products']])
  const again = await app.store([ticket(), closing()], site.key)
  assert.deepEqual(
    again.results.map(({ status }) => status),
    ['unchanged', 'unchanged'],
  )
})

test('an invalid or contradictory ticket is rejected with its key and pointer, and the others are accepted', async () => {
  const site = await app.addLocation()
  const push = [
    ticket({ said: { total: 1800 } }),
    ticket({ key: '18', version: 'yesterday' }),
    { ...ticket(), more: 1 },
    ticket({ key: '19', items: [{ name: 'Plat', quantity: 1, amount: 11.5 }] }),
    ticket({ key: '20' }),
  ]
  const { status, json } = await app.push(push, { key: site.key })
  assert.equal(status, 207)
  const verdicts = json.results.map(({ status, type, id, code, errors = [] }: any) => [
    status,
    type,
    id,
    code,
    errors[0]?.pointer,
  ])
  assert.deepEqual(verdicts.slice(0, 4), [
    ['rejected', 'ticket', '2026-0317', 'ticket_differs', '/data/said/total'],
    ['rejected', 'ticket', '18', 'invalid_datetime', '/data/version'],
    ['rejected', undefined, undefined, 'unknown_type', '/type'],
    ['rejected', 'ticket', '19', 'invalid_type', '/data/items/0/amount'],
  ])
  assert.equal(verdicts[4][0], 'accepted')
  assert.equal(json.results[0].detail, 'said.total is 18.00, but the items add up to 11.00: a difference of 7.00')
})

test('the tickets of every sample shop, pushed unchanged, become the same records as by import', async () => {
  for (const { adapter, files, profile, expected } of shops) {
    const site = await app.addLocation()
    const { tickets, closings } = await mapShop({ adapter, profile }, files)
    const records = [
      ...tickets.map((data) => ({ type: 'ticket', data })),
      ...closings.map((data) => ({ type: 'closing', data })),
    ]
    await app.store(records, site.key)
    for (const [id, data] of byId(expected)) {
      const path = 'reportNumber' in data ? 'reports' : 'orders'
      const { json } = await app.get(`/v1/${path}/${id}`, { key: site.key })
      const [stored] = byId([
        { type: path === 'orders' ? 'order' : 'report', data: { ...json, locationId: data.locationId } },
      ]).values()
      assert.deepEqual(stored, data)
    }
  }
})
