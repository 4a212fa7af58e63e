import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { assertSound } from '../../core/ingest/soundness.ts'
import { startApp, type Site } from '../../support/app.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { idOf, locationOf } from '../../support/records.ts'
import { grep, leaver, report, sell, sold, theirs } from './redacted-sales.ts'

const app = await startApp()
const { pool, database } = app
const env = { DATABASE_URL: toUrl(database.connection) }

let site: Site

beforeEach(async () => {
  site = await sell(app)
})

const run = (...args: string[]) => tillgateJson(['redact', '--location', site.id, ...args], { env })
const apply = (...args: string[]) => run('--reason', 'they left', '--yes', ...args)

describe('redact --operator', () => {
  test('shows what it would redact, and changes nothing without --yes', async () => {
    const before = await grep(pool, site, 'Zéphyrine')
    assert.deepEqual(before, [
      'ingest_warnings 1',
      'journal 4',
      'orders 2',
      'rejected_records 3',
      'reports 1',
      'sales_cells 3',
      'webhook_attempts 1',
    ])
    const { dryRun, locations } = await run('--operator', leaver)
    assert.equal(dryRun, true)
    assert.deepEqual(
      locations[0].entries.map(({ sequence, pointers }: any) => [sequence, pointers.length]),
      [
        [1, 3],
        [2, 3],
        [4, 3],
        [5, 3],
      ],
    )
    assert.deepEqual([locations[0].rejected, locations[0].warnings, locations[0].deliveries], [3, 1, 1])
    assert.deepEqual(await grep(pool, site, 'Zéphyrine'), before)
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 5, verified: true })
  })

  test('removes the name and the id from the whole database, and the journal verifies', async () => {
    const { locations } = await apply('--operator', leaver)
    assert.equal(locations[0].entries.length, 4)
    assert.deepEqual(await grep(pool, site, 'Zéphyrine'), [])
    assert.deepEqual(await grep(pool, site, leaver), [])
    assert.deepEqual(await grep(pool, site, 'Octave'), [
      'ingest_warnings 1',
      'journal 2',
      'orders 1',
      'reports 1',
      'sales_cells 3',
      'webhook_attempts 1',
    ])
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 6, verified: true, redacted: 4 })
    const { stdout } = await tillgate(['verify', '--location', site.id], { env })
    assert.equal(stdout, `verified  ${site.id}  6 entries, 4 redacted\n`)
    const [, , , , , last] = await pool`select * from journal where location_id = ${site.id} order by seq`
    assert.equal(last?.['kind'], 'redaction')
    const { reason, entries } = JSON.parse(last?.['document'])
    assert.equal(reason, 'they left')
    assert.deepEqual(
      entries.map(({ sequence }: any) => sequence),
      [1, 2, 4, 5],
    )
  })

  test('is visible in every answer, with a new ETag, and amounts do not change', async () => {
    const path = `/v1/orders/${idOf('order', 1)}`
    const before = await app.get(path, { key: site.key })
    await apply('--operator', leaver)
    const after = await app.get(path, { key: site.key })
    assert.notEqual(after.headers.etag, before.headers.etag)
    assert.deepEqual(
      { ...after.json, operatorId: leaver, operatorName: 'Zéphyrine', tips: [{ amount: 2, operatorId: leaver }] },
      before.json,
    )
    for (const url of [path, `${path}/history`, '/v1/orders/', '/v1/reports/', '/v1/events/']) {
      const answer = await app.get(url, { key: site.key })
      assert.ok(answer.status === 200 && !answer.text.includes('Zéphyrine') && !answer.text.includes(leaver), url)
    }
    const feed = await app.get('/v1/events/', { key: site.key })
    assert.deepEqual([feed.json.meta.next, feed.json.meta.head], [6, 6])
  })

  test('applies to later pushes too: the same version, an older and a newer one, and new records', async () => {
    await apply('--operator', leaver)
    const again = await app.store([sold(site, 2), report(site, 1), sold(site, 1)], site.key)
    assert.deepEqual(
      again.results.map(({ status }) => status),
      ['unchanged', 'unchanged', 'stale'],
    )
    const newer = await app.store(
      [
        sold(site, 2, { updatedAt: '2026-05-01T10:00:00.000Z', guests: 9 }),
        sold(site, 8),
        sold(site, 3, { ...theirs, guests: 5, updatedAt: '2026-05-01T10:00:00.000Z' }),
      ],
      site.key,
    )
    assert.equal(newer.accepted, 3)
    await app.push([{ ...sold(site, 9), extra: 1 }], { key: site.key })
    assert.deepEqual(await grep(pool, site, 'Zéphyrine'), [])
    assert.deepEqual(await grep(pool, site, leaver), [])
    assert.equal((await grep(pool, site, 'Octave')).length, 6)
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 9, verified: true, redacted: 4 })
  })

  test('run again finds nothing more, and reports this', async () => {
    await apply('--operator', leaver)
    const args = ['redact', '--location', site.id, '--operator', leaver]
    const { stdout, stderr } = await tillgate([...args, '--reason', 'again', '--yes'], { env })
    assert.equal(stdout, '')
    assert.match(stderr, /^No stored data matches/)
    const { locations } = await apply('--operator', leaver)
    assert.deepEqual(locations, [{ location: site.id, entries: [], rejected: 0, warnings: 0, deliveries: 0 }])
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 6, verified: true, redacted: 4 })
  })

  test('can be followed by other redactions, each in the chain', async () => {
    await apply('--operator', leaver)
    await apply('--customer', 'K-4711')
    await apply('--order', idOf('order', 1), '--field', '/orderPlace')
    assert.deepEqual(await grep(pool, site, 'K-4711'), [])
    assert.deepEqual(await verifyLocation(pool, site.id), { entries: 8, verified: true, redacted: 4 })
    const marks = await pool`
      select seq, prev_seq from journal where location_id = ${site.id} and kind = 'redaction' order by seq`
    assert.deepEqual(
      marks.map((row) => [row['seq'], row['prev_seq']]),
      [
        [6, null],
        [7, 6],
        [8, 7],
      ],
    )
  })
})

test('redact --customer blanks a reference in every order, version and copy, in any spelling', async () => {
  const guest = { customerId: 'Çelik/9', orderPlace: 'Çelik' }
  const later = { updatedAt: '2026-04-01T10:00:00.000Z', guests: 4 }
  const other = { customerId: 'Çelik/90' }
  await app.store([sold(site, 11, guest), sold(site, 12, guest), sold(site, 13, other)], site.key)
  await app.store([sold(site, 11, { ...guest, ...later }), sold(site, 12, { ...guest, ...later })], site.key)
  const line = (n: number, ref: string) =>
    JSON.stringify({ ...sold(site, n, { customerId: '@' }), extra: 1 }).replace('@', ref)
  const escaped = String.raw`\u00c7elik\/9`
  await app.push([line(14, escaped), line(15, 'Çelik/90'), `{"customerId":"${escaped}", broken`].join('\n'), {
    key: site.key,
  })
  const answer = JSON.stringify({ id: 'a', response: { headers: {}, body: `{"guest":"${escaped}"}` } })
  await pool`
    insert into webhook_attempts (location_id, webhook_id, at, id, seq, type, ok, document)
    values (${site.id}, ${idOf('menu', 1)}, ${new Date()}, ${idOf('menu', 7)}, 3, 'order.paid', true, ${answer})`
  const { locations } = await apply('--customer', 'Çelik/9', '--field', '/orderPlace')
  assert.deepEqual(
    locations[0].entries.map(({ pointers }: any) => pointers),
    Array.from({ length: 4 }, () => ['/customerId', '/orderPlace']),
  )
  assert.deepEqual([locations[0].rejected, locations[0].deliveries], [2, 1])
  for (const text of ['Çelik/9"', String.raw`elik\/9`]) assert.deepEqual(await grep(pool, site, text), [], text)
  assert.deepEqual(await grep(pool, site, 'Çelik/90'), ['journal 1', 'orders 1', 'rejected_records 1'])
  // Records that arrive later, in any state.
  await app.push([line(16, escaped), `{"customerId":"${escaped}", broken`].join('\n'), { key: site.key })
  for (const text of ['Çelik/9"', String.raw`elik\/9`]) assert.deepEqual(await grep(pool, site, text), [], text)
  assert.equal((await verifyLocation(pool, site.id)).verified, true)
})

test('a person is not named in the errors of rejected records, before or after a redaction, also with spaces around a reference', async () => {
  const asField = (n: number, field: string) =>
    JSON.stringify({ type: 'order', data: { ...(sold(site, n).data as object), [field]: 1 } })
  const name = 'Zzyxqueline Kwortz'
  const push = async (...fields: string[]) =>
    app.push(fields.map((field, i) => asField(30 + i, field)).join('\n'), { key: site.key })
  await app.store([sold(site, 21, { operatorName: name }), sold(site, 22, { customerId: ' Kw-7 ' })], site.key)
  await push(name, 'Kw-7')
  for (const subject of [
    ['--operator', leaver],
    ['--customer', 'Kw-7'],
  ])
    await apply(...subject)
  await push(name, name.toUpperCase(), 'Kw-7', ' kw-7')
  await app.push(asField(40, 'colour'), { key: site.key })
  for (const text of [name, 'Kw-7', 'kw-7']) assert.deepEqual(await grep(pool, site, text), [], text)
  assert.deepEqual(await grep(pool, site, 'colour is not a known field'), ['rejected_records 1'])
  const kept = await pool<
    { code: string }[]
  >`select code from rejected_records where location_id = ${site.id} and detail = ''`
  assert.deepEqual(new Set(kept.map(({ code }) => code)), new Set(['unknown_field']))
})

test('redact --location --field blanks the record of the location itself, in every version and answer, permanently', async () => {
  const bistro = (name: string) => ({
    type: 'location',
    data: locationOf(site.id, { phone: '+33 6 12 34 56 78', name }),
  })
  await app.store([bistro('Chez Zoé')], site.key)
  await app.store([bistro('Chez Zoé et fils')], site.key)
  const { locations } = await apply('--field', '/phone', '--field', '/deviceList/*/name')
  assert.deepEqual(
    locations[0].entries.map(({ kind, pointers }: any) => [kind, pointers]),
    [5, 6].map(() => ['location', ['/deviceList/0/name', '/phone']]),
  )
  assert.deepEqual(await grep(pool, site, '+33 6 12 34 56 78'), [])
  const answer = await app.get('/v1/locations/own?devices=true', { key: site.key })
  assert.deepEqual([answer.json.phone, answer.json.name, answer.json.deviceList[0].name], ['', 'Chez Zoé et fils', ''])
  assert.equal((await app.get('/v1/locations/own', { key: site.key })).json.phone, '')
  assert.deepEqual(
    (await app.store([bistro('Chez Zoé et fils'), bistro('Zoé')], site.key)).results.map(({ status }) => status),
    ['unchanged', 'accepted'],
  )
  assert.deepEqual(await grep(pool, site, '+33 6 12 34 56 78'), [])
  assert.deepEqual(await verifyLocation(pool, site.id), { entries: 9, verified: true, redacted: 2 })
})

describe('after a redaction verify still finds', () => {
  const tampered = async (change: () => Promise<unknown>) => {
    await apply('--operator', leaver)
    await change()
    const verdict = await verifyLocation(pool, site.id)
    assert.equal(verdict.verified, false)
    return 'sequence' in verdict ? verdict.sequence : undefined
  }

  test('a changed amount in a redacted document', async () => {
    const change = () => pool`
      update journal set document = replace(document, '"total":22', '"total":2') where location_id = ${site.id} and seq = 2`
    assert.equal(await tampered(change), 2)
  })

  test('a commitment that was changed with its document', async () => {
    const change = () =>
      pool`update journal set commitment = repeat('a', 64) where location_id = ${site.id} and seq = 2`
    assert.equal(await tampered(change), 2)
  })

  test('a changed or deleted redaction', async () => {
    const change = () => pool`
      update journal set document = replace(document, 'they left', 'they stayed') where location_id = ${site.id} and seq = 6`
    assert.equal(await tampered(change), 6)
    await pool`update journal set document = 'x' where location_id = ${site.id} and seq = 6`
    assert.equal((await verifyLocation(pool, site.id)).verified, false)
    await pool`delete from journal where location_id = ${site.id} and seq = 6`
    const verdict = await verifyLocation(pool, site.id)
    assert.equal('sequence' in verdict && verdict.sequence, 1)
  })

  test('an entry that was blanked without a redaction', async () => {
    await pool`
      update journal set document = replace(document, 'Octave', '') where location_id = ${site.id} and seq = 3`
    const verdict = await verifyLocation(pool, site.id)
    assert.equal('sequence' in verdict && verdict.sequence, 3)
  })
})

test('a redacted version is valid in every other respect: history, state and counts', async () => {
  await apply('--operator', leaver)
  const { kind } = (await pool`select kind from journal where location_id = ${site.id} and seq = 6`)[0] as {
    kind: string
  }
  assert.equal(kind, 'redaction')
  const entries = await pool`select seq from journal where location_id = ${site.id}`
  assert.equal(entries.length, 6)
  await assertSound(pool, site.id)
})

test('the error for a field that cannot be redacted lists those that can', async () => {
  const wrong: [args: string[], message: RegExp][] = [
    [[], /give exactly one of --operator/],
    [['--operator', leaver, '--customer', 'K'], /give exactly one of/],
    [['--operator', 'Zéphyrine'], /--operator must be a UUID/],
    [['--order', idOf('order', 1)], /needs a --field/],
    [['--field', '/phone'], /or --location with --field/],
    [['--location', site.id, '--field', '/id'], /\/id cannot be redacted; these can: \/name/],
    [['--order', idOf('order', 1), '--field', '/total'], /\/total cannot be redacted; these can: .*\/operatorName/],
    [['--order', idOf('order', 1), '--field', '/createdAt'], /cannot be redacted/],
    [['--order', idOf('order', 1), '--field', '/__proto__'], /\/__proto__ cannot be redacted/],
    [['--order', idOf('order', 1), '--field', ''], /--field must be a JSON Pointer such as \/operatorName, not ""/],
    [['--customer', 'K-4711', '--yes'], /--reason is required/],
    [['--customer', ' \t'], /--customer must not be empty/],
  ]
  for (const [args, message] of wrong) {
    const { code, stderr } = await tillgate(['redact', ...args], { env })
    assert.equal(code, 2)
    assert.match(stderr, message)
  }
})
