import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { readConfig, settingNames, settings } from '../../src/config.ts'
import { installationId } from '../../src/domain/keys.ts'
import { AccessPage } from '../../src/schemas/access.ts'
import {
  AdminDeleted,
  AdminKeyMade,
  AdminKeyPage,
  AdminKeyRevoked,
  AdminLocation,
  AdminLocationNamePage,
  AdminLocationPage,
  AdminOverview,
  AdminRejectedPage,
  AdminRejectedSummary,
  AdminWebhookPage,
} from '../../src/schemas/admin.ts'
import { AdminMetrics, AdminSettings, AdminSystem } from '../../src/schemas/installation.ts'
import { assertProblem, assertSchema, okay } from '../conformance/contract.ts'
import { startApp, type Answer } from '../support/app.ts'
import { daysProjection } from '../../src/projections/days.ts'
import { stepProjection } from '../../src/projections/projection.ts'
import { showSettings } from '../../src/settings/shown.ts'
import { findAccessFault } from '../../src/store/access.ts'
import { recordUpkeep } from '../../src/store/upkeep.ts'
import { eventually } from '../support/waiting.ts'
import { idOf, locationOf, order, report, reportOf, smallOrderOf } from '../support/records.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })
const { key: admin, id: adminId } = await app.addKey(installationId, { scopes: ['admin'] })

const get = (path: string) => app.get(`/v1/admin/${path}`, { key: admin })
const send = (method: string, path: string, body: object = {}) =>
  app.request(method, `/v1/admin/${path}`, {
    key: admin,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const made = (answer: Answer, schema: Parameters<typeof assertSchema>[0]): any => {
  assert.equal(answer.status, 201, answer.text)
  assertSchema(schema, answer.json)
  return answer.json
}

/** Reads all pages. */
async function all(path: string, schema: Parameters<typeof okay>[1]): Promise<any[]> {
  const found: any[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: any = okay(
      await get(`${path}${path.includes('?') ? '&' : '?'}size=2${cursor && `&cursor=${cursor}`}`),
      schema,
    )
    assert.ok(found.length < 1_000)
    found.push(...page.data)
    cursor = page.meta.next
  }
  return found
}

describe('what is under /v1/admin/', () => {
  const operations: [method: string, path: string][] = [
    ['GET', 'locations/'],
    ['POST', 'locations/'],
    ['PATCH', `locations/${app.location}`],
    ['GET', 'keys/'],
    ['POST', 'keys/'],
    ['POST', `keys/${randomUUID()}/rotation`],
    ['DELETE', `keys/${randomUUID()}`],
    ['GET', `rejected/?location=${app.location}`],
    ['GET', 'rejected/summary'],
    ['DELETE', `rejected/?location=${app.location}&before=2026-01-01`],
    ['GET', 'webhooks/'],
    ['GET', 'overview'],
    ['GET', 'system'],
    ['GET', 'audit/'],
  ]

  test('is refused without a key, and to every key of a location whatever it may', async () => {
    for (const [method, path] of operations) {
      const call = (key: string | null) => app.request(method, `/v1/admin/${path}`, { key })
      assertProblem(await call(null), { status: 401, code: 'key_missing' })
      assertProblem(await call(app.key), { status: 403, code: 'scope_missing' })
    }
  })

  test('refuses what it cannot read: 400 naming it', async () => {
    for (const path of [
      'locations/?cursor=x',
      'keys/?cursor=x',
      'keys/?state=x',
      'audit/?limit=0',
      'webhooks/?state=x',
      'rejected/',
    ]) {
      assertProblem(await get(path), { status: 400, code: 'validation_failed' })
    }
    assertProblem(await get(`audit/?location=${randomUUID()}`), { status: 404, code: 'location_not_found' })
    assertProblem(await get(`rejected/?location=${randomUUID()}`), { status: 404, code: 'location_not_found' })
  })
})

describe('locations', () => {
  test('are made and changed, journaled as if a till had said it, and listed by pages with how they stand', async () => {
    const id = randomUUID()
    const location = made(
      await send('POST', 'locations/', {
        id: id.toUpperCase(),
        name: 'Bar <b>Exemple',
        city: 'Zürich',
        timeZone: 'europe/zurich',
        currency: 'CHF',
      }),
      AdminLocation,
    )
    assert.deepEqual(
      [
        location.id,
        location.name,
        location.city,
        location.timeZone,
        location.currency,
        location.dayStartsAt,
        location.sequence,
      ],
      [id, 'Bar <b>Exemple', 'Zürich', 'Europe/Zurich', 'CHF', '05:00', 1],
    )
    assertProblem(await send('POST', 'locations/', { id, name: 'Again' }), { status: 409, code: 'location_exists' })
    assertProblem(await send('POST', 'locations/', { id: installationId, name: 'All' }), {
      status: 409,
      code: 'location_exists',
    })
    const changed = okay(await send('PATCH', `locations/${id}`, { city: 'Basel', dayStartsAt: '04:00' }), AdminLocation)
    assert.deepEqual(
      [changed.name, changed.city, changed.dayStartsAt, changed.currency, changed.sequence],
      ['Bar <b>Exemple', 'Basel', '04:00', 'CHF', 2],
    )
    const { key } = await app.addKey(id)
    assert.equal((await app.get('/v1/locations/own', { key })).json.city, 'Basel')
    const settings = {
      timeZone: 'Asia/Tokyo',
      currency: 'JPY',
      dayStartsAt: '06:00',
      fiscalYearStarts: '04-01',
      eReportingCategories: { takeaway: 'TPS1' },
      retiredDevices: { 'Caisse 3': '2026-03-14' },
    }
    const settled = okay(await send('PATCH', `locations/${id}`, settings), AdminLocation)
    assert.deepEqual({ ...settled, ...settings }, settled)
    assert.deepEqual((await app.get('/v1/locations/own/settings', { key })).json, settings)
    const due = await app.pool`select 1 from due_days where location_id = ${id}`
    assert.ok(due.length > 0, 'days that waited for the device are looked at again')
    assert.equal((await send('PATCH', `locations/${id}`, { retiredDevices: {} })).json.currency, 'JPY')
    assert.deepEqual((await app.get('/v1/locations/own/settings', { key })).json, { ...settings, retiredDevices: {} })
    await app.store([order(smallOrderOf(id, 1))], key)
    const listed = await all('locations/', AdminLocationPage)
    assert.equal(new Set(listed.map((one) => one.id)).size, listed.length)
    const [row] = await app.pool`select count(*)::int as n from locations`
    assert.equal(listed.length, row?.['n'])
    const own = listed.find((one) => one.id === id)
    assert.equal(own.sequence, 3)
    assert.equal(own.lastAcceptedAt, new Date(now).toISOString())
    assert.notEqual(own.lastOrderAt, null)
  })

  test('that make no sense are refused', async () => {
    const wrong: [object, string][] = [
      [{}, '/name'],
      [{ name: ' ' }, '/name'],
      [{ name: 'x', timeZone: 'Europe/Atlantis' }, '/timeZone'],
      [{ name: 'x', currency: 'XXZ' }, '/currency'],
      [{ name: 'x', fiscalYearStarts: '02-29' }, '/fiscalYearStarts'],
      [{ name: 'x', dayStartsAt: '24:00' }, '/dayStartsAt'],
      [{ name: 'x', eReportingCategories: { takeaway: 'food' } }, '/eReportingCategories/takeaway'],
      [{ name: 'x', retiredDevices: { till: '2026-02-30' } }, '/retiredDevices'],
      [{ name: 'x', retiredDevices: ['till'] }, '/retiredDevices'],
      [{ name: 'x', more: 1 }, '/more'],
    ]
    for (const [body, pointer] of wrong) {
      assertProblem(await send('POST', 'locations/', body), {
        status: 400,
        code: 'validation_failed',
        pointers: [pointer],
      })
    }
    assert.equal((await send('PATCH', `locations/${app.location}`, {})).status, 400)
    for (const id of [randomUUID(), installationId]) {
      assertProblem(await send('PATCH', `locations/${id}`, { city: 'x' }), { status: 404, code: 'location_not_found' })
    }
  })
})

describe('names of locations', () => {
  test('are found by a part of the name, the city or the id, without case and accents, page by page', async () => {
    const made = async (name: string, city: string) =>
      (await send('POST', 'locations/', { name, city })).json.id as string
    const [first, second, third] = [
      await made('Crêperie "Zébulon"', 'Quimper'),
      await made('Zebulon', 'Paris'),
      await made('Chez Lou', 'ZÉBULON-sur-Mer'),
    ]
    const found = async (query: string) =>
      (await all(`locations/names${query}`, AdminLocationNamePage)).map(({ id }) => id)
    assert.deepEqual(await found('?q=zebulon'), [first, second, third].toSorted())
    assert.deepEqual(await found(`?q=${encodeURIComponent('"ZÉB')}`), [first])
    assert.deepEqual(await found('?q=quimp'), [first])
    assert.deepEqual(await found(`?q=${second.slice(0, 13).toUpperCase()}`), [second])
    assert.deepEqual(await found('?q=nothing%20of%20the%20kind'), [])
    assert.deepEqual(await found(`?ids=${third},${first},${second}`), [first, second, third].toSorted())
    const everyone = await all('locations/', AdminLocationPage)
    assert.deepEqual(
      await found(''),
      everyone.map(({ id }) => id),
    )
    const [one] = okay(await get(`locations/names?ids=${first}`), AdminLocationNamePage).data
    assert.deepEqual(one, {
      id: first,
      name: 'Crêperie "Zébulon"',
      city: 'Quimper',
      timeZone: 'Europe/Paris',
      currency: 'EUR',
      deactivatedAt: null,
    })
    for (const wrong of ['ids=none', `ids=${Array.from({ length: 51 }, () => randomUUID()).join()}`, 'cursor=1']) {
      const pointers = [`/${wrong.split('=', 1)[0]}`]
      assertProblem(await get(`locations/names?${wrong}`), { status: 400, code: 'validation_failed', pointers })
    }
  })
})

describe('keys', () => {
  test('are made, shown once, replaced without a gap and revoked', async () => {
    const site = await app.addLocation()
    const first = made(
      await send('POST', 'keys/', { locationId: site.id, scopes: ['read', 'webhooks'], name: 'partner' }),
      AdminKeyMade,
    )
    assert.equal((await app.get('/v1/orders/', { key: first.key })).status, 200)
    const second = made(await send('POST', `keys/${first.id}/rotation`, { overlapSeconds: 3_600 }), AdminKeyMade)
    assert.equal(second.formerUntil, new Date(now + 3_600_000).toISOString())
    assert.deepEqual([second.scopes, second.name, second.locationId], [first.scopes, first.name, first.locationId])
    for (const { key } of [first, second]) assert.equal((await app.get('/v1/orders/', { key })).status, 200)
    const webhook = {
      events: ['order.paid'],
      locationId: site.id,
      recipientId: randomUUID(),
      endpointUrl: 'http://127.0.0.1:1/',
    }
    const { json } = await app.request('POST', '/v1/webhooks/', {
      key: second.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(webhook),
    })
    const revoked = okay(await send('DELETE', `keys/${second.id}`), AdminKeyRevoked)
    assert.deepEqual([revoked.state, revoked.webhooks], ['revoked', [json.id]])
    assertProblem(await send('POST', `keys/${second.id}/rotation`), { status: 409, code: 'key_ended' })
    assertProblem(await send('POST', `keys/${randomUUID()}/rotation`), { status: 404, code: 'key_not_found' })
    assertProblem(await send('DELETE', `keys/${randomUUID()}`), { status: 404, code: 'key_not_found' })
    const statesOf = async (state: string) =>
      (await all(`keys/?location=${site.id}&state=${state}`, AdminKeyPage)).map((key) => [key.id, key.state])
    assert.ok(!(await statesOf('active')).some(([id]) => id === second.id))
    assert.deepEqual(await statesOf('ended'), [[second.id, 'revoked']])
    const listed = await get('keys/?state=all')
    for (const secret of [first.key, second.key, admin]) assert.ok(!listed.text.includes(secret))
    assert.ok(listed.json.data.some((key: any) => key.id === adminId && key.locationId === null))
  })

  test('of the installation have no location and no other scope; others have one that is in use', async () => {
    const desk = made(await send('POST', 'keys/', { scopes: ['admin'], name: 'desk' }), AdminKeyMade)
    assert.equal((await app.get('/v1/admin/system', { key: desk.key })).status, 200)
    const wrong: [object, string][] = [
      [{ scopes: ['admin', 'read'], locationId: app.location }, '/scopes'],
      [{ scopes: ['admin'], locationId: app.location }, '/locationId'],
      [{ scopes: ['read'] }, '/locationId'],
      [{ scopes: ['read'], locationId: app.location, expiresAt: '2026-01-01T00:00:00.000Z' }, '/expiresAt'],
    ]
    for (const [body, pointer] of wrong) {
      assertProblem(await send('POST', 'keys/', body), { status: 400, code: 'validation_failed', pointers: [pointer] })
    }
    for (const locationId of [randomUUID(), installationId]) {
      assertProblem(await send('POST', 'keys/', { scopes: ['read'], locationId }), {
        status: 404,
        code: 'location_not_found',
      })
    }
  })
})

describe('rejected records', () => {
  test('are counted by code and place, listed as they came, and deleted by age', async () => {
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
    const listed = await all(`rejected/?location=${site.id}&code=${twice.code}`, AdminRejectedPage)
    assert.equal(listed.length, 2)
    assert.ok(listed[0].record.includes('"surprise"'))
    assert.equal(listed[0].errors[0].pointer, '/surprise')
    assert.deepEqual((await get(`rejected/?location=${app.other.id}`)).json.data, [])
    now += 86_400_000
    const gone = okay(
      await send('DELETE', `rejected/?location=${site.id}&before=${new Date(now).toISOString()}`),
      AdminDeleted,
    )
    assert.equal(gone.deleted, row?.['n'])
  })
})

describe('the installation', () => {
  test('tells first what needs attention', async () => {
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

  test('names a location that sells nothing for two hours longer than it usually does at that time of the week', async () => {
    const [site, recent] = [await app.addLocation(), await app.addLocation()]
    const [dayMs, hourMs] = [86_400_000, 3_600_000]
    const end = now
    const at = (ms: number) => {
      const moment = new Date(end + ms).toISOString()
      return { createdAt: moment, openedAt: moment, closedAt: moment, updatedAt: moment }
    }
    // Of five weeks: each day at noon and at eight, but never on the day that follows this one in the week; once a noon was missed.
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
    // A day off is usual here: the next order comes after 40 hours, and two more are waited for.
    assert.equal(await silentAfter(41), undefined)
    const since = new Date(end).toISOString()
    assert.deepEqual(await silentAfter(43), { kind: 'silent', since, count: 1, subjectId: null })
    // Whoever asks for hours gets hours, and a location of one order has no habits.
    assert.equal((await silentAfter(30, site.id, '&silentHours=24'))?.kind, 'silent')
    assert.equal(await silentAfter(43, site.id, '&silentHours=48'), undefined)
    assert.equal(await silentAfter(23, recent.id), undefined)
    assert.equal((await silentAfter(25, recent.id))?.kind, 'silent')
    // After a lunch dinner comes: a restaurant that sells none this evening is told of before the next noon.
    const lunch = 2 * dayMs - 8 * hourMs
    now = end + lunch
    await app.store([order(smallOrderOf(site.id, 99, at(lunch)))], site.key)
    assert.equal(await silentAfter(48 - 8 + 9), undefined)
    assert.equal((await silentAfter(48 - 8 + 11))?.kind, 'silent')
  })

  test('names a journal that a verification found broken, and Z reports that differ from their orders', async () => {
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

  test('names journals that nobody verified for long, and what ends that: the command line or HTTP', async () => {
    const site = await app.addLocation()
    const problemsOf = async (query: string) =>
      okay(await get(`overview?silentHours=8760${query}`), AdminOverview).data.find(
        (one: any) => one.locationId === site.id,
      ).problems
    const isTold = (problems: any[]) => problems.some(({ kind }) => kind === 'not_verified')
    assert.equal(isTold(await problemsOf('')), false, 'nothing is there to verify')
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
    assert.equal(isTold(await problemsOf('&verifiedDays=3660')), false)
    const held = new Date(now - 40 * 86_400_000)
    await recordUpkeep(app.pool, site.id, 'verify', { at: held, ok: true })
    const stale = (await problemsOf('')).find(({ kind }: any) => kind === 'not_verified')
    assert.deepEqual(stale, { kind: 'not_verified', since: held.toISOString(), count: 40, subjectId: null })
    const started = await app.request('POST', '/v1/journal/verifications/', { key: site.key })
    assert.equal(started.status, 202)
    await eventually(async () => !isTold(await problemsOf('')), 'the verification over HTTP counts')
  })

  test('names tills whose clocks are ahead, the worst of them, and the database whose clock is another', async () => {
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

  test('says while the disk is nearly full, and no longer than that', async () => {
    const kinds = async () =>
      okay(await get('overview'), AdminOverview).installation.problems.map(({ kind }: any) => kind)
    const { diskIsLow } = app.context
    app.context.diskIsLow = () => true
    assert.ok((await kinds()).includes('disk_low'))
    app.context.diskIsLow = diskIsLow
    assert.ok(!(await kinds()).includes('disk_low'))
  })

  test('tells of itself: version, database, tables and migrations, and no secret', async () => {
    const answer = await get('system')
    const system = okay(answer, AdminSystem)
    assert.ok(system.database.tables.some(({ name }: any) => name === 'journal'))
    assert.ok(system.database.migrations.length >= 8)
    assert.ok(Math.abs(system.clockOffsetMs) > 86_400_000, 'the clock of this test stands in March')
    assert.ok(system.connections.some(({ state, count }: any) => state === 'active' && count > 0))
    assert.doesNotMatch(answer.text, /password|postgres:\/\//)
  })

  test('tells what it is set to, as one would write it, and no secret', async () => {
    const shownOf = (flags: Record<string, unknown>) =>
      new Map(showSettings(readConfig(settingNames, flags, {})).map((one) => [one.name, one]))
    const { data } = okay(await get('settings'), AdminSettings)
    assert.equal(data.find(({ name }: any) => name === 'TILLGATE_ALLOW_ADDRESS').value, '127.0.0.0/8')
    const byDefault = shownOf({})
    assert.deepEqual(
      [...byDefault.values()].filter(({ isDefault }) => !isDefault),
      [],
    )
    const flags = {
      databaseUrl: 'postgres://tillgate:hush@db.example/tillgate',
      publicUrl: 'https://somebody:hush@pos.example/',
      trustProxy: ['10.0.0.0/8', 'fd00::1'],
      operationsAddress: '[::1]:4748',
      docs: 'off',
      rateLimit: '5',
    }
    const shown = shownOf(flags)
    const values = Object.keys(flags).map((name) => shown.get(settings[name as keyof typeof flags].env)?.value)
    assert.deepEqual(values, [null, 'https://…@pos.example', '10.0.0.0/8,fd00::1/128', '[::1]:4748', 'off', '5'])
    assert.deepEqual([...shown.values()].filter(({ isDefault }) => !isDefault).length, values.length)
    assert.doesNotMatch(JSON.stringify([...shown.values()]), /hush/)
  })

  test('tells how often each route was called, how that ended, and within which time', async () => {
    const site = await app.addLocation()
    const read = async () => {
      const { routes } = okay(await get('metrics'), AdminMetrics)
      return routes.find(({ route, method }: any) => method === 'GET' && route === '/v1/orders/:id')
    }
    const before = (await read()) ?? { requests: 0, refused: 0, failed: 0 }
    const missing = await app.get(`/v1/orders/${randomUUID()}`, { key: site.key })
    assert.equal(missing.status, 404)
    await eventually(async () => ((await read())?.requests ?? 0) > before.requests, 'it is counted')
    const { medianMs, p95Ms, ...after } = await read()
    assert.deepEqual(after, {
      method: 'GET',
      route: '/v1/orders/:id',
      requests: before.requests + 1,
      refused: before.refused + 1,
      failed: before.failed,
    })
    assert.ok(medianMs >= 1 && medianMs <= p95Ms)
  })

  test('tells what each location has sold on its business day, as its own figures do', async () => {
    const site = await app.addLocation()
    const at = new Date(now).toISOString()
    const today = async () =>
      (await all('locations/', AdminLocationPage)).find((location) => location.id === site.id).today
    assert.equal(await today(), null)
    const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    await app.store(
      [order(smallOrderOf(site.id, 1, { ...times, total: 12.5 })), order(smallOrderOf(site.id, 2))],
      site.key,
    )
    const own = (await app.get('/v1/sales/', { key: site.key })).json
    assert.deepEqual(await today(), { businessDay: own.meta.since, orders: 1, salesInclTax: 1250 })
    assert.equal(own.totals.salesInclTax, 1250)
  })

  test('keeps what each act changed, before and after, and of a webhook no more than its host', async () => {
    const site = await app.addLocation()
    const patch = (body: object) => send('PATCH', `locations/${site.id}`, body)
    assert.equal((await patch({ dayStartsAt: '04:00', city: 'Lyon' })).status, 200)
    assert.equal((await patch({ dayStartsAt: '04:00' })).status, 200)
    const register = (body: object) =>
      app.request('POST', '/v1/webhooks/', {
        key: site.key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ locationId: site.id, recipientId: idOf('device', 9), ...body }),
      })
    const { json } = await register({ events: ['order.paid'], endpointUrl: 'http://127.0.0.1:1/s3cret?t=s3cret' })
    await register({ id: json.id, events: ['order.paid', 'order.created'], endpointUrl: 'http://127.0.0.1:2/s3cret' })
    const answer = await get(`audit/?location=${site.id}`)
    const acts = okay(answer, AccessPage).data
    assert.deepEqual(
      acts.map(({ act, changes }: any) => [
        act,
        (changes ?? []).map(({ field, before, after }: any) => [field, before, after]),
      ]),
      [
        [
          'location.changed',
          [
            ['city', locationOf(site.id).city, 'Lyon'],
            ['dayStartsAt', '05:00', '04:00'],
          ],
        ],
        ['location.changed', []],
        [
          'webhook.created',
          [
            ['endpointUrl', null, 'http://127.0.0.1:1'],
            ['events', null, 'order.paid'],
            ['recipientId', null, idOf('device', 9)],
          ],
        ],
        [
          'webhook.changed',
          [
            ['endpointUrl', 'http://127.0.0.1:1', 'http://127.0.0.1:2'],
            ['events', 'order.paid', 'order.paid, order.created'],
          ],
        ],
      ],
    )
    assert.doesNotMatch(answer.text, /s3cret/)
    assert.equal(await findAccessFault(app.pool, site.id), undefined)
  })

  test('keeps what operators did, chained, and shows it to the location that it concerned', async () => {
    const site = await app.addLocation()
    const key = made(await send('POST', 'keys/', { locationId: site.id, scopes: ['read'] }), AdminKeyMade)
    const acts = async (query = '') => okay(await get(`audit/${query}`), AccessPage)
    const own = (await acts('?limit=1000')).data.find(({ subject }: any) => subject === key.id)
    assert.deepEqual([own.act, own.by, own.locationId, own.from], ['key.created', adminId, site.id, '127.0.0.1'])
    assert.deepEqual(
      (await acts(`?location=${site.id}`)).data.map(({ act, subject }: any) => [act, subject]),
      [['key.created', key.id]],
    )
    assert.deepEqual(own.changes, [
      { field: 'name', before: null, after: '' },
      { field: 'scopes', before: null, after: 'read' },
    ])
    const first = await acts('?limit=1')
    assert.equal((await acts(`?limit=1&after=${first.meta.next}`)).data[0].sequence > first.data[0].sequence, true)
    assert.deepEqual((await acts('?since=2030-01-01')).data, [])
    const all = (await acts('?limit=1000')).data
    const newestFirst = await acts('?sort=-sequence&limit=1000')
    assert.deepEqual(newestFirst.data, all.toReversed())
    assert.equal(newestFirst.meta.next, 0, 'nothing is left')
    const pages: unknown[] = []
    for (let next: number | undefined; next !== 0;) {
      const page = await acts(`?sort=-sequence&limit=2${next === undefined ? '' : `&after=${next}`}`)
      pages.push(...page.data)
      next = page.meta.next
    }
    assert.deepEqual(pages, all.toReversed(), 'page by page')
    assert.equal(
      (await app.get('/v1/access/', { key: site.key })).json.data.some(({ subject }: any) => subject === key.id),
      true,
    )
  })
})
