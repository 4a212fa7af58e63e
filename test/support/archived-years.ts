import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getLocation, writeYear } from '../../src/modules/exports/cli/archive.ts'
import { closeDue } from '../../src/modules/proofs/projections/closings.ts'
import { makeCheckpoint } from '../../src/modules/proofs/projections/checkpoints.ts'
import { createKeyFile, SigningKey } from '../../src/modules/proofs/projections/signing-key.ts'
import { transact } from '../../src/core/store/db/database.ts'
import { resumeJournal } from '../../src/core/store/journal/resumption.ts'
import { startApp, type Answer, type Site, type TestApp } from './app.ts'
import { date, foldAll, issue, put, soldOn, storeDays } from './books-site.ts'
import { tillgate, toUrl } from './cli.ts'
import { atEnd } from './database.ts'
import { idOf, order } from './records.ts'

/** Files of an archive by their names. */
export type Files = Map<string, Buffer>

export type ArchivedYears = {
  app: TestApp
  site: Site
  /** The verifier key of the location. */
  key: string
  keyFile: string
  folder: string
  /** ZIPs of the two years; the second continues where the first ends. */
  zips: [string, string]
  /** Writes an archive of a year in its current state. */
  archive(year: number, changes?: { keyPath: string | null }): Promise<string>
  checkpoint(): Promise<void>
  redact(n: number): Promise<void>
}

/** Unpacks a ZIP with a third-party program. */
export function unpackZip(zip: string, to: string): string {
  execFileSync('python3', ['-m', 'zipfile', '-e', zip, to])
  return to
}

export function readFiles(folder: string): Files {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const names = entries.map((one) => join(one.parentPath, one.name).slice(folder.length + 1)).toSorted()
  return new Map(names.map((name) => [name, readFileSync(join(folder, name))]))
}

/** Returns an order of one dish that was closed on `day`, of any year. */
const soldAt = (site: Site, day: string, n: number) => {
  const [openedAt, closedAt] = [`${day}T18:00:00.000Z`, `${day}T19:00:00.000Z`]
  return soldOn(site, 9, n, { openedAt, createdAt: openedAt, closedAt, updatedAt: closedAt, reportId: null })
}

/**
 * Starts an installation with two closed fiscal years, with everything that an archive can have: closings of days,
 * months and years, checkpoints, books and accounts, an order redacted within its year, and one redacted after it.
 */
export async function archivedYears(): Promise<ArchivedYears> {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-archived-years-'))
  atEnd(async () => rmSync(folder, { recursive: true }))
  const keyFile = join(folder, 'key.pem')
  createKeyFile(keyFile)
  let now = new Date('2026-03-31T12:00:00.000Z')
  const signing = { signer: new SigningKey(keyFile), logName: 'tillgate.example' }
  const app = await startApp({ signing, clock: () => now })
  const site = await app.addLocation()
  await app.pool`update locations set fiscal_year_starts = '04-01' where id = ${site.id}`
  const stored = (answer: Answer) => assert.ok(answer.status < 300, answer.text)
  const close = async (until: string, after: number) => {
    const body = JSON.stringify({ until, after })
    stored(
      await app.request('POST', '/v1/closings/', {
        key: site.key,
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
  }
  const checkpoint = async () => void (await makeCheckpoint(app.pool, site.id, { ...signing, now }))
  const redact = async (n: number) => {
    const args = ['redact', '--location', site.id, '--order', idOf('order', n), '--field', '/operatorName']
    const env = { DATABASE_URL: toUrl(app.database.connection) }
    const { code, stderr } = await tillgate([...args, '--reason', 'asked', '--yes'], { env })
    assert.equal(code, 0, stderr)
  }
  let written = 0
  const archive = async (year: number, { keyPath }: { keyPath: string | null } = { keyPath: keyFile }) => {
    const out = join(folder, `${year}-${++written}.zip`)
    const location = await getLocation(app.pool, site.id)
    await writeYear(app.pool, { location, year }, { out, encrypter: undefined, keyPath })
    return out
  }

  const named = { operatorName: 'Camille Dupont' }
  stored(await put(app, site, { tills: { 'Caisse 1': 'C1' } }))
  await storeDays(app, site, { 2: [1, 2, 3].map((n) => soldOn(site, 2, n, named)) })
  await close(date(2), 0)
  await redact(201)
  await storeDays(app, site, { 3: [soldOn(site, 3, 1), soldOn(site, 3, 2)] })
  stored(await issue(app, site, { until: date(3), after: 0, skip: true }))
  await close(date(3), 1)
  await storeDays(app, site, { 20: [soldOn(site, 20, 1)] })
  now = new Date('2026-04-04T12:00:00.000Z')
  await closeDue(app.pool, site.id, now)
  stored(await issue(app, site, { until: date(31), after: 1, skip: true }))
  await redact(202)
  // The next year begins with a journal that was continued from a backup.
  await transact(app.pool, (tx) => resumeJournal(tx, site.id, { reason: 'restored from a backup', now }))
  await app.store([order(soldAt(site, '2026-05-04', 50))], site.key)
  await foldAll(app, site)
  await checkpoint()
  now = new Date('2027-04-04T12:00:00.000Z')
  await closeDue(app.pool, site.id, now)
  await checkpoint()
  const zips: [string, string] = [await archive(2025), await archive(2026)]
  const { keys } = (await app.get('/v1/checkpoints/', { key: site.key })).json.data[0]
  return { app, site, key: keys[0], keyFile, folder, zips, archive, checkpoint, redact }
}
