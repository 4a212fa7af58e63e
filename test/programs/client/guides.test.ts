import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'node:test'
import { toUrl } from '../../support/cli.ts'
import { makeDownloads } from '../../../scripts/downloads.ts'
import { serve } from '../../support/cli.ts'
import { createApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { order, orderOf } from '../../support/records.ts'
import { blocksOf, fits, type Block } from '../../support/guide-blocks.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)

/** Pages whose blocks are run one after another, as a partner does, each in its own directory without files of ours. */
const pages = [
  'docs/url-and-key.md',
  'docs/first-order.md',
  'docs/push-from-a-till.md',
  'docs/trusted-webhooks.md',
  'docs/from-another-api.md',
  'docs/keep-a-copy.md',
  'docs/mcp.md',
]

const work = await mkdtemp(join(tmpdir(), 'tillgate-guides-'))
atEnd(() => rm(work, { recursive: true, force: true }))
const database = await createDatabase()
const data = join(work, 'data')
const args = [
  '--sample',
  '--data-dir',
  data,
  '--allow-http',
  '--allow-address',
  '127.0.0.1/32',
  '--operations-address',
  'off',
]
const env = { DATABASE_URL: toUrl(database.connection) }
const [server] = await Promise.all([serve(args, { env }), makeDownloads(join(root, 'dist/downloads'))])
const key = (await readFile(join(data, 'sample.key'), 'utf8')).trim()

/** Returns whether this test replaces a command, because it takes minutes and is tested elsewhere. */
const setups = (text: string) =>
  text === 'npm ci && npm run -s quickstart\n' ||
  text.startsWith('tillgate location create --name Test\ntillgate key create ')

async function freePort(): Promise<number> {
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  listening.close()
  await once(listening, 'close')
  return port
}

type Step = { block: Block; output: Block | undefined }

/** Returns the blocks to run, each with its expected output. Writes other blocks to files, or refuses them. */
async function prepare(page: string, folder: string, adapted: (text: string) => string): Promise<Step[]> {
  const steps: Step[] = []
  const blocks = blocksOf(page)
  for (const [i, block] of blocks.entries()) {
    const { role, text, line } = block
    const [, file] = /^file: ([\w.-]+)$/.exec(role) ?? []
    const [, part] = /^part of ([\w./-]+)$/.exec(role) ?? []
    if (file !== undefined) {
      await writeFile(join(folder, file), adapted(text))
      assert.ok(
        blocks.slice(i).some((later) => later.language === 'sh' && later.text.includes(file)),
        `${page}:${line}: nothing runs ${file}`,
      )
    } else if (part !== undefined) {
      assert.ok((await readFile(join(root, part), 'utf8')).includes(text), `${page}:${line} is not in ${part}`)
    } else if (role === 'configuration') {
      assert.doesNotThrow(() => JSON.parse(text), `${page}:${line}`)
    } else if (role === 'setup') {
      assert.ok(setups(text), `${page}:${line}: the test does not know this setup`)
    } else if (role === 'output') {
      const before = steps.at(-1)
      assert.ok(before && before.output === undefined, `${page}:${line}: no command printed this`)
      before.output = block
    } else {
      assert.ok(role === 'run' || role.startsWith('serves: '), `${page}:${line}: nothing is done with this block`)
      steps.push({ block, output: undefined })
    }
  }
  return steps
}

const mark = '=== end of block'

/** Writes a script that runs all blocks in one shell, so that variables and jobs are kept. */
function toScript(steps: readonly Step[], adapted: (text: string) => string): string {
  const parts = steps.map(({ block: { text, role } }, i) => {
    const [, port] = /^serves: (\d+)$/.exec(role) ?? []
    const answers = `until curl -so /dev/null http://127.0.0.1:${port}/; do sleep 0.05; done\n`
    return adapted(`${text}${port === undefined ? '' : answers}`) + `printf '\\n%s\\n' '${mark} ${i}'\n`
  })
  return `set -uo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n${parts.join('')}`
}

/** These pages push. With a live key, as of a restaurant in operation, their commands must store nothing. */
for (const page of ['docs/first-order.md', 'docs/push-from-a-till.md', 'docs/trusted-webhooks.md']) {
  test(`with a live key the blocks of ${page} change nothing`, async () => {
    const { pool } = database
    const location = await addLocation(pool)
    const grant = { locationId: location, name: 'live', recipientId: null, expiresAt: null }
    const { key: live } = await createApiKey(
      pool,
      'live',
      { ...grant, scopes: ['read', 'webhooks', 'ingest'] },
      new Date(),
    )
    const headers = { 'x-api-key': live, 'content-type': 'application/json' }
    const own = await fetch(`${server.url}/v1/ingest/`, {
      method: 'POST',
      headers,
      body: JSON.stringify(order(orderOf(location, 1))),
    })
    assert.equal(own.status, 200, await own.text())
    const head = async () => (await fetch(`${server.url}/v1/journal/head`, { headers })).json()
    const before = await head()
    const folder = join(work, `live-${page.replaceAll('/', '-')}`)
    await mkdir(folder)
    const port = await freePort()
    const adapted = (text: string) =>
      text
        .replaceAll('https://pos.example', server.url)
        .replaceAll(/tg_(live|test)_…/g, live)
        .replaceAll(/\b3000\b/g, String(port))
        // Requests that never finish are reduced, because this test does not wait for them.
        .replaceAll('seq 200', 'seq 2')
    const steps = await prepare(page, folder, adapted)
    const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
    const env = { ...process.env, PATH: path, NODE_NO_WARNINGS: '1', PATIENCE_MS: '100' }
    const script = toScript(steps, adapted)
      .replace('set -uo pipefail', '')
      .replaceAll(/until curl.*done\n/g, '')
    const { stdout, stderr } = await run('bash', ['-c', script], { cwd: folder, timeout: 300_000, env })
    assert.match(stdout, /KEY is not a test key/, stderr)
    assert.deepEqual(await head(), before)
  })
}

for (const page of pages) {
  test(`every block of ${page} runs, and prints what the page shows`, async () => {
    const folder = join(work, page.replaceAll('/', '-'))
    await mkdir(folder)
    const port = await freePort()
    const adapted = (text: string) =>
      text
        .replaceAll('https://pos.example', server.url)
        .replaceAll(/tg_(live|test)_…/g, key)
        .replaceAll('https://hooks.example', `http://127.0.0.1:${port}`)
        .replaceAll(/\b3000\b/g, String(port))
    const steps = await prepare(page, folder, adapted)
    const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
    const options = { cwd: folder, timeout: 300_000, env: { ...process.env, PATH: path, NODE_NO_WARNINGS: '1' } }
    const { stdout, stderr } = await run('bash', ['-c', toScript(steps, adapted)], options)
    const printed = stdout.split(new RegExp(`\\n${mark} \\d+\\n`))
    for (const [i, { block, output }] of steps.entries()) {
      const text = printed[i] ?? ''
      const at = `${page}:${block.line}: ${block.text}\n${text}\n${stderr.replaceAll(/^.*\r.*$|^ *% Total.*$|^ +Dload.*$/gm, '').slice(-1500)}`
      assert.ok(i < printed.length - 1, at)
      if (output) assert.ok(fits(adapted(output.text), text), `${page}:${output.line} is not what was printed: ${at}`)
    }
  })
}
