import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { createDataDir, findPostmaster, tillgate, tillgateJson } from '../../support/cli.ts'
import { everyRecord, idOf, linesOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const location = idOf('location', 7)

for (const major of [15, 16, 17]) {
  const programs = process.env[`TILLGATE_TEST_PG_${major}`] ?? `/usr/lib/postgresql/${major}/bin`
  const skip = existsSync(programs) ? false : `PostgreSQL ${major} is not installed`
  test(`a damaged page is reported with the name of its table on PostgreSQL ${major}`, { skip }, async () => {
    const pgBin = programs
    const dataDir = await createDataDir()
    const env = { TILLGATE_DATA_DIR: dataDir, TILLGATE_PG_BIN: pgBin, TILLGATE_OPERATIONS_ADDRESS: 'off' }
    await tillgateJson(['import', '-'], { env, input: linesOf(everyRecord(location)) })
    for (const [table, named] of [
      ['orders', 'the table orders'],
      ['orders_pkey', 'an index of the table orders'],
    ] as const) {
      let server = await openEmbeddedDatabase(dataDir, { pgBin })
      const pool = openPool(server.connection, { connections: 1, pipelining: true })
      const [row] = await pool<{ path: string }[]>`select pg_relation_filepath(${table}::text::regclass) as path`
      await pool.end({ timeout: 5 })
      await server.release()
      await eventually(async () => (await findPostmaster(dataDir)) === undefined, 'the server is stopped')
      const file = await open(join(dataDir, 'postgres', row?.path as string), 'r+')
      const at = table === 'orders' ? 4_000 : 8_192 + 4_000
      const before = Buffer.alloc(16)
      await file.read(before, 0, 16, at)
      await file.write(Buffer.alloc(16, 0xa5), 0, 16, at)
      const { code, stdout } = await tillgate(['verify'], { env })
      assert.equal(code, 1, stdout)
      assert.match(stdout, new RegExp(`^broken +${location} +a page of ${named} is damaged: `, 'm'))
      await file.write(before, 0, 16, at)
      await file.close()
    }
  })
}
