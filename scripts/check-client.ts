// Packs the client, installs it alone, and runs it against a server in each runtime that its README names and npm
// provides: Node, Bun, Deno. The packages of the runtimes are in runtimes/.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildClient } from './client-build.ts'
import { makeDownloads } from './downloads.ts'
import { withSample, type Sample } from './sample-server.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'runtimes')
const lock = join(folder, 'package-lock.json')
const stamp = join(folder, 'node_modules/.lockstamp')

function run(program: string, args: readonly string[], cwd: string, env = process.env): void {
  const { status } = spawnSync(program, args, { cwd, env, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}`)
}

/** Returns the program of a package such as `@oven/bun-linux-x64`, for the platform that npm chose. */
function findProgram(scope: string, file: string): string {
  const packages = readdirSync(join(folder, 'node_modules', scope)).map((name) =>
    join(folder, 'node_modules', scope, name, file),
  )
  const found = packages.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`no package of ${scope} has ${file} for this machine`)
  return found
}

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== readFileSync(lock, 'utf8')) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  cpSync(lock, stamp)
}
const empty = mkdtempSync(join(tmpdir(), 'tillgate-client-installed-'))
process.on('exit', () => rmSync(empty, { recursive: true, force: true }))
await buildClient(join(root, 'client/dist'))
run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', empty], join(root, 'client'))
const [packed = ''] = readdirSync(empty)
const install = ['install', '--prefix', empty, '--ignore-scripts', '--no-audit', '--no-fund', join(empty, packed)]
run('npm', install, empty)
cpSync(join(folder, 'use-client.js'), join(empty, 'use-client.js'))

// Checks the types with the compiler options and versions of typical projects.
cpSync(join(folder, 'types.ts'), join(empty, 'types.ts'))
const compilers: [compiler: string, ...options: string[]][] = [
  ['typescript-4', '--module', 'commonjs', '--moduleResolution', 'node'],
  ['typescript-4', '--module', 'esnext', '--moduleResolution', 'node'],
  ['typescript-5', '--module', 'commonjs', '--moduleResolution', 'node10'],
  ['typescript-5', '--module', 'esnext', '--moduleResolution', 'bundler'],
  ['typescript-5', '--module', 'nodenext', '--moduleResolution', 'nodenext'],
]
for (const [compiler, ...options] of compilers) {
  const tsc = join(folder, 'node_modules', compiler, 'bin/tsc')
  const strict = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
  run(process.execPath, [tsc, ...strict, ...options, 'types.ts'], empty)
  console.log(`types: ${compiler} ${options.join(' ')}`)
}

/**
 * The oldest supported Node of each major version that the pages name, by its package; empty if npm has none for this
 * machine.
 */
const oldNodes = ['node-20', 'node-22', 'node-24'].flatMap((name) => {
  const program = join(folder, 'node_modules', name, 'bin/node')
  return existsSync(program) ? [{ name, program }] : []
})

// A download reports which Node it requires if the running Node is older.
await makeDownloads(join(empty, 'downloads'))
for (const { name, program } of oldNodes) {
  const listens = spawnSync(program, [join(empty, 'downloads/tillgate-listen.mjs'), '--help'], { encoding: 'utf8' })
  const isRight =
    name === 'node-20'
      ? listens.status === 2 && /^error: this file needs Node 22\.15 or later, .*\n$/.test(listens.stderr)
      : listens.status === 0 && listens.stdout.startsWith('Usage: tillgate-listen')
  if (!isRight) throw new Error(`${name}: tillgate-listen.mjs: ${listens.status} ${listens.stderr}`)
  const verifies = spawnSync(program, [join(root, 'docs/verify/verify.mjs')], { encoding: 'utf8' })
  if (/SyntaxError|at file:/.test(verifies.stderr)) throw new Error(`${name}: verify.mjs: ${verifies.stderr}`)
  const mcp = spawnSync(program, [join(empty, 'downloads/tillgate-mcp.mjs'), '--help'], { encoding: 'utf8' })
  if (mcp.status !== 0) throw new Error(`${name}: tillgate-mcp.mjs: ${mcp.status} ${mcp.stderr}`)
  console.log(`files: ${name}`)
}

const runtimes: [program: string, ...args: string[]][] = [
  [process.execPath],
  ...oldNodes.map(({ program }): [string] => [program]),
  [findProgram('@oven', 'bin/bun'), '--no-install'],
  // Deno gets only the permissions that the client needs: the server, its own port, and the given options.
  [findProgram('@deno', 'deno'), 'run', '--no-remote', '--allow-net=127.0.0.1', '--allow-env', '--allow-read=.'],
]

await withSample(({ url, key }: Sample) => {
  const env = { ...process.env, TILLGATE_URL: url, TILLGATE_KEY: key, DENO_DIR: join(empty, '.deno') }
  const quiet = { DENO_NO_UPDATE_CHECK: '1', DO_NOT_TRACK: '1', NODE_NO_WARNINGS: '1' }
  for (const [program, ...args] of runtimes) run(program, [...args, 'use-client.js'], empty, { ...env, ...quiet })
})
