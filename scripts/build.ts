// Builds dist/, which npm publishes: JavaScript, migrations, client and console. Checks that the command runs from
// there. `npm run build` runs this script with all modules on, because .env.example contains their settings.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDownloads } from './downloads.ts'
import { envExample } from './env-example.ts'
import { writePublished } from './program.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const command = join(root, 'bin/tillgate.cjs')

const run = (program: string, ...args: string[]) => execFileSync(program, args, { cwd: root, encoding: 'utf8' })

function expect(what: string, holds: boolean): void {
  if (!holds) throw new Error(`the build is incomplete: ${what}`)
}

// Overwritten in place: a server that runs from this clone continues to serve the downloads.
for (const name of existsSync(dist) ? readdirSync(dist) : [])
  if (name !== 'downloads') rmSync(join(dist, name), { recursive: true, force: true })
await writePublished(dist)
cpSync(join(root, 'src/core/store/migrations'), join(dist, 'core/store/migrations'), {
  recursive: true,
  filter: (path) => path.endsWith('migrations') || path.endsWith('.sql'),
})
execFileSync('npm', ['run', '-s', 'build', '-w', 'console'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
await makeDownloads(join(dist, 'downloads'))
writeFileSync(join(root, '.env.example'), envExample())

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
expect('the console is there', existsSync(join(dist, 'console/index.html')))
expect('the downloads are there', existsSync(join(dist, 'downloads/tillgate-client.tgz')))
expect('it prints its version', run(process.execPath, command, '--version').trim() === version)
expect('its commands load', run(process.execPath, command, 'serve', '--help').includes('--data-dir'))
expect('the client is in it', run(process.execPath, command, 'listen', '--help').includes('--forward'))
