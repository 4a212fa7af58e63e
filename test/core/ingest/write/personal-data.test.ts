import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { OperatorNames } from '../../../../src/core/domain/redaction/operator-names.ts'
import { ingestLines } from '../../../../src/core/ingest/receive/ingest.ts'
import { cleanRejected } from '../../../../src/core/ingest/write/personal-data.ts'
import { WriteQueue } from '../../../../src/core/ingest/write/queue.ts'
import { transact } from '../../../../src/core/store/db/database.ts'
import { startApp } from '../../../support/app.ts'
import { tillgateJson, toUrl } from '../../../support/cli.ts'
import { idOf, linesOf, order, orderOf, reportOf } from '../../../support/records.ts'
import { assertSound } from '../soundness.ts'

const app = await startApp()
const { pool } = app

const named = { operatorName: 'Zéphyrine Vau' }

/** Writes a valid order and report, one with a fault, and a line that is not JSON; all contain the name. */
const linesFor = (locationId: string) => {
  const { reportClerksShift } = reportOf(locationId, 1)
  const shifts = reportClerksShift.map((shift) => ({ ...shift, name: 'Zéphyrine Vau' }))
  const report = reportOf(locationId, 1, { reportClerksShift: shifts, clerkName: 'Zéphyrine Vau' })
  return (
    linesOf([
      order(orderOf(locationId, 1, named)),
      { type: 'report', data: report },
      { ...order({ ...orderOf(locationId, 2, named), extra: 1 } as never) },
    ]) + '{"operatorName":"Zéphyrine Vau",\n'
  )
}

async function store(mode: OperatorNames | undefined) {
  const site = await app.addLocation()
  const writer = new WriteQueue(pool, () => new Date(), mode === undefined ? {} : { operatorNames: mode })
  const push = () =>
    ingestLines(writer, { locationId: site.id, keyId: null }, Readable.from([Buffer.from(linesFor(site.id))]))
  const first = await push()
  assert.deepEqual([first.accepted, first.rejected], [2, 2])
  // The same record again counts as known, even after redaction.
  assert.equal((await push()).unchanged, 2)
  const tables = ['journal', 'orders', 'reports', 'rejected_records']
  const texts = await Promise.all(
    tables.map(async (table) => {
      const rows = await pool.unsafe<{ t: string }[]>(`select t::text from ${table} t where location_id = $1`, [
        site.id,
      ])
      return rows.map(({ t }) => t).join('\n')
    }),
  )
  await assertSound(pool, site.id)
  return { site, texts }
}

test('names of operators are stored by default', async () => {
  for (const text of (await store(undefined)).texts) assert.match(text, /Zéphyrine Vau/)
})

test('initials are stored in place of names, in every table', async () => {
  const { texts, site } = await store('initials')
  for (const text of texts) {
    assert.doesNotMatch(text, /Zéphyrine|Vau/)
    assert.match(text, /Z\. V\./)
  }
  const { json } = await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key })
  assert.equal(json.operatorName, 'Z. V.')
})

test('no names are stored if the setting is none', async () => {
  for (const text of (await store('none')).texts) assert.doesNotMatch(text, /Zéphyrine|Vau|Z\./)
})

test('while rejected records are stored no redaction runs, so none of them keeps a redacted name', async () => {
  const { id } = await app.addLocation()
  const rejected = {
    id: idOf('order', 1),
    receivedAt: new Date(),
    keyId: null,
    line: 1,
    code: 'x',
    detail: '',
    errors: '[]',
  }
  await transact(pool, async (tx) => {
    await cleanRejected(tx, id, [{ ...rejected, record: '{}' }], 'keep')
    const taken = pool`select from location_seq where location_id = ${id} for update nowait`
    await assert.rejects(taken, /could not obtain lock/)
  })
})

test('the setting applies to an import too', async () => {
  const site = await app.addLocation()
  await tillgateJson(['import', '-', '--location', site.id, '--operator-names', 'initials'], {
    env: { DATABASE_URL: toUrl(app.database.connection) },
    input: linesOf([order(orderOf(site.id, 1, named))]),
  })
  const { json } = await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key })
  assert.equal(json.operatorName, 'Z. V.')
})
