import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { verifyLocation } from '../../src/modules/operations/cli/verify.ts'
import { daysProjection } from '../../src/modules/figures/projections/days.ts'
import { catchUpProjection } from '../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../src/modules/figures/projections/sales.ts'
import { openPool, type Pool } from '../../src/core/store/db/database.ts'
import { listLocations } from '../../src/core/contract/location/rows.ts'
import { migrate, schemaVersion } from '../../src/core/store/db/migrations.ts'
import { openServer } from '../support/app.ts'
import { start, tillgate, tillgateJson, toUrl } from '../support/cli.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { files, keptReleases, publicUrl, questions, settingsOf, type KeptRelease } from '../support/kept-releases.ts'
import { projectRoot } from '../support/project-files.ts'
import { makeNextVersion } from '../support/next-version.ts'

// Data that released versions wrote opens in this version and in the next version.

const releases = keptReleases()
const places = await Promise.all(
  releases.map(async () => ({
    of: await createDatabase({ server: 'embedded', empty: true }),
    restored: await createDatabase({ server: 'embedded', empty: true }),
    later: await createDatabase({ server: 'embedded', empty: true }),
    folder: await mkdtemp(join(tmpdir(), 'tillgate-kept-')),
  })),
)
const servers = places.map(({ of }) => openServer(of.pool, { publicUrl }))
const restoredServers = places.map(({ restored }) => openServer(restored.pool, { publicUrl }))
atEnd(async () => {
  for (const server of [...servers, ...restoredServers]) await (await server).close()
  for (const { folder } of places) await rm(folder, { recursive: true, force: true })
})

/** Checks that `now` has everything in `before`, with the same values. Fields may have been added at any level. */
function assertHolds(now: any, before: any, at: string): void {
  if (Array.isArray(before)) {
    assert.equal(now?.length, before.length, at)
    for (const [i, part] of before.entries()) assertHolds(now[i], part, `${at}/${i}`)
  } else if (before !== null && typeof before === 'object') {
    for (const [name, part] of Object.entries(before)) assertHolds(now?.[name], part, `${at}/${name}`)
  } else assert.equal(now, before, at)
}

type Database = (typeof places)[number]['of']

async function load({ connection }: Database, release: KeptRelease): Promise<void> {
  const session = openPool(connection, { connections: 1, pipelining: false })
  await session.unsafe(release.text(files.database))
  await session.end()
}

async function assertWhole(pool: Pool): Promise<void> {
  const locations = await listLocations(pool)
  assert.equal(locations.length, 2)
  for (const { id } of locations) {
    for (const projection of [salesProjection, daysProjection]) await catchUpProjection(pool, projection, id)
    assert.deepEqual([id, (await verifyLocation(pool, id)).verified], [id, true])
  }
}

/** Removes `meta`, which shows the sequence: a restored journal continues at another one. */
const withoutMeta = (answer: any) => (Array.isArray(answer) ? answer : { ...answer, meta: {} })

async function assertAnswers(
  port: number,
  paths: readonly string[],
  answers: Record<string, unknown>,
  key: string,
): Promise<void> {
  assert.ok(paths.length > 8)
  for (const path of paths) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
    const text = await response.text()
    assert.equal(response.status, 200, `${path}: ${text}`)
    assertHolds(JSON.parse(text), answers[path], path)
  }
}

for (const [i, release] of releases.entries()) {
  const { of, restored, later, folder } = places[i]!
  const { facts } = release
  const paths = questions.filter((path) => path in facts.answers)

  describe(`release ${release.version}`, () => {
    test('its database is upgraded, verifies, and returns the same answers', async () => {
      await load(of, release)
      assert.equal((await schemaVersion(of.pool)).current, facts.schema)
      await migrate(of.pool)
      await assertWhole(of.pool)
      await assertAnswers((await servers[i]!).port, paths, facts.answers, facts.key)
    })

    test('its backup is restored, verifies, and returns the same answers except for what a restore resets', async () => {
      execFileSync('tar', ['-xzf', release.file(files.backup), '-C', folder, '--no-same-owner'])
      const env = { DATABASE_URL: toUrl(restored.connection) }
      assert.equal((await tillgateJson(['restore', folder], { env })).locations, 2)
      await assertWhole(restored.pool)
      // Events have another epoch, and webhooks are disabled.
      const kept = paths.filter((path) => !/\/(events|webhooks)\//.test(path))
      const answers = Object.fromEntries(kept.map((path) => [path, withoutMeta(facts.answers[path])]))
      await assertAnswers((await restoredServers[i]!).port, kept, answers, facts.key)
    })

    test('its archive and its proof verify with its key, and with no other', async () => {
      const key = ['--key', facts.verifierKey]
      const archive = await tillgate(['verify', '--archive', release.file(files.archive), ...key])
      assert.equal(archive.code, 0, archive.stdout + archive.stderr)
      const proof = await tillgate(['verify', '--proof', release.file(files.proof), ...key])
      assert.equal(proof.code, 0, proof.stdout + proof.stderr)
      const other = ['--key', facts.verifierKey.replace(/.{4}$/, 'AAAA')]
      assert.equal((await tillgate(['verify', '--proof', release.file(files.proof), ...other])).code !== 0, true)
    })

    test('its settings still exist', () => {
      const now = new Set(settingsOf(projectRoot))
      assert.ok(facts.settings.length > 40)
      assert.deepEqual(
        facts.settings.filter((name) => !now.has(name)),
        [],
        'one goes only after a minor version in which it was deprecated: docs/operate/releases.md',
      )
    })

    test('its database opens in the next version, which has one more migration', async () => {
      await load(later, release)
      const next = await mkdtemp(join(tmpdir(), 'tillgate-next-'))
      atEnd(() => rm(next, { recursive: true, force: true }))
      const program = await makeNextVersion(next)
      const env = { DATABASE_URL: toUrl(later.connection) }
      const { code, stdout, stderr } = await start(process.execPath, [program, 'verify'], { env, cwd: next }).ended
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^verified {2}/m)
      const refused = await tillgate(['verify', '--json'], { env })
      assert.deepEqual([refused.code, JSON.parse(refused.stderr).error.code], [2, 'database_too_new'])
    })
  })
}
