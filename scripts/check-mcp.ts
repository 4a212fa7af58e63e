// Builds mcp/, which has dependencies of its own that the server does not get, and tests it as it would be installed.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildClient } from './client-build.ts'

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
await buildClient(join(root, 'client/dist'))
run(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '--noEmit', '-p', '.'])
run(process.execPath, [join(root, 'scripts/mcp-build.ts')])

// What a stranger gets: the package as it would be published, in a project that has another zod at its root.
const empty = mkdtempSync(join(tmpdir(), 'tillgate-mcp-installed-'))
process.on('exit', () => rmSync(empty, { recursive: true, force: true }))
run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', empty], folder)
const packed = readdirSync(empty).map((name) => join(empty, name))
run(
  'npm',
  [
    'install',
    '--prefix',
    empty,
    '--prefer-offline',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    'zod@3.25.76',
    ...packed,
  ],
  empty,
)
process.env['MCP_COMMAND'] = join(empty, 'node_modules/.bin/tillgate-mcp')
run(process.execPath, ['--test', '--test-timeout=120000', 'test/mcp.test.js'])
