import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { modules, chooseModules } from '../../src/modules/all.ts'
import { createDataDir, start, tillgate } from '../support/cli.ts'
import { order, smallOrderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const root = join(import.meta.dirname, '../..')

/** The environment without the loader that replaces the program's sources with the bundled program. */
const asSources = { NODE_OPTIONS: '' }

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

type Server = { url: string; stop(): Promise<void> }

async function serve(dataDir: string, env: Record<string, string>): Promise<Server> {
  const args = ['src/main.ts', 'serve', '--json', '--port', '0', '--operations-address', 'off', '--data-dir', dataDir]
  const running = start(process.execPath, args, { env: { ...asSources, ...env }, input: null })
  await eventually(async () => running.written.stdout.includes('\n'), 'the line of the server', 60_000)
  const { url } = JSON.parse(running.written.stdout.split('\n', 1)[0] ?? '') as { url: string }
  return {
    url,
    async stop() {
      running.child.kill('SIGTERM')
      const { code } = await running.ended
      assert.equal(code, 0, running.written.stderr)
    },
  }
}

/** Returns the program files that a process loaded, as written by V8 to a folder at its end. */
function loadedFiles(folder: string): string[] {
  const urls = readdirSync(folder).flatMap((file) => {
    const { result } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }
    return result.map(({ url }) => url)
  })
  const own = urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url))
  return own.flatMap((path) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : []))
}

const isOfModule = (path: string) => /^(src\/modules\/[^/]+\/|connectors\/|simulator\/)/.test(path)

async function makeKey(dataDir: string): Promise<{ id: string; key: string }> {
  const place = ['--data-dir', dataDir, '--json']
  const { id } = JSON.parse((await tillgate(['location', 'create', '--name', 'Alone', ...place])).stdout) as {
    id: string
  }
  const args = ['key', 'create', '--location', id, '--scope', 'read,ingest,webhooks', ...place]
  const { key } = JSON.parse((await tillgate(args)).stdout) as { key: string }
  return { id, key }
}

test('without modules a server loads none of their files, serves the contract and refuses the rest by name', async () => {
  const dataDir = await createDataDir()
  const { id, key } = await makeKey(dataDir)
  const coverage = mkdtempSync(join(tmpdir(), 'tillgate-loaded-'))
  folders.push(coverage)
  const server = await serve(dataDir, { TILLGATE_MODULES: 'none', NODE_V8_COVERAGE: coverage })
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}${path}`, { ...init, headers })
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> & { detail?: string } }
  }
  const push = (record: unknown) => ask('/v1/ingest/', { method: 'POST', body: JSON.stringify(record) })
  try {
    const sale = order(smallOrderOf(id, 1))
    assert.equal((await push(sale)).body['accepted'], 1)
    for (const path of ['/health/', '/v1/orders/', '/v1/reports/', '/v1/locations/own', '/v1/events/']) {
      assert.equal((await ask(path)).status, 200, path)
    }
    const sales = await ask('/v1/sales/')
    assert.equal(sales.status, 404)
    assert.match(sales.body.detail ?? '', /modules are off .*figures/)
    const ticket = await push({ type: 'ticket', data: {} })
    assert.match(JSON.stringify(ticket.body), /ticket belongs to the module sources, which is off/)
    const feed = await ask('/v1/events/?types=day.completed')
    assert.match(JSON.stringify(feed.body), /day\.completed belongs to the module figures, which is off/)
    const webhook = await ask('/v1/webhooks/', {
      method: 'POST',
      body: JSON.stringify({ endpointUrl: 'https://receiver.example/', events: ['batch.created'] }),
    })
    assert.match(JSON.stringify(webhook.body), /batch\.created belongs to the module books, which is off/)
    const whole = await ask('/v1/orders/?require=complete')
    assert.equal(whole.status, 400)
    assert.match(JSON.stringify(whole.body), /module figures.* is off/)
    const document = await ask('/openapi.json')
    assert.ok(!JSON.stringify(document.body).includes('/v1/sales/'))
  } finally {
    await server.stop()
  }
  const loaded = loadedFiles(coverage)
  assert.ok(loaded.includes('src/core/contract/orders/routes.ts'), 'the coverage has the files of the program')
  assert.deepEqual(loaded.filter(isOfModule), [])

  // Once the module is switched on, it has the figures of the records pushed before.
  const whole = await serve(dataDir, {})
  try {
    const headers = { 'x-api-key': key }
    await eventually(async () => {
      const answer = await fetch(`${whole.url}/v1/sales/?since=2026-03-01&until=2026-03-31`, { headers })
      const { totals } = (await answer.json()) as { totals?: { orders: number } }
      return answer.status === 200 && totals?.orders === 1
    }, 'the sale in the figures')
  } finally {
    await whole.stop()
  }
})

test('commands, settings and flags of a disabled module are refused by name', async () => {
  const env = { ...asSources, TILLGATE_MODULES: 'none' }
  const command = await tillgate(['books', '--json'], { env })
  assert.equal(command.code, 2)
  const { error } = JSON.parse(command.stderr) as { error: { code: string; message: string } }
  assert.deepEqual([error.code, /module books, which is off/.test(error.message)], ['module_off', true])
  const flag = await tillgate(['serve', '--source-urls', 'https://a.example', '--json'], { env })
  assert.match(flag.stderr, /--source-urls belongs to the module sources, which is off/)
  const dataDir = await createDataDir()
  const variable = await tillgate(['location', 'list', '--data-dir', dataDir], {
    env: { ...env, TILLGATE_SOURCE_URLS: 'https://a.example' },
  })
  assert.match(variable.stderr, /TILLGATE_SOURCE_URLS belongs to the module sources, which is off/)
})

test('a selection of modules lists them, with those that they need', async () => {
  assert.equal(chooseModules(undefined).on.length, modules.length)
  assert.deepEqual(chooseModules('none').on, [])
  assert.match(chooseModules('figurs').fault ?? '', /"figurs" is not a module: use figures, /)
  assert.match(chooseModules('books').fault ?? '', /books requires figures/)
  const { on } = chooseModules(' warnings, figures ')
  assert.deepEqual(
    on.map(({ name }) => name),
    ['figures', 'warnings'],
  )
  const wrong = await tillgate(['location', 'list'], { env: { ...asSources, TILLGATE_MODULES: 'books' } })
  assert.deepEqual([wrong.code, /books requires figures/.test(wrong.stderr)], [2, true])
})

test('the list contains the events, records and scopes of each module, and each module has its folder', async () => {
  for (const { name, names = [], load } of modules) {
    const module = await load()
    assert.equal(module.name, name)
    const own = [module.records, module.pushed, ...Object.values(module.kinds ?? {}).map(({ events }) => events)]
    const all = [...own.flatMap((part) => Object.keys(part ?? {})), ...(module.scopes ?? [])]
    assert.deepEqual([...names].toSorted(), all.toSorted(), name)
  }
  const found = globSync(['src/modules/*/module.ts', '{connectors,simulator}/module.ts'], { cwd: root })
  assert.equal(found.length, modules.length)
})
