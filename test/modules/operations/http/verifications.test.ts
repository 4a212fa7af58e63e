import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { genesis } from '../../../../src/core/domain/journal/chain.ts'
import { Verifier } from '../../../../src/modules/operations/projections/verifier.ts'
import { Verification, VerificationList } from '../../../../src/modules/operations/schemas/verifications.ts'
import { transact } from '../../../../src/core/store/db/database.ts'
import { readChain } from '../../../../src/core/store/journal/journal.ts'
import { redactEntries } from '../../../../src/core/store/repair/redactions.ts'
import { assertProblem, assertSchema, okay } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { everyRecord, idOf, order, orderOf, smallOrderOf } from '../../../support/records.ts'
import { eventually } from '../../../support/waiting.ts'

const app = await startApp()
const path = '/v1/journal/verifications'

const begin = (site: Site, body: object = {}) =>
  app.request('POST', path, {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const read = async (site: Site, id: string): Promise<Verification> =>
  okay(await app.get(`${path}/${id}`, { key: site.key }), Verification) as Verification

/** Starts a verification and waits for its end. */
async function verify(site: Site, body: object = {}): Promise<Verification> {
  const answer = await begin(site, body)
  assert.equal(answer.status, 202, answer.text)
  assertSchema(Verification, answer.json)
  let found = answer.json as Verification
  await eventually(async () => {
    found = await read(site, found.id)
    return found.state !== 'running'
  }, 'the verification ends')
  return found
}

const head = async (site: Site) => (await app.get('/v1/journal/head', { key: site.key })).json
const outcome = ({ state, from, to, verifiedTo, brokenAt }: Verification) => [state, from, to, verifiedTo, brokenAt]
const push = (site: Site, n: number) => app.store([order(orderOf(site.id, n))], site.key)

async function seeded(): Promise<Site> {
  const site = await app.addLocation()
  await app.store(everyRecord(site.id), site.key)
  return site
}

describe('a verification', () => {
  test('of an intact journal reaches its head, and the next verification continues there', async () => {
    const empty = await app.addLocation()
    assert.deepEqual(outcome(await verify(empty)), ['ok', 1, 0, 0, null])
    assert.equal((await verify(empty)).hash, genesis)

    const site = await seeded()
    const { sequence, hash } = await head(site)
    const first = await verify(site)
    assert.deepEqual([...outcome(first), first.hash, first.reason], ['ok', 1, sequence, sequence, null, hash, null])
    await push(site, 5)
    const second = await verify(site)
    assert.deepEqual(outcome(second), ['ok', sequence + 1, sequence + 1, sequence + 1, null])
    assert.equal(second.hash, (await head(site)).hash)
    assert.equal((await verify(site, { full: true })).from, 1)
    const { data } = okay(await app.get(`${path}/`, { key: site.key }), VerificationList) as VerificationList
    assert.deepEqual(
      data.map(({ from, state }) => [from, state]),
      [
        [1, 'ok'],
        [sequence + 1, 'ok'],
        [1, 'ok'],
      ],
    )
    const acts = (await app.get('/v1/access/', { key: site.key })).json.data
    const begun = acts.filter(({ act }: { act?: string }) => act === 'journal.verified')
    assert.deepEqual(
      begun.map(({ subject }: { subject: string }) => subject),
      data.map(({ id }) => id).toReversed(),
    )
  })

  test('names the first altered entry, and verifies the journal before it again from the start', async () => {
    const site = await seeded()
    const { sequence } = await head(site)
    const change = (seq: number, from: string, to: string) => app.pool`
      update journal set document = replace(document, ${from}, ${to}) where location_id = ${site.id} and seq = ${seq}`
    await change(3, 'e', 'è')
    const broken = await verify(site)
    assert.deepEqual(outcome(broken), ['broken', 1, sequence, 2, 3])
    assert.match(broken.reason ?? '', /the document was changed, and not by a redaction/)
    assert.notEqual(broken.endedAt, null)
    // The result is written after the verification has ended.
    await eventually(async () => {
      const [kept] = await app.pool`select ok from upkeep where location_id = ${site.id} and work = 'verify'`
      return kept?.['ok'] === false
    }, 'the upkeep of the location says so')
    await change(3, 'è', 'e')
    assert.deepEqual(outcome(await verify(site)), ['ok', 1, sequence, sequence, null])

    // Verified entries are not verified again, unless requested.
    await change(2, 'e', 'è')
    await push(site, 6)
    assert.equal((await verify(site)).state, 'ok')
    assert.deepEqual(outcome(await verify(site, { full: true })), ['broken', 1, sequence + 1, 1, 2])
  })

  test('finds missing entries, also at the end, and a head that differs', async () => {
    const site = await seeded()
    const { sequence } = await head(site)
    await app.pool`update location_seq set last_hash = ${'f'.repeat(64)} where location_id = ${site.id}`
    const other = await verify(site, { full: true })
    assert.deepEqual([other.state, other.brokenAt], ['broken', sequence])
    assert.match(other.reason ?? '', /differs from the head of the journal/)
    await app.pool`delete from journal where location_id = ${site.id} and seq = ${sequence}`
    const end = await verify(site)
    assert.deepEqual(outcome(end), ['broken', 1, sequence, sequence - 1, sequence])
    assert.match(end.reason ?? '', /missing/)
    await app.pool`delete from journal where location_id = ${site.id} and seq = 2`
    assert.deepEqual(outcome(await verify(site)), ['broken', 1, sequence, 1, 2])
  })

  test('accepts redacted entries', async () => {
    const site = await seeded()
    await verify(site)
    const rule = { fields: ['/operatorName'], order: idOf('order', 1) }
    const entries = await readChain(app.pool, site.id, 0, { entries: 100, bytes: 1e9 })
    const seqs = entries.filter(({ kind }) => kind === 'order').map(({ seq }) => seq)
    const blanked = await redactEntries(app.pool, site.id, seqs, { rule, reason: 'asked', now: new Date() })
    assert.equal(blanked.length, 1)
    assert.equal((await verify(site, { full: true })).state, 'ok')
  })

  test('runs once at a time per location, wherever it was started; one whose process ended is failed', async () => {
    const site = await seeded()
    const id = randomUUID()
    await app.pool`
      insert into verifications (location_id, id, epoch, from_seq, to_seq, to_hash, done_seq, done_hash, state, started_at,
        seen_at) values (${site.id}, ${id}, 'x', 1, 9, '', 4, '', 'running', now(), now())`
    const joined = await begin(site, { full: true })
    assert.deepEqual([joined.status, joined.json.id, joined.json.verifiedTo], [202, id, 4])
    await app.pool`update verifications set seen_at = now() - interval '61 seconds' where id = ${id}`
    const lost = await read(site, id)
    assert.deepEqual([lost.state, lost.verifiedTo], ['failed', 4])
    assert.match(lost.reason ?? '', /process/)
    const next = await verify(site)
    assert.deepEqual([next.state, next.from], ['ok', 1])
    assert.equal((await read(site, id)).state, 'failed')
    const begun = await Promise.all(Array.from({ length: 8 }, () => begin(site, { full: true })))
    assert.ok(begun.every(({ status }) => status === 202))
    const rows = await app.pool`select 1 from verifications where location_id = ${site.id} and state = 'running'`
    assert.ok(rows.length <= 1)
  })

  test('interrupted by a server stop reports this, and the next one continues from there', async () => {
    const site = await app.addLocation()
    const records = Array.from({ length: 600 }, (_, n) => order(smallOrderOf(site.id, n)))
    await app.store(records, site.key)
    const verifier = new Verifier({ pool: app.pool, clock: () => new Date() })
    // The server is stopped while the verification reads its first 500 entries, which wait for the lock.
    const { row, closing } = await transact(app.pool, async (tx) => {
      await tx`lock table journal in access exclusive mode`
      const { row } = await verifier.begin(site.id, true)
      await eventually(async () => {
        const [waiting] = await tx`select 1 from pg_locks where relation = 'journal'::regclass and not granted`
        return waiting !== undefined
      }, 'the entries are being read')
      return { row, closing: verifier.close() }
    })
    await closing
    const ended = await read(site, row.id)
    assert.match(`${ended.state}: ${ended.reason}`, /^failed: the server was stopped/)
    assert.deepEqual([ended.from, ended.verifiedTo, (await verify(site)).from], [1, 500, 501])
  })

  test('reads entries up to a limit of bytes, and always at least one', async () => {
    const site = await seeded()
    const all = await readChain(app.pool, site.id, 0, { entries: 100, bytes: 1e9 })
    assert.ok(all.length > 5)
    assert.deepEqual(await readChain(app.pool, site.id, 0, { entries: 100, bytes: 1 }), all.slice(0, 1))
    const two = Buffer.byteLength((all[0]?.document ?? '') + (all[1]?.document ?? ''))
    assert.deepEqual(await readChain(app.pool, site.id, 0, { entries: 100, bytes: two }), all.slice(0, 2))
  })

  test('needs read access to the location, and to no other', async () => {
    const site = await seeded()
    const { id } = await verify(site)
    assertProblem(await app.get(`${path}/${id}`, { key: app.other.key }), {
      status: 404,
      code: 'verification_not_found',
    })
    assert.deepEqual((await app.get(`${path}/`, { key: app.other.key })).json, { data: [] })
    for (const [method, at] of [
      ['POST', path],
      ['GET', `${path}/`],
      ['GET', `${path}/${id}`],
    ] as const) {
      assertProblem(await app.request(method, at, { key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
    }
    assertProblem(await begin(site, { full: 'yes' }), { status: 400, code: 'validation_failed', pointers: ['/full'] })
    assertProblem(await begin(site, { from: 1 }), { status: 400, code: 'validation_failed', pointers: ['/from'] })
  })
})
