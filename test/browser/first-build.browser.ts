import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { start } from '../support/cli.ts'
import { atEnd } from '../support/database.ts'

const root = join(import.meta.dirname, '../..')
const work = await mkdtemp(join(tmpdir(), 'tillgate-clone-'))
atEnd(() => rm(work, { recursive: true, force: true }))

/** Creates a clone of the files that the build reads, with dependencies, and a program instead of the server. */
async function clone(name: string): Promise<string> {
  const folder = join(work, name)
  for (const part of [
    'console',
    'client',
    'connectors',
    'mcp',
    'simulator',
    'receivers',
    'src',
    'openapi.json',
    'package.json',
    'tsconfig.json',
    'scripts',
  ]) {
    await cp(join(root, part), join(folder, part), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    })
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  // A stub of the program. The test ends it through its standard input, once the console's build has ended.
  await writeFile(
    join(folder, 'src/main.ts'),
    `console.log('serving')
const timer = setInterval(() => {}, 1_000)
process.stdin.on('end', () => clearInterval(timer)).resume()`,
  )
  return folder
}

/** Runs `npm start` or a similar script, as in package.json. */
async function script(folder: string, name: 'start' | 'quickstart' | 'demo') {
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { scripts: any }
  const [program, ...args] = (scripts[name] as string).split(' ')
  assert.equal(program, 'sh')
  // npm puts the directory of its Node first in PATH.
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`
  return start(program, args, { cwd: folder, input: null, env: { npm_lifecycle_event: name, PATH: path } })
}

type Started = Awaited<ReturnType<typeof script>>

async function until(started: Started, form: RegExp): Promise<void> {
  const { child, written } = started
  while (!form.test(written.stderr)) {
    if (child.exitCode !== null) assert.fail(`it ended: ${written.stderr}`)
    await new Promise((resolve) => child.stderr?.once('data', resolve))
  }
}

async function end(started: Started): Promise<string> {
  started.child.stdin?.end()
  const { code, stderr, stdout } = await started.ended
  assert.deepEqual([code, stdout.includes('serving')], [0, true], stderr)
  return stderr
}

test('the first start in a clone builds the console during startup, once, with a message; the next does not', async () => {
  const folder = await clone('whole')
  const both = await Promise.all([script(folder, 'start'), script(folder, 'demo')])
  const builder = await Promise.any(
    both.map(async (one) => {
      await until(one, /The downloads are made/)
      return one
    }),
  )
  const outputs = await Promise.all(both.map(end))
  assert.match(
    builder.written.stderr,
    /^Building the console and the downloads, this once; the server starts meanwhile\.\nThe console is built\.\nThe downloads are made\.\n$/,
  )
  assert.deepEqual(
    outputs.filter((text) => text === ''),
    [''],
    'one of the two builds',
  )
  const files = await readdir(join(folder, 'dist/console'))
  assert.ok(files.includes('index.html') && files.includes('index.html.br'), files.join())
  assert.deepEqual(await readdir(join(folder, 'dist')), ['console', 'downloads'])
  assert.ok((await readdir(join(folder, 'dist/downloads'))).includes('tillgate-client.tgz'))
  assert.equal(await end(await script(folder, 'quickstart')), '')
})

test('after a failed build the server continues and states how to build; if the console is off it is not built', async () => {
  const folder = await clone('broken')
  await rm(join(folder, 'console/index.html'))
  await rm(join(folder, 'receivers'), { recursive: true })
  const started = await script(folder, 'quickstart')
  await until(started, /npm run make -- console[^]*npm run make -- downloads/)
  assert.match(await end(started), /The console could not be built; everything else works/)
  assert.deepEqual(await readdir(join(folder, 'dist')), [])
  const args = ['--import=./scripts/first-build.ts', 'src/main.ts']
  for (const [command, env] of [
    [['serve'], { TILLGATE_CONSOLE: 'off' }],
    [['serve', '--console', 'off'], {}],
    [['location', 'list'], {}],
  ] as const) {
    const other = start(process.execPath, [...args, ...command], { cwd: folder, input: null, env })
    if (command[0] === 'serve') await until(other, /npm run make -- downloads/)
    assert.doesNotMatch(await end(other), /The console/, command.join(' '))
  }
})

test('a server that ends during the build of the console leaves nothing incomplete', async () => {
  const folder = await clone('ended')
  const started = await script(folder, 'start')
  await until(started, /Building/)
  await end(started)
  const left = existsSync(join(folder, 'dist')) ? await readdir(join(folder, 'dist')) : []
  assert.ok(
    left.every((name) => name === 'console' || name === 'downloads'),
    left.join(),
  )
  const again = await script(folder, 'start')
  if (left.length < 2) await until(again, /The downloads are made/)
  await end(again)
  assert.ok(existsSync(join(folder, 'dist/console/index.html')))
})
