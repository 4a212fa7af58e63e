import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { after, test } from 'node:test'
import { clientTypes, clientTypesPath } from '../../scripts/client-types.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const out = await mkdtemp(join(tmpdir(), 'tillgate-client-'))
after(() => rm(out, { recursive: true, force: true }))

test('the types of the client are those of openapi.json', async () => {
  const description = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as Parameters<
    typeof clientTypes
  >[0]
  const written = await readFile(clientTypesPath, 'utf8')
  // The formatter breaks lines and drops what is empty; the words and their order stay.
  const words = (text: string) => text.match(/\w+/g)
  assert.deepEqual(words(written), words(clientTypes(description)))
})

test('the client compiles without the types of Node, has no dependency, and is at most 12 kB packed', async () => {
  await run(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'client/tsconfig.json', '--outDir', out],
    { cwd: root },
  )
  const files = (await readdir(out)).filter((file) => file.endsWith('.js'))
  assert.ok(files.includes('index.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(out, file), 'utf8')))
  for (const text of texts) {
    for (const [, from = ''] of text.matchAll(/from '([^']+)'/g)) assert.match(from, /^\.\//)
  }
  const manifest = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8')) as object
  assert.ok(!('dependencies' in manifest))
  // With its comments: a bundler takes less.
  assert.ok(gzipSync(texts.join('\n')).length <= 12_000, `${gzipSync(texts.join('\n')).length} bytes`)
})
