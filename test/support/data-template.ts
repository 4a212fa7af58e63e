import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import { openPool } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'

/** Passes the folder of the template to the processes of the test files. */
const variable = 'TILLGATE_TEST_DATA'

/** Reserves a directory that test files copy until this process ends. The first file that needs it fills it. */
export async function announceTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-template-'))
  // The account of the database server needs access.
  await chmod(folder, 0o755)
  process.env[variable] = folder
  // Removed synchronously, because a runner that ends forcibly does not wait for its teardown.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

async function fillTemplate(folder: string, template: string): Promise<void> {
  const draft = await mkdtemp(join(folder, 'draft-'))
  const { connection, stop } = await openEmbeddedDatabase(draft)
  const pool = openPool(connection, { connections: 1, pipelining: true })
  await migrate(pool)
  await pool.end()
  await stop()
  // The process of another test file may have created it first.
  await rename(draft, template).catch(() => rm(draft, { recursive: true }))
}

/**
 * Puts a migrated database into a directory that does not exist yet: a copy takes a twentieth of the processor time of
 * a new database. In a file that runs alone, the program creates the database.
 */
export async function placeDatabase(dataDir: string): Promise<void> {
  const folder = process.env[variable]
  if (folder === undefined) return
  const template = join(folder, 'data')
  if (!existsSync(template)) await fillTemplate(folder, template)
  await mkdir(dirname(dataDir), { recursive: true })
  // Keeps the owners of the files, because the server has its own account.
  await promisify(execFile)('cp', ['-Rp', template, dataDir])
}
