import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { test } from 'node:test'
import { rolldown } from 'rolldown'
import { DatabaseSync } from 'node:sqlite'
import { clientDocs, clientDocsPath } from '../../../scripts/client-docs.ts'
import { clientTypes, clientTypesPath } from '../../../scripts/client-types.ts'
import { Tillgate } from '../../../client/src/index.ts'
import { launch, noChromium } from '../../support/console.ts'
import { findChromium } from '../../support/console-build.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { smallOrderOf } from '../../support/records.ts'

const root = join(import.meta.dirname, '../../..')
const run = promisify(execFile)
const work = await mkdtemp(join(tmpdir(), 'tillgate-client-'))
/** Where `npm install @tillgate/client` would put it. */
const installed = join(work, 'node_modules/@tillgate/client')
const out = join(installed, 'dist')
await cp(join(root, 'client'), installed, {
  recursive: true,
  filter: (path) => !/\/(node_modules|src|dist)$/.test(path),
})
const app = await startApp()
await app.store(Array.from({ length: 2_300 }, (_, i) => ({ type: 'order', data: smallOrderOf(app.location, i + 1) })))
atEnd(() => rm(work, { recursive: true, force: true }))

/** Finds a Node version that the client must support and the project does not use; undefined if none is installed. */
async function findOldNode(): Promise<string | undefined> {
  for (const program of ['/usr/bin/node', '/usr/local/bin/node']) {
    const version = await run(program, ['--version']).then(
      ({ stdout }) => stdout,
      () => '',
    )
    if (/^v2[0-3]\./.test(version)) return program
  }
  return undefined
}

const oldNode = await findOldNode()

test('the types of the client equal those of openapi.json', async () => {
  const description = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as Parameters<
    typeof clientTypes
  >[0]
  const written = await readFile(clientTypesPath, 'utf8')
  // The formatter breaks lines and removes empty parts, but does not change words and their order.
  const words = (text: string) => text.match(/\w+/g)
  assert.deepEqual(words(written), words(clientTypes(description)))
})

test('docs/client.md equals the doc comments (npm run make -- openapi writes it), and documents every method', async () => {
  const page = await readFile(clientDocsPath, 'utf8')
  assert.ok(page === clientDocs(), 'docs/client.md is stale')
  const { webhooks, key, console, admin } = new Tillgate({ url: 'http://x', key: 'x' })
  const owners = [Tillgate.prototype, ...[webhooks, key, console, admin].map((part) => Object.getPrototypeOf(part))]
  for (const owner of owners as object[]) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (name !== 'constructor') assert.match(page, new RegExp(`^- \`${name}[(<]`, 'm'), name)
    }
  }
})

test('the client compiles without the types of Node, and has no dependency', async () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, '-p', 'client/tsconfig.json', '--outDir', out], { cwd: root })
  const manifest = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8')) as object
  assert.ok(!('dependencies' in manifest))
})

/** Bundles the whole client into one file for browsers. */
async function bundle(format: 'esm' | 'iife') {
  const built = await rolldown({ input: join(root, 'client/src/index.ts'), platform: 'browser' })
  const { output } = await built.generate({ format, minify: true, name: 'client' })
  assert.equal(output.length, 1)
  return output[0]
}

test('a browser bundle needs nothing of Node, and is at most 12 kB', async () => {
  const { code, imports, dynamicImports } = await bundle('esm')
  assert.deepEqual([imports, dynamicImports], [[], []])
  assert.doesNotMatch(code, /node:|\bprocess\b|\bBuffer\b|\brequire\(/)
  const { length } = gzipSync(code)
  assert.ok(length <= 12_000, `${length} bytes`)
})

const chromium = findChromium()

test(
  'the client reads, pushes, follows the feed and verifies in a browser',
  { skip: chromium === undefined && noChromium },
  async () => {
    const { code } = await bundle('iife')
    const browser = await launch(chromium ?? '')
    atEnd(() => browser.close())
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    await page.goto(`${app.url}/openapi.json`)
    const found = await page.evaluate(
      `(async () => {
        ${code}
        const tillgate = new client.Tillgate({ url: location.origin, key: ${JSON.stringify(app.key)}, cache: new Map() })
        const found = []
        for await (const { id } of tillgate.orders({ size: 50, state: 'all' })) { found.push(id); if (found.length === 60) break }
        for await (const { type } of tillgate.events({ after: 0, transport: 'stream' })) { found.push(type); break }
        for await (const { status } of tillgate.ingest([{ type: 'order', data: await tillgate.order(found[0]) }])) found.push(status)
        found.push((await client.verifyWebhook('{}', {}, 'whsec_AAAA').catch((thrown) => thrown)).reason)
        found.push((await tillgate.order('x').catch((thrown) => thrown)).code)
        return found.slice(60)
      })()`,
    )
    assert.deepEqual(found, ['order.created', 'unchanged', 'header_missing', 'validation_failed'])
  },
)

const env = { ...process.env, TILLGATE_URL: app.url, TILLGATE_KEY: app.key }

/** Runs the example; it is killed this many milliseconds after its start, or as soon as it has written something. */
async function copyOnce(kill: 'never' | 'writing' | number): Promise<{ status: number | null; lines: string[] }> {
  const args = [join(installed, 'examples/sqlite-copy.js'), join(work, 'copy.db')]
  const child = spawn(process.execPath, args, { env, cwd: work, stdio: ['ignore', 'pipe', 'inherit'] })
  const timer = typeof kill === 'number' ? setTimeout(() => child.kill('SIGKILL'), kill) : undefined
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += String(chunk)
    if (kill === 'writing') child.kill('SIGKILL')
  })
  const [status] = (await once(child, 'close')) as [number | null]
  clearTimeout(timer)
  return { status, lines: text.trim().split('\n') }
}

test('the SQLite copy survives kills and equals the data of the server, and reports an incomplete copy', async () => {
  // The copy is killed at any moment: before a request, while it waits, in a transaction or between two transactions.
  for (const kill of [40, 80, 120, 160, 200, 240] as const) await copyOnce(kill)
  const killed = await copyOnce('writing')
  assert.ok(killed.status === null || killed.status === 0)
  const { status, lines } = await copyOnce('never')
  const result = JSON.parse(lines.at(-1) ?? '')
  assert.deepEqual([status, result.isComplete, result.missing], [0, true, { order: 0, report: 0 }])
  // The records written by the first run were not read again.
  assert.ok(result.applied < 2_300 * 2)
  const db = new DatabaseSync(join(work, 'copy.db'))
  const rows = db.prepare("select document from documents where kind = 'order' order by id").all()
  const theirs = rows.map(({ document }) => JSON.parse(String(document)) as { id: string })
  const tillgate = new Tillgate({ url: app.url, key: app.key })
  const ours = await Array.fromAsync(tillgate.orders({ state: 'all' }))
  assert.deepEqual(
    theirs,
    ours.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  db.exec('delete from documents where id = (select min(id) from documents)')
  db.close()
  const lacking = await copyOnce('never')
  assert.deepEqual([lacking.status, JSON.parse(lacking.lines.at(-1) ?? '').missing], [1, { order: 1, report: 0 }])
})

test(
  'the installed client runs on Node 20',
  { skip: oldNode === undefined && 'there is no Node 20 to 23' },
  async () => {
    const script = `
    import { Tillgate, TillgateError, verifyWebhook } from '@tillgate/client'
    const tillgate = new Tillgate({ url: process.env.TILLGATE_URL, key: process.env.TILLGATE_KEY })
    const found = []
    for await (const order of tillgate.orders({ size: 50, state: 'all' })) { found.push(order.id); if (found.length === 60) break }
    for await (const event of tillgate.events({ after: 0 })) { found.push(event.id); if (found.length === 63) break }
    for await (const { status } of tillgate.ingest([{ type: 'order', data: await tillgate.order(found[0]) }])) found.push(status)
    const error = await tillgate.order('00000000-0000-4000-8000-000000000000').catch((thrown) => thrown)
    if (error instanceof TillgateError) found.push(error.code)
    const refused = await verifyWebhook('{}', {}, 'whsec_AAAA').catch((thrown) => thrown)
    found.push(refused.reason)
    console.log(JSON.stringify(found.slice(63)))
    process.exit(0)`
    await writeFile(join(work, 'script.mjs'), script)
    const { stdout } = await run(oldNode ?? '', [join(work, 'script.mjs')], { env, cwd: work })
    assert.deepEqual(JSON.parse(stdout), ['unchanged', 'order_not_found', 'header_missing'])
  },
)
