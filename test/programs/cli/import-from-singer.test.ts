import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { addLocation } from '../../support/app.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'tillgate-singer-'))
after(() => rmSync(folder, { recursive: true }))

const { pool, connection } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const location = await addLocation(pool, undefined, {
  timeZone: 'Europe/London',
  currency: 'GBP',
  dayStartsAt: '05:00',
})

const written = (name: string, value: unknown) => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(value))
  return path
}

const map = written('map.json', {
  map: 1,
  source: 'tap-bistro',
  times: { format: 'ISO 8601' },
  numbers: { decimal: '.', minor: true },
  files: {
    items: { name: 'orders', rows: 'line_items' },
    paid: { name: 'payments', leave: [{ column: 'status', is: 'FAILED' }] },
  },
  order: {
    from: 'items',
    key: ['id'],
    opened: 'created_at',
    closed: 'closed_at',
    version: 'updated_at',
    total: 'total.amount',
    place: 'table.name',
    item: {
      name: 'line_items.name',
      quantity: 'line_items.quantity',
      total: 'line_items.total.amount',
      tax: { rate: 'line_items.vat', included: true },
    },
    payments: { from: 'paid', name: 'method', amount: 'amount' },
  },
})

// Messages of tap-bistro, edited by hand: one order changed, one was deleted, and a payment has two versions.
const messages = [
  '{"type":"SCHEMA","stream":"orders","schema":{"properties":{}},"key_properties":["id"]}',
  '{"type":"SCHEMA","stream":"payments","schema":{"properties":{}},"key_properties":["order_id","n"]}',
  '{"type":"RECORD","stream":"orders","record":{"id":"o1","created_at":"2026-03-14T18:02:00.000000Z","closed_at":"2026-03-14T19:10:00Z","updated_at":"2026-03-14T19:10:00Z","total":{"amount":900},"table":{"name":"4"},"line_items":[{"name":"Pie","quantity":1,"total":{"amount":900},"vat":20}]}}',
  '{"type":"STATE","value":{"bookmarks":{"orders":"2026-03-14T19:10:00Z"}}}',
  '{"type":"RECORD","stream":"orders","record":{"id":"o1","created_at":"2026-03-14T18:02:00.000000Z","closed_at":"2026-03-14T20:10:00+01:00","updated_at":"2026-03-14T19:15:00Z","total":{"amount":1750},"table":{"name":"5"},"line_items":[{"name":"Pie","quantity":1,"total":{"amount":900},"vat":20},{"name":"Café","quantity":2,"total":{"amount":850},"vat":5.5}]},"time_extracted":"2026-03-14T20:00:00Z"}',
  '{"type":"RECORD","stream":"orders","record":{"id":"o2","_sdc_deleted_at":"2026-03-14T20:00:00Z","created_at":"2026-03-14T18:02:00Z","closed_at":null,"updated_at":"2026-03-14T18:02:00Z","total":{"amount":1},"table":{"name":""},"line_items":[]}}',
  '{"type":"RECORD","stream":"payments","record":{"order_id":"o1","id":"o1","n":1,"method":"Card","amount":1000,"status":"PAID","fee":12}}',
  '{"type":"RECORD","stream":"payments","record":{"order_id":"o1","id":"o1","n":2,"method":"Cash","amount":900,"status":"FAILED"}}',
  '{"type":"RECORD","stream":"payments","record":{"order_id":"o1","id":"o1","n":3,"method":"Cash","amount":1,"status":"PAID"}}',
  '{"type":"RECORD","stream":"payments","record":{"order_id":"o1","id":"o1","n":3,"method":"Cash","amount":750,"status":"PAID"}}',
  '{"type":"ACTIVATE_VERSION","stream":"orders","version":1}',
  '{"type":"STATE","value":{"bookmarks":{"orders":"2026-03-14T20:00:00Z","id":12345678901234567890,"part":1.0}}}',
]

const run = (input: readonly string[], more: string[] = []) =>
  tillgate(['import', '-', '--from', 'singer', '--map', map, '--location', location, ...more], {
    env,
    input: `${input.join('\n')}\n`,
  })

test('the records of a tap are stored, the later of two versions, and its state is printed after that', async () => {
  const { code, stdout, stderr } = await run(messages)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /2026-03-14 +1 +17\.50 +17\.50 +–/)
  assert.match(stderr, /skipped 1: deleted/)
  assert.match(stderr, /skipped 1: skipped by the map/)
  assert.match(stderr, /not read: payments: n \(3\), payments: order_id \(3\), payments: fee \(1\)/)
  assert.equal(
    stdout.trimEnd().split('\n').at(-1),
    '{"bookmarks":{"orders":"2026-03-14T20:00:00Z","id":12345678901234567890,"part":1.0}}',
  )
  const [row] = await pool<{ document: string }[]>`select document from orders where location_id = ${location}`
  const order = JSON.parse(row?.document ?? '')
  assert.deepEqual(
    [
      order.openedAt,
      order.closedAt,
      order.updatedAt,
      order.orderPlace,
      order.total,
      order.source,
      order.externalOrderId,
    ],
    ['2026-03-14T18:02:00.000Z', '2026-03-14T19:10:00.000Z', '2026-03-14T19:15:00.000Z', '5', 17.5, 'tap-bistro', 'o1'],
  )
  // 9.00 at 20 % includes 1.50, 8.50 at 5.5 % includes 0.44.
  assert.deepEqual(
    order.items.map((item: any) => [item.description, item.quantity, item.total, item.tax.taxRate, item.tax.taxAmount]),
    [
      ['Pie', 1, 9, 0.2, 1.5],
      ['Café', 2, 8.5, 0.055, 0.44],
    ],
  )
  assert.deepEqual(
    order.payments.map((one: any) => [one.paymentName, one.paymentAmount]),
    [
      ['Card', 10],
      ['Cash', 7.5],
    ],
  )
  assert.match((await run(messages)).stdout, /0 accepted, 1 unchanged/)
})

test('while a ticket is refused the state is not printed, so that the tap reads it again', async () => {
  const wrong = messages.map((line) => line.replace('"amount":1750', '"amount":1800'))
  const { code, stdout, stderr } = await run(wrong)
  assert.equal(code, 1)
  assert.match(stderr, /refused o1: said\.total is 18\.00, but the items add up to 17\.50/)
  assert.doesNotMatch(stdout, /bookmarks/)
})

const faults: [what: string, line: string, message: RegExp][] = [
  ['invalid JSON', '{"type":', /standard input, line 13 is not a Singer message/],
  [
    'a record before its schema',
    '{"type":"RECORD","stream":"x","record":{}}',
    /line 13: no SCHEMA of stream x precedes this RECORD/,
  ],
  ['files elsewhere', '{"type":"BATCH","stream":"orders"}', /line 13: BATCH refers to other files/],
  ['another message', '{"type":"order","data":{}}', /line 13: "order" is not a Singer message type/],
]

for (const [what, line, message] of faults) {
  test(`${what} is reported with its place, and nothing is stored`, async () => {
    const { code, stderr } = await run([...messages, line])
    assert.deepEqual([code, message.test(stderr)], [2, true], stderr)
  })
}

test('an unknown stream or field in the map is reported', async () => {
  const without = messages.filter((line) => !line.includes('"payments"'))
  assert.match((await run(without)).stderr, /stream payments not found \(map \/files\/paid\/name\)/)
  const other = messages.map((line) => line.replaceAll('"vat"', '"tax"'))
  assert.match((await run(other)).stderr, /no record of orders has “line_items\.vat” \(map \/files\/items\)/)
})
