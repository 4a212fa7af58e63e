import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkClosings } from '../../../src/modules/proofs/cli/status.ts'
import { closeUpTo } from '../../../src/modules/proofs/projections/closings.ts'
import { createKeyFile, SigningKey } from '../../../src/modules/proofs/projections/signing-key.ts'
import { summariseClosings } from '../../../src/modules/proofs/store/closings.ts'
import { startApp, type Site } from '../../support/app.ts'
import { date, soldOn, storeDays } from '../../support/books-site.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-closings-checked-'))
after(() => rmSync(dir, { recursive: true }))
const keyFile = join(dir, 'key.pem')
createKeyFile(keyFile)

let now = new Date('2026-03-10T12:00:00.000Z')
const app = await startApp({
  clock: () => now,
  signing: { signer: new SigningKey(keyFile), logName: 'tillgate.example' },
})

const closeSigned = async (site: Site, until: string, last: number) => {
  const body = JSON.stringify({ until, after: last })
  const headers = { 'content-type': 'application/json' }
  const answer = await app.request('POST', '/v1/closings/', { key: site.key, headers, body })
  assert.equal(answer.status, 201, answer.text)
}

const closeWithoutKey = (site: Site, until: string, last: number) =>
  closeUpTo(app.pool, site.id, { until, after: last, now, seen: 0 })

test('doctor warns of a location with checkpoints whose last closing has none after it, and of no other', async () => {
  assert.equal(checkClosings(await summariseClosings(app.pool)).detail, 'no location has closings')
  const [signs, neverSigned, signsNoMore] = [await app.addLocation(), await app.addLocation(), await app.addLocation()]
  for (const site of [signs, neverSigned, signsNoMore]) await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  await closeWithoutKey(neverSigned, date(2), 0)
  await closeSigned(signsNoMore, date(2), 0)
  now = new Date('2026-03-10T13:00:00.000Z')
  await closeSigned(signs, date(2), 0)
  const whole = await summariseClosings(app.pool)
  assert.deepEqual(whole, { closing: 3, signing: 2, unsigned: 0, oldest: new Date('2026-03-10T12:00:00.000Z') })
  assert.deepEqual(checkClosings(whole), {
    name: 'closings',
    status: 'ok',
    detail: '3 locations closing their days, 2 with checkpoints',
  })

  await storeDays(app, signsNoMore, { 3: [soldOn(signsNoMore, 3, 1)] })
  await closeWithoutKey(signsNoMore, date(3), 1)
  const { status, detail } = checkClosings(await summariseClosings(app.pool))
  assert.equal(status, 'warn')
  assert.match(detail, /the last closing is not signed in 1 location$/)
})
