// Makes dist/, what npm publishes: JavaScript, the migrations, the client, the console, and looks whether the command
// runs from it.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDownloads } from './downloads.ts'
import { envExample } from './env-example.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const command = join(root, 'bin/tillgate.cjs')

const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, encoding: 'utf8' })

/** What tsc says goes to its standard output, and is the whole message. */
function compile(...project: string[]): void {
  const args = ['node_modules/typescript/bin/tsc', '-p', ...project]
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`the build is not whole: ${what}`)
}

// A server that runs from this clone goes on giving away the downloads, which are written over.
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (name !== 'downloads') rmSync(join(dist, name), { recursive: true, force: true })
compile('client', '--outDir', 'dist/client')
// `npm run types` checks the types; nobody imports the program, so it has no declarations.
compile('tsconfig.build.json', '--noCheck')
// Below dist/, `#client` is what was compiled; the sources have theirs from package.json.
writeFileSync(join(dist, 'package.json'), '{ "type": "module", "imports": { "#client": "./client/index.js" } }\n')
cpSync(join(root, 'src/store/migrations'), join(dist, 'store/migrations'), {
  recursive: true,
  filter: (path) => path.endsWith('migrations') || path.endsWith('.sql'),
})
execFileSync('npm', ['run', '-s', 'console:build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
await makeDownloads(join(dist, 'downloads'))
writeFileSync(join(root, '.env.example'), envExample())

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
expect('the console is there', existsSync(join(dist, 'console/index.html')))
expect('the downloads are there', existsSync(join(dist, 'downloads/tillgate-client.tgz')))
expect('it prints its version', run(process.execPath, command, '--version').trim() === version)
expect('its commands load', run(process.execPath, command, 'serve', '--help').includes('--data-dir'))
expect('the client is in it', run(process.execPath, command, 'listen', '--help').includes('--forward'))
