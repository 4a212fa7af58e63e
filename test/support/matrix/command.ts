import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Installation } from './topologies.ts'

const root = join(import.meta.dirname, '../../..')

/** Runs a command of Tillgate on the database of an installation, as its operator would. Rejects when it fails. */
export async function tillgateIn({ dataDir, env: own }: Installation, args: readonly string[]): Promise<string> {
  const place = dataDir === undefined ? [] : ['--data-dir', dataDir]
  const env = { ...process.env, ...own }
  const options = { cwd: root, env }
  const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', ...args, ...place], options)
  return stdout
}
