import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  exportTables,
  type ExportFormat,
  type TablesManifest,
} from '../../../../src/modules/exports/cli/export-tables.ts'
import { tableNames } from '../../../../src/modules/exports/domain/columns.ts'
import { addDays } from '../../../../src/core/domain/days/business-time.ts'
import { businessDay } from '../../../../simulator/calendar.ts'
import { createRestaurant } from '../../../../simulator/restaurant.ts'
import { simulate } from '../../../../simulator/simulation.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { dish, soldOn, zOn } from '../../../support/books-site.ts'
import { order, report } from '../../../support/records.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-tables-'))
after(() => rmSync(dir, { recursive: true }))

const now = new Date('2027-06-14T20:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app
const duck = await (await DuckDBInstance.create(':memory:')).connect()

/** Queries rows with DuckDB, decimals and dates as text. */
async function query(sql: string): Promise<Record<string, any>[]> {
  return (await duck.runAndReadAll(sql)).getRowObjectsJson() as Record<string, any>[]
}

type Raw = { type: string; data: any }

const site = await app.addLocation()
const restaurant = createRestaurant({ seed: 'tables', ordersPerDay: 12, kind: 'hostile' })
const records = [
  ...simulate(restaurant, {
    from: new Date(businessDay('Europe/Paris', '2026-03-26').startsAt),
    to: new Date(businessDay('Europe/Paris', addDays('2026-03-26', 10)).startsAt),
    finalOnly: true,
  }),
].map(({ record }) => record as Raw)
const own = records.map(({ type, data }) => ({
  type,
  data: type === 'location' ? { ...data, id: site.id } : 'locationId' in data ? { ...data, locationId: site.id } : data,
}))
for (let at = 0; at < own.length; at += 200) await app.store(own.slice(at, at + 200), site.key)

const write = (out: string, format: ExportFormat, of: Site = site, withOpen = false) =>
  exportTables(pool, {
    withOpen,
    locationId: of.id,
    out: join(dir, out),
    format,
    tables: tableNames,
    since: null,
    until: null,
    now,
  })

const cents = (text: string | null) => Math.round(Number(text ?? 0) * 100)

const months = [
  ['2026-03', '2026-03-01', '2026-03-31'],
  ['2026-04', '2026-04-01', '2026-04-30'],
] as const

test('DuckDB reads every Parquet file with its types, and its sums equal those of the API and of the raw records', async () => {
  const { manifest } = await write('parquet', 'parquet')
  for (const { file, rows, bytes, sha256 } of manifest.files) {
    const path = join(dir, 'parquet', file)
    assert.equal(statSync(path).size, bytes)
    assert.equal(createHash('sha256').update(readFileSync(path)).digest('hex'), sha256)
    assert.equal(Number((await query(`select count(*) as n from '${path}'`))[0]?.['n']), rows, file)
  }
  const of = (table: string) => `read_parquet('${dir}/parquet/${table}/*/*.parquet', hive_partitioning = true)`
  const types = await query(`describe select * from ${of('items')}`)
  const typeOf = Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]))
  assert.deepEqual(
    [
      'order_id',
      'business_date',
      'closed_at',
      'total',
      'quantity',
      'tax_rate',
      'is_counted',
      'sequence',
      'description',
      'position',
    ].map((name) => typeOf[name]),
    [
      'UUID',
      'DATE',
      'TIMESTAMP WITH TIME ZONE',
      'DECIMAL(18,2)',
      'DECIMAL(18,3)',
      'DECIMAL(6,4)',
      'BOOLEAN',
      'BIGINT',
      'VARCHAR',
      'INTEGER',
    ],
  )
  for (const [month, since, until] of months) {
    const range = `since=${since}&until=${until}`
    const total = (await app.get(`/v1/sales/?${range}`, { key: site.key })).json.totals
    const [items] = await query(
      `select sum(total) as total, sum(tax_amount) as tax, sum(discount) as discount, count(distinct order_id) as orders
       from ${of('items')} where business_month = '${month}' and is_counted`,
    )
    assert.deepEqual(
      [cents(items?.['total']), cents(items?.['tax']), cents(items?.['discount'])],
      [total.salesInclTax, total.tax, total.discounts],
    )
    assert.ok(total.orders > 40)
    const [orders] = await query(
      `select count(*) as n, sum(tips) as tips from ${of('orders')} where business_month = '${month}' and is_counted`,
    )
    assert.deepEqual([Number(orders?.['n']), cents(orders?.['tips'])], [total.orders, total.tips])
    const byRate = (await app.get(`/v1/sales/?${range}&by=tax`, { key: site.key })).json.data
    const taxes = await query(
      `select rate, sum(tax) as tax, sum(taxable) as taxable from ${of('taxes')} where business_month = '${month}' group by rate order by rate`,
    )
    assert.deepEqual(
      taxes.map(({ rate, tax, taxable }) => [Math.round(Number(rate) * 10_000), cents(tax), cents(taxable)]),
      byRate
        .map(({ key, tax, salesExclTax }: any) => [Number(key), tax, salesExclTax])
        .toSorted((a: any, b: any) => a[0] - b[0]),
    )
    const means = (await app.get(`/v1/sales/?${range}&by=payment`, { key: site.key })).json.data
    const payments = await query(
      `select name, sum(amount) as amount from ${of('payments')}
       where business_month = '${month}' and not is_canceled and not is_training group by name order by name`,
    )
    assert.equal(
      payments.reduce((sum, { amount }) => sum + cents(amount), 0),
      means.reduce((sum: number, { salesInclTax }: any) => sum + salesInclTax, 0),
    )
  }
  // Compared with the raw records, without any of our code in between.
  const closed = own.filter(({ type, data }) => type === 'order' && data.closedAt !== null)
  const rawItems = closed.flatMap(({ data }) => data.items)
  const [whole] = await query(`select count(*) as n, sum(total) as total from ${of('items')}`)
  assert.deepEqual(
    [Number(whole?.['n']), cents(whole?.['total'])],
    [rawItems.length, rawItems.reduce((sum: number, { total }: any) => sum + Math.round(total * 100), 0)],
  )
  const reports = own.filter(({ type }) => type === 'report')
  const [z] = await query(`select count(*) as n, sum(total_sales) as total from ${of('reports')}`)
  assert.deepEqual(
    [Number(z?.['n']), cents(z?.['total'])],
    [reports.length, reports.reduce((sum, { data }) => sum + data.totalSales, 0)],
  )
  const [lines] = await query(`select sum(amount) as amount from ${of('report_lines')} where kind = 'payment'`)
  assert.equal(
    cents(lines?.['amount']),
    reports.flatMap(({ data }) => data.reportPayments).reduce((sum, { paymentAmount }) => sum + paymentAmount, 0),
  )
  const texts = new Set(rawItems.map(({ description }: any) => description))
  const read = await query(`select distinct description from ${of('items')}`)
  assert.deepEqual(new Set(read.map(({ description }) => description)), texts)
})

test('CSV has the same rows as Parquet, in both dialects, and the same data has the same bytes', async () => {
  await write('csv', 'csv')
  await write('excel', 'excel-fr')
  const again = await write('csv-again', 'csv')
  for (const { file } of again.manifest.files)
    assert.ok(readFileSync(join(dir, 'csv', file)).equals(readFileSync(join(dir, 'csv-again', file))), file)
  for (const [table, money] of [
    ['items', 'total'],
    ['payments', 'amount'],
    ['taxes', 'tax'],
    ['orders', 'total'],
  ] as const) {
    const sums = await Promise.all(
      [
        `read_parquet('${dir}/parquet/${table}/*/*.parquet')`,
        `read_csv('${dir}/csv/${table}/*/*.csv', header = true)`,
        `read_csv('${dir}/excel/${table}/*/*.csv', header = true, delim = ';', decimal_separator = ',')`,
      ].map((from) => query(`select count(*) as n, sum(${money}) as total from ${from}`)),
    )
    const [first, ...others] = sums.map(([row]) => [Number(row?.['n']), cents(row?.['total'])])
    for (const other of others) assert.deepEqual(other, first, table)
  }
  const excel = readFileSync(join(dir, 'excel/items/business_month=2026-03/items-2026-03.csv'), 'utf8')
  assert.match(excel, /^\uFEFFlocation_id;business_date;sequence;/)
  assert.match(excel, /;\d\d\/\d\d\/2026 \d\d:\d\d;/)
  assert.doesNotMatch(excel, /(^|;|\n)"?\s*[=@](?!")/)
})

test('the CSV for French spreadsheets has each time in UTC and as local time', async () => {
  const rows = await query(
    `select order_id, closed_at, local_closed_at from
     read_csv('${dir}/excel/orders/*/*.csv', header = true, delim = ';', all_varchar = true)`,
  )
  const closedIn = (timeZone: string, { closedAt }: any) =>
    new Intl.DateTimeFormat('fr-FR', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(new Date(closedAt))
  const closed = own.filter(({ type, data }) => type === 'order' && data.closedAt !== null).map(({ data }) => data)
  // Times before and after the clocks are set forward.
  for (const one of [closed[0], closed.at(-1)]) {
    assert.deepEqual(
      rows.find(({ order_id: id }) => id === one.id),
      { order_id: one.id, closed_at: closedIn('UTC', one), local_closed_at: closedIn('Europe/Paris', one) },
    )
  }
})

test('a second run rewrites only the months that changed, and refuses the export of another journal', async () => {
  const before = JSON.parse(readFileSync(join(dir, 'parquet/manifest.json'), 'utf8')) as TablesManifest
  assert.deepEqual((await write('parquet', 'parquet')).written, [])
  const late = soldOn(site, 28, 77, { items: [dish(1, 11, 1)], reportId: null })
  await app.store([order(late)], site.key)
  const { manifest, written } = await write('parquet', 'parquet')
  assert.ok(written.length >= 3, String(written))
  assert.ok(
    written.every((file) => file.includes('2026-03')),
    String(written),
  )
  const april = (of: TablesManifest) => of.files.filter(({ month }) => month === '2026-04')
  assert.deepEqual(april(manifest), april(before))
  const [row] = await query(
    `select count(*) as n from read_parquet('${dir}/parquet/orders/*/*.parquet') where order_id = '${late.id}'`,
  )
  assert.equal(Number(row?.['n']), 1)
  // An order that moves to another month is removed from its old month.
  const moved = { ...late, closedAt: '2026-04-02T19:00:00.000Z', updatedAt: '2026-04-03T10:00:00.000Z' }
  await app.store([order(moved)], site.key)
  const next = await write('parquet', 'parquet')
  assert.ok(['2026-03', '2026-04'].every((month) => next.written.some((file) => file.includes(month))))
  const rows = await query(
    `select business_date from read_parquet('${dir}/parquet/orders/*/*.parquet') where order_id = '${late.id}'`,
  )
  assert.deepEqual(
    rows.map(({ business_date }) => business_date),
    ['2026-04-02'],
  )
  const other = await app.addLocation()
  await assert.rejects(write('parquet', 'parquet', other), /Choose another directory/)
  assert.ok(!existsSync(join(dir, 'parquet/manifest.json.part')))
})

test('open orders are in tables on request, on the day of their opening, until they are closed', async () => {
  const own = await app.addLocation()
  const at = (day: number, time: string) => `2026-03-${String(day).padStart(2, '0')}T${time}:00.000Z`
  // Opened at 01:30 of the third in Paris, which is business day 2; closed and open orders are sorted together by day.
  const opened = soldOn(own, 3, 9, { openedAt: at(3, '00:30'), closedAt: null, payments: [], reportId: null })
  const alone = soldOn(own, 4, 9, {
    openedAt: '2026-02-27T12:00:00.000Z',
    closedAt: null,
    payments: [],
    reportId: null,
  })
  const sold = [soldOn(own, 2, 1), soldOn(own, 3, 1), soldOn(own, 5, 1)]
  await app.store([opened, alone, ...sold].map(order), own.key)
  const usual = await write('usual', 'csv', own)
  assert.deepEqual(
    usual.manifest.files.filter(({ table }) => table === 'orders').map(({ month, rows }) => [month, rows]),
    [['2026-03', 3]],
  )
  const { manifest } = await write('open', 'csv', own, true)
  assert.equal(manifest.isOpenIncluded, true)
  const rows = () =>
    query(`select order_id, business_date, closed_at, local_hour, is_counted, business_month
      from read_csv('${dir}/open/orders/*/*.csv', header = true, hive_partitioning = true)`)
  const cells = (await rows()).map((row) => [row['order_id'], row['business_date'], row['is_counted']])
  assert.deepEqual(cells, [
    [alone.id, '2026-02-27', false],
    [sold[0]?.id, '2026-03-02', true],
    [opened.id, '2026-03-02', false],
    [sold[1]?.id, '2026-03-03', true],
    [sold[2]?.id, '2026-03-05', true],
  ])
  assert.ok(
    (await rows()).every((row) => (row['closed_at'] === null) === [alone.id, opened.id].includes(row['order_id'])),
  )
  const items = readFileSync(join(dir, 'open/items/business_month=2026-02/items-2026-02.csv'), 'utf8')
  assert.match(items, new RegExp(`,2026-02-27,\\d+,${alone.id},,`))
  assert.deepEqual((await write('open', 'csv', own, true)).written, [])
  // Once closed in March, the order is removed from February; without open orders the folder is rewritten.
  const closedAt = at(6, '12:00')
  await app.store([order({ ...alone, closedAt, updatedAt: closedAt })], own.key)
  const next = await write('open', 'csv', own, true)
  assert.ok(next.manifest.files.every(({ month }) => month === '2026-03'))
  assert.ok(!existsSync(join(dir, 'open/orders/business_month=2026-02/orders-2026-02.csv')))
  assert.deepEqual(
    (await rows()).filter((row) => row['order_id'] === alone.id).map((row) => row['business_date']),
    ['2026-03-06'],
  )
  const without = await write('open', 'csv', own)
  assert.equal(without.manifest.files.find(({ table }) => table === 'orders')?.rows, 4)
})

test('an order of a clock that is thousands of years off is in the table of its month, at once', async () => {
  const own = await app.addLocation()
  await app.store(
    [order(soldOn(own, 2, 1)), order(soldOn(own, 2, 2, { closedAt: '9999-12-02T12:00:00.000Z' }))],
    own.key,
  )
  const { manifest } = await write('far', 'csv', own)
  const months = manifest.files.filter(({ table }) => table === 'orders').map(({ month, rows }) => [month, rows])
  assert.deepEqual(months, [
    ['2026-03', 1],
    ['9999-12', 1],
  ])
  const { status, text } = await app.get('/v1/exports/orders?month=9999-12', { key: own.key })
  assert.deepEqual([status, text.split('\n').length], [200, 3])
})

test('the manifest states until when all closed orders have arrived', async () => {
  const own = await app.addLocation()
  const late = new Date('2026-03-04T12:00:00.000Z')
  const orders = [soldOn(own, 2, 1), soldOn(own, 2, 2)]
  await app.store([...orders.map(order), report(zOn(own, 2, orders))], own.key)
  const request = { locationId: own.id, out: join(dir, 'until'), format: 'csv' as const, tables: tableNames }
  const { manifest } = await exportTables(pool, { ...request, since: null, until: null, now: late })
  // The only till of the location closed the 2nd with its Z at 22:30.
  assert.equal(manifest.completeUntil, '2026-03-02T22:30:00.000Z')
})

test('a month is streamed over HTTP as CSV, Parquet and NDJSON, with its checksum in the trailer', async () => {
  const fetchFile = (path: string) =>
    new Promise<{ status: number; bytes: Buffer; digest: string | undefined; headers: any }>((resolve, reject) => {
      get(`${app.url}${path}`, { headers: { 'x-api-key': site.key, te: 'trailers' } }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            bytes: Buffer.concat(parts),
            digest: response.trailers['repr-digest'],
            headers: response.headers,
          }),
        )
      }).on('error', reject)
    })
  const answers = await Promise.all(
    ['format=csv', 'format=parquet', 'format=ndjson', 'format=csv&dialect=excel-fr'].map((form) =>
      fetchFile(`/v1/exports/payments?month=2026-03&${form}`),
    ),
  )
  const counts: [number, number][] = []
  for (const [i, { status, bytes, digest, headers }] of answers.entries()) {
    assert.equal(status, 200)
    assert.equal(digest, `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`)
    assert.ok(Number(headers['tillgate-sequence']) > 0)
    const path = join(dir, `http-${i}`)
    writeFileSync(path, bytes)
    const from = [
      `read_csv('${path}', header = true)`,
      `read_parquet('${path}')`,
      `read_ndjson('${path}')`,
      `read_csv('${path}', header = true, delim = ';', decimal_separator = ',')`,
    ][i]
    const [row] = await query(`select count(*) as n, sum(amount) as total from ${from}`)
    counts.push([Number(row?.['n']), cents(row?.['total'])])
  }
  assert.ok((counts[0]?.[0] ?? 0) > 40)
  for (const other of counts) assert.deepEqual(other, counts[0])
  // A month without rows is also a file.
  const empty = await fetchFile('/v1/exports/items?month=2020-01&format=parquet')
  writeFileSync(join(dir, 'empty'), empty.bytes)
  assert.equal(Number((await query(`select count(*) as n from read_parquet('${dir}/empty')`))[0]?.['n']), 0)
})

test('exports are of the key’s location, need the scope read, and are in the access log', async () => {
  const other = await app.addLocation()
  const none = await app.get('/v1/exports/orders?month=2026-03', { key: other.key })
  assert.equal(none.text.split('\r\n').length, 2)
  const { key: accountant } = await app.addKey(site.id, { scopes: ['books'] })
  assertProblem(await app.get('/v1/exports/orders?month=2026-03', { key: accountant }), {
    status: 403,
    code: 'scope_missing',
  })
  for (const path of ['/v1/exports/orders', '/v1/exports/orders?month=2026-13', '/v1/exports/nothing?month=2026-03'])
    assertProblem(await app.get(path, { key: site.key }), { status: 400, code: 'validation_failed' })
  const { text } = await app.get('/v1/exports/orders?month=2026-03', { key: site.key })
  assert.ok(text.split('\r\n').length > 100)
  await app.context.access.flush(true)
  const { data } = (await app.get('/v1/access/', { key: site.key })).json
  const read = data.find(
    ({ operation }: any) => operation === 'GET /v1/exports/:table' || operation === 'GET /v1/exports/{table}',
  )
  assert.ok(read?.documents > 100, JSON.stringify(data))
})
