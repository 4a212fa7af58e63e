// Builds and tests mcp/, which has dependencies of its own that the server does not get.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'mcp')
const lock = join(folder, 'package-lock.json')
const stamp = join(folder, 'node_modules/.lockstamp')

function run(program: string, args: readonly string[], cwd = folder): void {
  const { status } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== readFileSync(lock, 'utf8')) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
  cpSync(lock, stamp)
}
run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'client'], root)
run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', '.'])
run(process.execPath, ['--test', '--test-timeout=120000', 'test/mcp.test.js'])
