import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { daysProjection } from '../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import { findFiguresFault } from '../../../src/modules/operations/projections/verify.ts'
import { findColumnFault, findDivergence } from '../../../src/modules/operations/store/divergences.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { startApp } from '../../support/app.ts'
import {
  everyRecord,
  idOf,
  locationOf,
  order,
  orderOf,
  report,
  reportOf,
  smallOrderOf,
  versionOf,
} from '../../support/records.ts'
import { deviceStatus, tamperer } from './tampered.ts'

const app = await startApp()
const { pool, database } = app

let location = ''
const { faultAfter, after } = tamperer(pool, () => location)

/** Stores sequences 1 to 20 in three pushes: location and lists, orders 0 to 13, a second version of order 1. */
beforeEach(async () => {
  const site = await app.addLocation()
  location = site.id
  const described = { type: 'location', data: locationOf(location, { name: 'Bistro' }) }
  await app.store([described, ...everyRecord(location).slice(1, 5)], site.key)
  await app.store(
    [...Array(14).keys()].map((n) => order(smallOrderOf(location, n))),
    site.key,
  )
  await app.store([order(versionOf(location, 1, 2))], site.key)
})

describe('verify names the first invalid sequence if', () => {
  test('a document was changed', async () => {
    const { sequence, reason, entries } = await after(
      () =>
        pool`update journal set document = replace(document, '"guests":2', '"guests":3') where location_id = ${location} and seq in (9, 12)`,
    )
    assert.deepEqual([sequence, entries], [9, 8])
    assert.match(reason, /was changed/)
  })

  const changes = {
    kind: "'report'",
    accepted_at: "'2030-01-01T00:00:00.000Z'",
    types: "'{order.paid}'",
    id: `'${idOf('order', 99)}'::uuid`,
    prev_seq: '2',
    salt: "repeat('0', 32)",
    commitment: "repeat('0', 64)",
    hash: "repeat('0', 64)",
  }
  for (const [column, value] of Object.entries(changes)) {
    test(`the ${column} of an entry was changed`, async () => {
      const text = `update journal set ${column} = ${value} where location_id = $1 and seq = 13`
      assert.equal((await after(() => pool.unsafe(text, [location]))).sequence, 13)
    })
  }

  test('the epoch of the journal was changed', async () => {
    const { sequence } = await after(
      () => pool`update location_seq set epoch = 'ffffffff' where location_id = ${location}`,
    )
    assert.equal(sequence, 1)
  })

  test('an entry is missing', async () => {
    const { sequence, reason } = await after(
      () => pool`delete from journal where location_id = ${location} and seq = 6`,
    )
    assert.equal(sequence, 6)
    assert.match(reason, /missing/)
  })

  test('the last entries are missing', async () => {
    const { sequence } = await after(() => pool`delete from journal where location_id = ${location} and seq > 18`)
    assert.equal(sequence, 19)
  })

  test('the head was set back to hide missing entries', async () => {
    const { sequence } = await after(
      () => pool`
        update location_seq set last_seq = 18, last_hash = (select hash from journal where location_id = ${location} and seq = 18)
        where location_id = ${location}`,
    )
    assert.equal(sequence, 19)
  })

  test('the head has another hash', async () => {
    const { sequence } = await after(
      () => pool`update location_seq set last_hash = repeat('f', 64) where location_id = ${location}`,
    )
    assert.equal(sequence, 20)
  })

  test('an order differs from its entry', async () => {
    const { sequence, reason } = await after(
      () =>
        pool`update orders set document = replace(document, '"total":0', '"total":1') where location_id = ${location} and id = ${idOf('order', 3)}`,
    )
    assert.equal(sequence, 9)
    assert.match(reason, /in orders differs from the entry/)
  })

  test('a row is missing, or of an earlier version', async () => {
    const earlier = await faultAfter(
      (tx) => tx`
        update orders o set seq = j.seq, document = j.document from journal j
        where o.location_id = ${location} and j.location_id = o.location_id and j.id = o.id and j.seq < o.seq`,
      async (sql, id) => String((await findDivergence(sql, id))?.seq),
    )
    assert.equal(earlier, '20')
    const { reason } = await after(() => pool`delete from catalog where location_id = ${location}`)
    assert.match(reason, /in catalog differs from the entry/)
  })

  test('the location differs from its entry', async () => {
    const { sequence } = await after(
      () => pool`update locations set document = replace(document, 'siret', 'tiers') where id = ${location}`,
    )
    assert.equal(sequence, 1)
  })
})

describe('verify', () => {
  test('finds day counts that differ from the rows', async () => {
    const { sequence, reason } = await after(
      () => pool`update day_counts set n = n + 1 where location_id = ${location}`,
    )
    assert.equal(sequence, null)
    assert.match(reason, /^the count of order\.closed 2026-03-01 is 15 instead of 14$/)
  })

  test('finds figures that differ from the documents, and names the first such row', async () => {
    const orders = [orderOf(location, 41), orderOf(location, 42, { reportId: null })]
    const { key } = await app.addKey(location)
    await app.store([...orders.map(order), report(reportOf(location, 1, { orders: orders.map(({ id }) => id) }))], key)
    for (const projection of [salesProjection, daysProjection]) await stepProjection(pool, projection, location)
    // Entries after the cursor are checked too.
    await app.store([order(orderOf(location, 43, { reportId: null }))], key)
    assert.deepEqual(await verifyLocation(pool, location), { entries: 24, verified: true })
    const [day] = (orders[0]?.closedAt ?? '').split('T')
    const tampered = (change: (sql: typeof pool) => Promise<unknown>) =>
      faultAfter(change, (sql, id) => findFiguresFault(sql, id, new Date('2026-03-20T12:00:00.000Z')))
    assert.equal(
      await tampered(
        (tx) =>
          tx`update sales_cells set sales = sales + 1 where location_id = ${location} and kind = 'channel' and day = ${day as string}`,
      ),
      `the sum of ${day} channel pos has sales 660001 instead of 660000`,
    )
    assert.match(
      await tampered(
        (tx) => tx`update sales_cells set tips = tips + 1 where location_id = ${location} and kind = 'month report'`,
      ),
      /^the sum of 2026-03-01 month report.* has tips \d+ instead of \d+$/,
    )
    assert.equal(
      await tampered(
        (tx) =>
          tx`update sales_cells set label = 'Café' where location_id = ${location} and kind = 'product' and key = ${idOf('product', 1)}`,
      ),
      `the sum of ${day} product ${idOf('product', 1)} is named "Café" instead of "Plat 1"`,
    )
    assert.match(
      await tampered(
        (tx) =>
          tx`update sales_cells set named_on = '2026-03-31' where location_id = ${location} and kind = 'month tax'`,
      ),
      /^the sum of 2026-03-01 month tax \d+ is named ".*" by 2026-03-31 instead of ".*" by 2026-03-\d\d$/,
    )
    assert.match(
      await tampered((tx) => tx`delete from sales_cells where location_id = ${location} and kind = 'hour'`),
      /^the sum of .* hour \d\d has orders \d instead of \d$/,
    )
    assert.equal(
      await tampered(
        (tx) => tx`update device_days set unreported = 7 where location_id = ${location} and day = ${day as string}`,
      ),
      `the daily figures of a device are wrong: ${day} ${idOf('device', 1)} has unreported 8 instead of 2`,
    )
    assert.equal(
      await tampered(
        (tx) =>
          tx`update report_checks set document = replace(document, 'unbalanced', 'balanced') where location_id = ${location}`,
      ),
      `the check of report ${idOf('report', 1)} is balanced instead of unbalanced`,
    )
    assert.equal(
      await tampered((tx) => tx`update device_days set last_at = '2027-01-01' where location_id = ${location}`),
      `the daily figures of a device are wrong: ${day} ${idOf('device', 1)} was last active at 2027-01-01T00:00:00.000Z instead of ${orderOf(location, 43).closedAt}`,
    )
    assert.equal(await tampered(async () => {}), '')
    assert.equal(
      await tampered((tx) => tx`delete from report_waits where location_id = ${location}`),
      `report ${idOf('report', 1)} is stored as waiting for no orders; expected: ${orders[1]?.id}`,
    )
    assert.equal(
      await tampered(
        (tx) =>
          tx`insert into report_waits select location_id, generation, order_id, ${idOf('report', 2)} from report_waits where location_id = ${location}`,
      ),
      `the check of report ${idOf('report', 2)} has no report`,
    )
    assert.equal(
      await tampered((tx) => tx`update report_checks set day = day + 1 where location_id = ${location}`),
      `the check of report ${idOf('report', 1)} has the wrong report, business day or till`,
    )
    await pool`update device_days set sales = 0 where location_id = ${location} and day = ${day as string}`
    const verdict = await verifyLocation(pool, location)
    assert.ok(
      !verdict.verified && verdict.sequence === null && verdict.reason.startsWith('the daily figures of a device'),
    )
  })

  test('finds a search column of orders, reports or the location that differs from the document', async () => {
    const { key } = await app.addKey(location)
    await app.store(
      [order(orderOf(location, 60, { reportId: null })), report(reportOf(location, 1)), deviceStatus],
      key,
    )
    assert.deepEqual(await verifyLocation(pool, location), { entries: 22, verified: true })
    const changes = {
      orders: {
        number: ["'x'", 'number'],
        device_id: [`'${idOf('device', 77)}'`, 'deviceId'],
        operator_id: [`'${idOf('device', 77)}'`, 'operatorId'],
        channel: ["'x'", 'channel'],
        service_type: ["'x'", 'serviceType'],
        training: ['not training', 'training'],
        canceled: ['not canceled', 'canceled'],
        transferred: ['not transferred', 'transferred'],
        report_id: [`coalesce(report_id, '${idOf('report', 77)}')`, 'reportId'],
        created_at: ["'2001-01-01T00:00:00Z'", 'createdAt'],
        updated_at: ["'2001-01-01T00:00:00Z'", 'updatedAt'],
        closed_at: ["'2001-01-01T00:00:00Z'", 'closedAt'],
        paid: ['not paid', undefined],
      },
      reports: {
        number: ['number + 1', 'number'],
        created_at: ["'2001-01-01T00:00:00Z'", 'createdAt'],
        updated_at: ["'2001-01-01T00:00:00Z'", 'updatedAt'],
      },
      device_statuses: {
        at: ["'2001-01-01T00:00:00Z'", 'at'],
        complete_until: ["'2001-01-01T00:00:00Z'", 'completeUntil'],
        last_number: ['7', 'lastNumber'],
      },
    } as const
    for (const [table, columns] of Object.entries(changes)) {
      for (const [column, [value, name]] of Object.entries(columns) as [string, [string, string | undefined]][]) {
        const reason = await faultAfter(
          (tx) => tx.unsafe(`update ${table} set ${column} = ${value} where location_id = $1`, [location]),
          findColumnFault,
        )
        const expected = name ? `in ${table} has ${name} .* instead of ` : `in ${table} is wrongly recorded as`
        assert.match(reason, new RegExp(expected), `${table}.${column}`)
      }
    }
    assert.match(
      await faultAfter((tx) => tx`update locations set without_devices = '{}' where id = ${location}`, findColumnFault),
      /in locations has withoutDevices/,
    )
    await pool`update orders set channel = 'x' where location_id = ${location} and id = ${idOf('order', 3)}`
    const verdict = await verifyLocation(pool, location)
    assert.ok(!verdict.verified && verdict.reason.startsWith(`${idOf('order', 3)} in orders has channel x`))
  })

  test('accepts ids that a till writes in capital letters', async () => {
    const { key } = await app.addKey(location)
    const capitals = (id: string) => id.toUpperCase()
    const loud = orderOf(location, 51)
    const data = {
      ...loud,
      id: capitals(loud.id),
      deviceId: capitals(idOf('device', 0xabc)),
      operatorId: capitals(idOf('device', 0xabd)),
      reportId: capitals(idOf('report', 0xabc)),
    }
    await app.store([order(data)], key)
    for (const projection of [salesProjection, daysProjection]) await stepProjection(pool, projection, location)
    assert.deepEqual(await verifyLocation(pool, location), { entries: 21, verified: true })
  })

  test('prints verified per location and exits with 0, or names the sequence and exits with 1', async () => {
    const env = { DATABASE_URL: toUrl(database.connection) }
    const args = ['verify', '--location', location]
    const whole = await tillgate(args, { env })
    assert.deepEqual([whole.code, whole.stdout], [0, `verified  ${location}  20 entries\n`])
    await pool`update journal set document = '{}' where location_id = ${location} and seq = 14`
    const broken = await tillgate(args, { env })
    assert.equal(broken.code, 1)
    assert.match(broken.stdout, new RegExp(`^broken {4}${location} {2}sequence 14: `))
    const { code, stdout } = await tillgate(['verify', '--json'], { env })
    assert.equal(code, 1)
    const { verified, locations } = JSON.parse(stdout)
    assert.equal(verified, false)
    const found = locations.find(({ id }: { id: string }) => id === location)
    assert.deepEqual([found.verified, found.sequence, found.entries], [false, 14, 13])
    assert.ok(locations.length > 2)
  })
})
