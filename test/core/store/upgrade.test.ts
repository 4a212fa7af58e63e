import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { daysProjection } from '../../../src/modules/figures/projections/days.ts'
import { catchUpProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { listLocations } from '../../../src/core/contract/location/rows.ts'
import { migrate, schemaVersion } from '../../../src/core/store/db/migrations.ts'
import { openServer } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { publicUrl, questions, readDumps } from '../../support/schema-dumps.ts'

const files = (await readdir(new URL('../../../src/core/store/migrations/', import.meta.url))).toSorted()
const names = files.filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).map((file) => file.replace('.sql', ''))
const dumps = await readDumps()
const databases = await Promise.all(dumps.map(() => createDatabase({ server: 'embedded', empty: true })))
const servers = databases.map(({ pool }) => openServer(pool, { publicUrl }))
atEnd(async () => {
  for (const server of servers) await (await server).close()
})

/** What a reader of `before` relies on must be in `now`: fields may have come since, in answers and their parts. */
function assertHolds(now: any, before: any, at: string): void {
  if (Array.isArray(before)) {
    assert.equal(now?.length, before.length, at)
    for (const [i, part] of before.entries()) assertHolds(now[i], part, `${at}/${i}`)
  } else if (before !== null && typeof before === 'object') {
    for (const [name, part] of Object.entries(before)) assertHolds(now?.[name], part, `${at}/${name}`)
  } else assert.equal(now, before, at)
}

test('there is a dump of every version of the schema that this one follows', () => {
  const missing = names
    .slice(0, -1)
    .filter((name) => !dumps.some(({ version }) => version === Number(name.slice(0, 4))))
  assert.deepEqual(missing, [], 'npm run make -- schema-dumps makes them')
})

for (const [i, { version, sql, key, answers }] of dumps.entries()) {
  test(`a database of schema version ${version} is brought up to date with all that it holds`, async () => {
    const { connection, pool } = databases[i]!
    const restoring = openPool(connection, { connections: 1, pipelining: false })
    await restoring.unsafe(sql)
    await restoring.end()
    assert.equal((await schemaVersion(pool)).current, version)
    assert.deepEqual(await migrate(pool), names.slice(version))

    const locations = await listLocations(pool)
    assert.equal(locations.length, 2)
    for (const { id } of locations) {
      for (const projection of [salesProjection, daysProjection]) await catchUpProjection(pool, projection, id)
      assert.deepEqual([id, (await verifyLocation(pool, id)).verified], [id, true])
    }
    const { port } = await servers[i]!
    for (const { path, from } of questions.filter(({ from }) => from <= version)) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } })
      const text = await response.text()
      assert.equal(response.status, 200, text)
      assertHolds(JSON.parse(text), answers[path], `${path} (from ${from})`)
    }
  })
}
