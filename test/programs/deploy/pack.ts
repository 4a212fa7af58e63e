import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../support/tools.ts'

let folder: string | undefined

/**
 * Packs the program once for all packages. The path is in `PACKAGE`, which the scripts in `deploy/` read too. A test
 * file that runs without this global setup calls it itself.
 */
export async function globalSetup(): Promise<string> {
  const given = process.env['PACKAGE']
  if (given !== undefined && given !== '') return given
  folder = await mkdtemp(join(tmpdir(), 'tillgate-pack-'))
  const root = join(import.meta.dirname, '../../..')
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  return (process.env['PACKAGE'] = join(folder, JSON.parse(stdout.slice(stdout.indexOf('[\n')))[0].filename))
}

export async function globalTeardown(): Promise<void> {
  if (folder) await rm(folder, { recursive: true, force: true })
}
