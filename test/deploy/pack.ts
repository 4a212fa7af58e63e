import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../support/tools.ts'

let folder: string | undefined

/** Packs the program once for all that is built of it: `PACKAGE`, which the scripts in `deploy/` read too. */
export async function globalSetup(): Promise<void> {
  if (process.env['PACKAGE']) return
  folder = await mkdtemp(join(tmpdir(), 'tillgate-pack-'))
  const root = join(import.meta.dirname, '../..')
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  process.env['PACKAGE'] = join(folder, JSON.parse(stdout.slice(stdout.indexOf('[\n')))[0].filename)
}

export async function globalTeardown(): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true })
}
