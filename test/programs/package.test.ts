import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { after, before, test } from 'node:test'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

let folder = ''
let files: string[] = []
/** The package as it would be published, unpacked, with the dependencies that an installation would have. */
let installed = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillgate-package-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  const json = stdout.slice(stdout.indexOf('[\n'))
  const [packed] = JSON.parse(json) as [{ filename: string; files: { path: string }[] }]
  files = packed.files.map(({ path }) => path)
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder])
  installed = join(folder, 'package')
  await symlink(join(root, 'node_modules'), join(installed, 'node_modules'))
})

after(() => rm(folder, { recursive: true, force: true }))

test('the package of a clean clone contains the program, its migrations and its documents, and no sources or tests', () => {
  for (const path of [
    'bin/tillgate.cjs',
    'dist/main.cjs',
    'dist/LICENSES',
    'dist/core/store/migrations/0100_core.sql',
    'openapi.json',
    '.env.example',
    'LICENSE',
  ]) {
    assert.ok(files.includes(path), `${path} is packed`)
  }
  const unwanted = files.filter((path) => /^(src|test|bench|scripts|data|node_modules)\//.test(path))
  assert.deepEqual(unwanted, [])
})

test('every entry of package.json under files matches a file', async () => {
  const { files: named } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { files: string[] }
  const isPacked = (entry: string) => files.some((path) => path === entry || path.startsWith(`${entry}/`))
  const [left, kept] = [named.filter((entry) => entry.startsWith('!')), named.filter((entry) => !entry.startsWith('!'))]
  assert.deepEqual(
    kept.filter((entry) => !isPacked(entry)),
    [],
  )
  assert.deepEqual(
    left.filter((entry) => isPacked(entry.slice(1)) || !existsSync(join(root, entry.slice(1)))),
    [],
  )
})

test('the installed program opens its own database, and doctor finds no fault', async () => {
  const main = join(installed, 'bin/tillgate.cjs')
  const data = join(folder, 'data')
  await run(process.execPath, [main, 'location', 'create', '--name', 'Packed', '--data-dir', data, '--json'])
  const { stdout } = await run(process.execPath, [main, 'location', 'list', '--data-dir', data, '--json'])
  assert.equal((JSON.parse(stdout) as { name: string }[])[0]?.name, 'Packed')
})

test('an old Node prints one sentence with what to do, and every Node since 2015 can parse that far', async () => {
  const launcher = join(root, 'bin/tillgate.cjs')
  const old = "Object.defineProperty(process.versions, 'node', { value: '12.22.9' })"
  const refused = run(process.execPath, ['-e', `${old}; require(${JSON.stringify(launcher)})`])
  await assert.rejects(refused, {
    code: 2,
    stderr: /^error: Tillgate needs Node 24 or later; this is 12\.22\.9\. .*npm install node@26, then npx tillgate\n$/,
  })
  const text = (await readFile(launcher, 'utf8')).replaceAll(/\/\/.*|'[^'\n]*'/g, '')
  assert.doesNotMatch(text, /\b(const|let|import|async|await|class)\b|=>|`|\?\.|\?\?|\.\.\./)
})

test('compiled code is kept in a cache folder that only this account can write, and the program runs without one', async () => {
  const main = join(installed, 'bin/tillgate.cjs')
  const version = async (home: string) => {
    const env = { PATH: process.env['PATH'], HOME: home }
    const { stdout } = await run(process.execPath, [main, '--version'], { env })
    return stdout.trim()
  }
  const kept = async (home: string) => (await readdir(join(home, '.cache/tillgate'))).includes('compiled')
  const [home, shared] = [join(folder, 'home'), join(folder, 'shared')]
  await mkdir(home)
  await mkdir(join(shared, '.cache/tillgate'), { recursive: true })
  await chmod(join(shared, '.cache/tillgate'), 0o777)
  const expected = await version(home)
  assert.match(expected, /^\d+\.\d+\.\d+$/)
  assert.equal(await kept(home), true)
  for (const without of [shared, '', '/proc', '/dev/null', join(folder, 'absent')])
    assert.equal(await version(without), expected, without)
  assert.equal(await kept(shared), false)
})

type Tree = { dependencies?: Record<string, Tree & { version?: string; resolved?: string }> }

/** Yields names and versions of a tree, as listed by npm. */
function* listed({ dependencies = {} }: Tree): Generator<string> {
  for (const [name, child] of Object.entries(dependencies)) {
    if (child.version !== undefined) yield `${name}@${child.version}`
    yield* listed(child)
  }
}

test('the package pins every dependency, including transitive ones, to the version that npm resolves here', async () => {
  const { stdout } = await run('npm', ['ls', '--all', '--omit=dev', '--json', '--package-lock-only'], {
    cwd: root,
    maxBuffer: 2 ** 26,
  })
  const { dependencies = {} } = JSON.parse(stdout) as Tree
  // Workspaces belong to the clone, not to the package.
  const own = Object.fromEntries(Object.entries(dependencies).filter(([name]) => !name.startsWith('@tillgate/')))
  const shrinkwrap = JSON.parse(await readFile(join(installed, 'npm-shrinkwrap.json'), 'utf8'))
  const packages = Object.entries<{ version?: string }>(shrinkwrap.packages).filter(([place]) => place !== '')
  const pinned = packages.map(([place, { version }]) => `${place.replace(/^.*node_modules\//, '')}@${version}`)
  assert.ok(pinned.length > 100)
  assert.deepEqual([...new Set(pinned)].toSorted(), [...new Set(listed({ dependencies: own }))].toSorted())
})
