import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { run } from '../support/tools.ts'

const image = join(import.meta.dirname, '../../deploy/image')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-lint-'))

before(async () => {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const linters = ['dockerfile-utils@0.16.3', 'dclint@3.1.0']
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...linters], { cwd: folder })
})

after(() => rm(folder, { recursive: true, force: true }))

const lint = (program: string, ...args: string[]) =>
  run(process.execPath, [join(folder, 'node_modules', program), ...args])

test('the Dockerfile has nothing that a linter objects to', async () => {
  const path = join(image, 'Dockerfile')
  const { stdout } = await lint('dockerfile-utils/bin/dockerfile-utils', 'lint', path)
  assert.doesNotMatch(stdout, /(Error|Warning):/)
  const broken = join(folder, 'Dockerfile')
  await writeFile(broken, 'FROM node\nEXPSE 80\n')
  const { stdout: told } = await lint('dockerfile-utils/bin/dockerfile-utils', 'lint', broken).catch((error) => error)
  assert.match(told, /EXPSE/, 'the linter works')
})

test('the compose file has nothing that a linter objects to, but for the order of its keys', async () => {
  const config = join(folder, 'dclint.json')
  await writeFile(config, '{ "rules": { "service-keys-order": 0, "top-level-properties-order": 0 } }')
  await lint('dclint/bin/dclint.cjs', '--config', config, '--max-warnings', '0', join(image, 'compose.yaml'))
})
