import { execFile } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import { openPool } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'

/** Carries the folder of the template to the processes of the test files. */
const variable = 'TILLGATE_TEST_DATA'

/** Makes room for a data directory that test files copy until this process ends; the first that needs it fills it. */
export async function announceTemplate(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-template-'))
  // The account of the database must get in.
  await chmod(folder, 0o755)
  process.env[variable] = folder
  // At once: a runner that ends by force gives its teardown no time.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

async function fillTemplate(folder: string, template: string): Promise<void> {
  const draft = await mkdtemp(join(folder, 'draft-'))
  const { connection, stop } = await openEmbeddedDatabase(draft)
  const pool = openPool(connection, { connections: 1, pipelining: true })
  await migrate(pool)
  await pool.end()
  await stop()
  // Another file may have been quicker.
  await rename(draft, template).catch(() => rm(draft, { recursive: true }))
}

/**
 * Puts a database with its tables into a directory that is not there yet: copying one takes a twentieth of the
 * processor's time that making one takes. A file that runs by itself leaves that to the program.
 */
export async function placeDatabase(dataDir: string): Promise<void> {
  const folder = process.env[variable]
  if (folder === undefined) return
  const template = join(folder, 'data')
  if (!existsSync(template)) await fillTemplate(folder, template)
  await mkdir(dirname(dataDir), { recursive: true })
  // Including the owners: the server has an account of its own.
  await promisify(execFile)('cp', ['-Rp', template, dataDir])
}
