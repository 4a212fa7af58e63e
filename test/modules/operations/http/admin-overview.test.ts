import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import {
  AdminDeleted,
  AdminOverview,
  AdminRejectedPage,
  AdminRejectedSummary,
  AdminWebhookPage,
} from '../../../../src/modules/operations/schemas/admin.ts'
import { okay } from '../../../core/conformance/contract.ts'
import { adminOf } from './admin-calls.ts'
import { startApp } from '../../../support/app.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { acknowledgeLosses, recordLoss } from '../../../../src/core/store/journal/losses.ts'
import { recordUpkeep } from '../../../../src/core/store/db/upkeep.ts'
import { eventually } from '../../../support/waiting.ts'
import { idOf, order, report, reportOf, smallOrderOf } from '../../../support/records.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })
const { get, send, all } = await adminOf(app)

describe('rejected records', () => {
  test('are counted by code and location, listed in order of arrival, and deleted by age', async () => {
    const site = await app.addLocation()
    const bad = { ...order(smallOrderOf(site.id, 1)), surprise: '\0 "quoted" \\ ' }
    await app.push(
      ['not json', bad as never, bad as never]
        .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
        .join('\n'),
      { key: site.key },
    )
    const [row] = await app.pool`select count(*)::int as n from rejected_records where location_id = ${site.id}`
    const groups = okay(await get(`rejected/summary?location=${site.id}`), AdminRejectedSummary).data
    assert.equal(
      groups.reduce((sum: number, group: any) => sum + group.count, 0),
      row?.['n'],
    )
    const twice = groups.find((group: any) => group.count === 2)
    assert.equal(twice.pointer, '/surprise')
    // The summary of the installation has the same numbers as the location.
    const ofAll = async (code: string) =>
      okay(await get(`rejected/summary?all=true&code=${code}`), AdminRejectedSummary).data.map((group: any) => [
        group.locationId,
        group.code,
        group.count,
      ])
    assert.deepEqual(await ofAll('unknown_field'), [[site.id, 'unknown_field', 2]])
    assert.deepEqual(await ofAll('invalid_json'), [[site.id, 'invalid_json', 1]])
    assert.deepEqual(await ofAll('wrong_type'), [])
    const listed = await all(`rejected/?location=${site.id}&code=${twice.code}`, AdminRejectedPage)
    assert.equal(listed.length, 2)
    assert.ok(listed[0].record.includes('"surprise"'))
    assert.equal(listed[0].errors[0].pointer, '/surprise')
    const one = listed[1]
    assert.deepEqual(await all(`rejected/?location=${site.id}&id=${one.id.toUpperCase()}`, AdminRejectedPage), [one])
    assert.deepEqual(await all(`rejected/?location=${app.other.id}&id=${one.id}`, AdminRejectedPage), [])
    assert.deepEqual((await get(`rejected/?location=${app.other.id}`)).json.data, [])
    now += 86_400_000
    const gone = okay(
      await send('DELETE', `rejected/?location=${site.id}&before=${new Date(now).toISOString()}`),
      AdminDeleted,
    )
    assert.equal(gone.deleted, row?.['n'])
  })
})

describe('the overview', () => {
  test('lists first what needs attention', async () => {
    const [silent, well] = [await app.addLocation(), await app.addLocation()]
    await app.store([order(smallOrderOf(silent.id, 1))], silent.key)
    now += 25 * 3_600_000
    await app.store([order(smallOrderOf(well.id, 1))], well.key)
    await app.push('not json', { key: silent.key })
    const webhook = {
      events: ['order.paid'],
      locationId: silent.id,
      recipientId: randomUUID(),
      endpointUrl: 'http://127.0.0.1:1/',
    }
    const { json } = await app.request('POST', '/v1/webhooks/', {
      key: silent.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(webhook),
    })
    await app.pool`update webhooks set state = 'disabled', disabled_reason = 'gone', failures = 9 where id = ${json.id}`
    const page = okay(await get('overview?verifiedDays=3660'), AdminOverview)
    const kindsOf = (id: string) =>
      page.data.find((one: any) => one.locationId === id).problems.map(({ kind }: any) => kind)
    assert.deepEqual(kindsOf(silent.id), ['silent', 'rejected', 'webhook_disabled'])
    const { problems } = page.data.find((one: any) => one.locationId === silent.id)
    const [kept] = await app.pool`select received_at from rejected_records where location_id = ${silent.id}`
    assert.equal(problems[1].since, kept?.['received_at'].toISOString(), 'since the first of them')
    assert.deepEqual(kindsOf(well.id), [])
    const counts = page.data.map(({ problems }: any) => problems.length)
    assert.deepEqual(
      counts,
      counts.toSorted((a: number, b: number) => b - a),
    )
    assert.deepEqual(
      okay(await get('overview?silentHours=48&verifiedDays=3660'), AdminOverview).data.find(
        (one: any) => one.locationId === silent.id,
      ).problems.length,
      2,
    )
    const disabled = await all('webhooks/?state=disabled', AdminWebhookPage)
    assert.deepEqual(
      disabled.map((one) => [one.id, one.locationId, one.disabledReason]),
      [[json.id, silent.id, 'gone']],
    )
    const own = okay(await get(`webhooks/?location=${silent.id}`), AdminWebhookPage).data
    assert.deepEqual(
      own[0].sequence,
      (await app.get(`/v1/webhooks/${json.id}/status`, { key: silent.key })).json.sequence,
    )
    const kindsNow = async () => {
      const { data } = okay(await get('overview?verifiedDays=3660'), AdminOverview)
      return data.find((one: any) => one.locationId === silent.id).problems.map(({ kind }: any) => kind)
    }
    await app.pool`update webhooks set state = 'enabled', disabled_reason = null where id = ${json.id}`
    assert.deepEqual(await kindsNow(), ['silent', 'rejected', 'webhook_failing'])
    await app.pool`update webhooks set failures = 0 where id = ${json.id}`
    const grow = (entries: number) =>
      app.pool`update location_seq set last_seq = last_seq + ${entries} where location_id = ${silent.id}`
    await grow(1000)
    assert.deepEqual(await kindsNow(), ['silent', 'rejected', 'webhook_behind'])
    await grow(-1)
    assert.deepEqual(await kindsNow(), ['silent', 'rejected'], 'one entry less is not far behind')
    await grow(-999)
  })

  test('reports a location without sales for two hours longer than usual at that time of the week', async () => {
    const [site, recent] = [await app.addLocation(), await app.addLocation()]
    const [dayMs, hourMs] = [86_400_000, 3_600_000]
    const end = now
    const at = (ms: number) => {
      const moment = new Date(end + ms).toISOString()
      return { createdAt: moment, openedAt: moment, closedAt: moment, updatedAt: moment }
    }
    // Orders of five weeks: each day at noon and at eight, except on the weekday after today's; the order of one noon
    // is missing.
    const days = Array.from({ length: 36 }, (_, n) => -n).filter((day) => (day + 7 * 6) % 7 !== 1)
    const meals = days.flatMap((day) => [day * dayMs - 8 * hourMs, day * dayMs])
    const sold = meals.filter((ms) => ms !== -5 * dayMs - 8 * hourMs)
    await app.store(
      sold.map((ms, n) => order(smallOrderOf(site.id, n + 1, at(ms)))),
      site.key,
    )
    await app.store([order(smallOrderOf(recent.id, 1, at(0)))], recent.key)
    const silentAfter = async (hours: number, id = site.id, query = '') => {
      now = end + hours * hourMs
      const { data } = okay(await get(`overview?verifiedDays=3660${query}`), AdminOverview)
      const { problems } = data.find((one: any) => one.locationId === id)
      return problems.find(({ kind }: any) => kind === 'silent')
    }
    // The restaurant is usually closed on this day: the next order comes after 40 hours, plus two hours of tolerance.
    assert.equal(await silentAfter(41), undefined)
    const since = new Date(end).toISOString()
    assert.deepEqual(await silentAfter(43), { kind: 'silent', since, count: 1, subjectId: null })
    // An explicit number of hours replaces the rule; a location with one order has no usual pause.
    assert.equal((await silentAfter(30, site.id, '&silentHours=24'))?.kind, 'silent')
    assert.equal(await silentAfter(43, site.id, '&silentHours=48'), undefined)
    assert.equal(await silentAfter(23, recent.id), undefined)
    assert.equal((await silentAfter(25, recent.id))?.kind, 'silent')
    // A restaurant that sells at lunch is expected to sell at dinner too: if it does not, it is reported before the
    // next noon.
    const lunch = 2 * dayMs - 8 * hourMs
    now = end + lunch
    await app.store([order(smallOrderOf(site.id, 99, at(lunch)))], site.key)
    assert.equal(await silentAfter(48 - 8 + 9), undefined)
    assert.equal((await silentAfter(48 - 8 + 11))?.kind, 'silent')
  })

  test('reports a journal that a verification found invalid, and Z reports that differ from their orders', async () => {
    const site = await app.addLocation()
    const at = new Date(now).toISOString()
    const closed = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    const sold = { ...smallOrderOf(site.id, 1, { ...closed, reportId: idOf('report', 1) }) }
    const z = reportOf(site.id, 1, { orders: [sold.id], totalSales: 1, createdAt: at, finalizedAt: at, startedAt: at })
    await app.store([order(sold), report(z)], site.key)
    assert.equal((await app.get('/v1/reports/checks/', { key: site.key })).json.data[0]?.verdict, 'unbalanced')
    while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
    const problems = async () =>
      okay(await get('overview?silentHours=8760&verifiedDays=3660'), AdminOverview).data.find(
        (one: any) => one.locationId === site.id,
      ).problems
    assert.deepEqual(
      (await problems()).map(({ kind, count }: any) => [kind, count]),
      [['report_unbalanced', 1]],
    )
    await recordUpkeep(app.pool, site.id, 'verify', { at: new Date(now), ok: false })
    assert.deepEqual((await problems())[0], { kind: 'journal_broken', since: at, count: 1, subjectId: null })
  })

  test('reports journals that were not verified for long, with the command and the HTTP request to verify them', async () => {
    const site = await app.addLocation()
    const problemsOf = async (query: string) =>
      okay(await get(`overview?silentHours=8760${query}`), AdminOverview).data.find(
        (one: any) => one.locationId === site.id,
      ).problems
    const isReported = (problems: any[]) => problems.some(({ kind }) => kind === 'not_verified')
    assert.equal(isReported(await problemsOf('')), false, 'nothing is there to verify')
    const days = 45
    now -= days * 86_400_000
    await app.store([order(smallOrderOf(site.id, 1))], site.key)
    now += days * 86_400_000
    const never = { kind: 'not_verified', since: null, count: days, subjectId: null }
    assert.deepEqual(
      (await problemsOf('')).filter(({ kind }: any) => kind === 'not_verified'),
      [never],
    )
    assert.deepEqual(await problemsOf(`&verifiedDays=${days + 1}`), await problemsOf('&verifiedDays=3660'))
    assert.equal(isReported(await problemsOf('&verifiedDays=3660')), false)
    const held = new Date(now - 40 * 86_400_000)
    await recordUpkeep(app.pool, site.id, 'verify', { at: held, ok: true })
    const stale = (await problemsOf('')).find(({ kind }: any) => kind === 'not_verified')
    assert.deepEqual(stale, { kind: 'not_verified', since: held.toISOString(), count: 40, subjectId: null })
    const started = await app.request('POST', '/v1/journal/verifications/', { key: site.key })
    assert.equal(started.status, 202)
    await eventually(async () => !isReported(await problemsOf('')), 'the verification over HTTP counts')
  })

  test('reports tills whose clocks are ahead, the worst one of them, and a database whose clock differs', async () => {
    const site = await app.addLocation()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const [slow, fast, faster] = [1, 2, 3].map((n) => idOf('device', n)) as [string, string, string]
    const sold = (n: number, deviceId: string, aheadMs: number) =>
      order(smallOrderOf(site.id, n, { deviceId, createdAt: at(0), openedAt: at(0), updatedAt: at(aheadMs) }))
    await app.store([sold(1, slow, 59_000), sold(2, fast, 61_000), sold(3, faster, 90_000)], site.key)
    const answer = okay(await get('overview?silentHours=8760&verifiedDays=3660'), AdminOverview)
    const { problems } = answer.data.find((one: any) => one.locationId === site.id)
    assert.deepEqual(problems, [{ kind: 'clock_ahead', since: null, count: 2, subjectId: faster }])
    const apart = answer.installation.problems.find(({ kind }: any) => kind === 'database_clock')
    assert.ok(apart.count > 86_400_000, 'the clock of this test stands in March')
  })

  test('lists the locations of the whole installation that need attention, the worst first, however many there are', async () => {
    // These tests have their own clock, and ids at both ends of the list.
    const bad = await app.addLocation()
    await app.push('not json', { key: bad.key })
    await recordUpkeep(app.pool, bad.id, 'verify', { at: new Date(now), ok: false })
    await Promise.all(Array.from({ length: 55 }, () => app.addLocation()))
    const { data, meta } = okay(await get('overview?troubled=true'), AdminOverview)
    const [counted] = await app.pool<{ n: number }[]>`select count(*)::int as n from locations`
    assert.equal(meta.locations, counted?.n)
    assert.equal(meta.troubled, data.length)
    assert.equal(meta.next, null)
    // The locations created last have never sent anything: they are silent, which is reported after a broken journal.
    const kinds = data.map(({ problems }: any) => problems[0].kind)
    assert.ok(data.length > 55)
    assert.ok(kinds.lastIndexOf('journal_broken') < kinds.indexOf('silent'), kinds.join())
    const own = data.find(({ locationId }: any) => locationId === bad.id)
    assert.deepEqual(
      own.problems.map(({ kind }: any) => kind),
      ['journal_broken', 'silent', 'rejected'],
    )
  })

  test('reports lost entries until someone acknowledges them', async () => {
    const found = async () => {
      const { problems } = okay(await get('overview'), AdminOverview).installation
      return problems.find(({ kind }: any) => kind === 'entries_lost')
    }
    assert.equal(await found(), undefined)
    const site = await app.addLocation()
    const foundAt = new Date(now)
    await recordLoss(app.pool, { locationId: site.id, sequence: 2_000_000, from: 6, to: 9, foundAt })
    assert.deepEqual(await found(), { kind: 'entries_lost', count: 4 })
    await acknowledgeLosses(app.pool, site.id, foundAt)
    assert.equal(await found(), undefined)
    await recordLoss(app.pool, { locationId: site.id, sequence: 2_000_000, from: 6, to: 9, foundAt })
    assert.equal(await found(), undefined, 'it is the same loss')
    await recordLoss(app.pool, { locationId: site.id, sequence: 2_000_000, from: 6, to: 11, foundAt })
    assert.deepEqual(await found(), { kind: 'entries_lost', count: 6 })
    await acknowledgeLosses(app.pool, site.id, foundAt)
    // Restored a second time: the numbers between the entries before and after the first restore were never used.
    await recordLoss(app.pool, { locationId: site.id, sequence: 9_000_000, from: 6, to: 5_000_001, foundAt })
    assert.deepEqual(await found(), { kind: 'entries_lost', count: 2 })
    await acknowledgeLosses(app.pool, site.id, foundAt)
  })

  test('reports a disk that fills before pushes are refused, and an old backup', async () => {
    const problems = async () => okay(await get('overview'), AdminOverview).installation.problems
    const { readDisk } = app.context
    app.context.readDisk = async () => ({ freeBytes: 9, totalBytes: 100, reserveBytes: 1, trend: null })
    assert.deepEqual(
      (await problems()).filter(({ kind }: any) => kind === 'disk_filling'),
      [{ kind: 'disk_filling', count: 9 }],
    )
    app.context.readDisk = async () => ({ freeBytes: 39, totalBytes: 100, reserveBytes: 10, trend: null })
    assert.equal((await problems()).filter(({ kind }: any) => kind === 'disk_filling').length, 1)
    app.context.readDisk = async () => ({ freeBytes: 41, totalBytes: 100, reserveBytes: 10, trend: null })
    assert.equal((await problems()).filter(({ kind }: any) => kind === 'disk_filling').length, 0)
    // There is space, but at the current rate for less than two weeks.
    const filling = (daysLeft: number | null) => async () => {
      const trend = { since: '2026-03-01T00:00:00.000Z', bytesPerDay: 3, daysLeft }
      return { freeBytes: 90, totalBytes: 100, reserveBytes: 1, trend }
    }
    app.context.readDisk = filling(13)
    assert.deepEqual(
      (await problems()).filter(({ kind }: any) => kind === 'disk_days_left'),
      [{ kind: 'disk_days_left', count: 13 }],
    )
    for (const daysLeft of [14, null]) {
      app.context.readDisk = filling(daysLeft)
      assert.equal((await problems()).filter(({ kind }: any) => kind === 'disk_days_left').length, 0)
    }
    app.context.readDisk = readDisk
    // Locations of this file were created days ago by its clock, and none was ever backed up.
    const made = await app.pool<{ at: Date }[]>`select min(created_at) as at from locations`
    const isOld = now - (made[0]?.at.getTime() ?? now) >= 2 * 86_400_000
    assert.equal(
      (await problems()).some(({ kind }: any) => kind === 'backup_old'),
      isOld,
    )
    assert.ok(isOld, 'else nothing was tried')
  })

  test('reports a nearly full disk only while it is nearly full', async () => {
    const kinds = async () =>
      okay(await get('overview'), AdminOverview).installation.problems.map(({ kind }: any) => kind)
    const { diskIsLow } = app.context
    app.context.diskIsLow = () => true
    assert.ok((await kinds()).includes('disk_low'))
    app.context.diskIsLow = diskIsLow
    assert.ok(!(await kinds()).includes('disk_low'))
  })
})
