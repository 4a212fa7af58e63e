import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsOn, createDataDir, serve, stop, tillgateJson } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'
import { FakeSquare } from '../../modules/sources/fake-square.ts'
import { startFake, VirtualClock } from '../../modules/sources/faults.ts'

const secret = 'EAAAl-secret-of-the-shop'
const folder = mkdtempSync(join(tmpdir(), 'tillgate-source-cli-'))
const file = join(folder, 'token')
writeFileSync(file, `${secret}\n`)

// The shop has been open for two days, until now, without a fault.
const clock = new VirtualClock(new Date(Date.now() - 2 * 86_400_000).toISOString())
const shop = new FakeSquare(7, clock)
for (let i = 0; i < 60; i++) {
  clock.advance(45 * 60_000)
  shop.act()
}
shop.settle()
clock.ms = Date.now()
const fake = await startFake(shop, { seed: 7, clock })
fake.calm()
fake.token = secret

const dataDir = await createDataDir({ filled: true })
const on = ['--data-dir', dataDir]
const { run, json, refuses } = commandsOn({}, on)
const open = [
  '--allow-http',
  '--allow-address',
  '127.0.0.0/8',
  '--source-secrets-dir',
  folder,
  '--source-urls',
  fake.url,
]
const server = await serve([...on, ...open])
atEnd(async () => {
  await stop(server)
  await fake.close()
})
const place = ['--currency', 'GBP', '--time-zone', 'Europe/London']
const { id: location } = await json`location create --name Pub ${place}`
const { key } = await json`key create --location ${location} --scope read`
const given = ['--location', location, '--account', shop.account, '--base-url', fake.url, ...on]

const totalOf = async (): Promise<number> => {
  const answer = await fetch(`${server.url}/v1/orders/?state=all&size=1`, { headers: { 'x-api-key': key } })
  return ((await answer.json()) as { meta: { totalCount: number } }).meta.totalCount
}

/** Counts the orders of the shop that become orders here. */
const sold = () => shop.state().filter(({ location_id }) => location_id === shop.account).length

const { id } = await tillgateJson([
  'source',
  'add',
  'square',
  ...given,
  '--token',
  `file:${file}`,
  '--source-secrets-dir',
  folder,
])

test('a new source stores nothing; check shows yesterday next to the statement of the system', async () => {
  const preview = await json`source check ${id} ${open}`
  assert.equal(preview.paidHere, preview.paidThere)
  assert.ok(preview.paidThere > 0)
  assert.deepEqual(preview.refused, [])
  assert.equal(await totalOf(), 0)
  assert.equal((await json`source list`)[0].state, 'paused')
  await refuses(/"source_inactive".*the source is paused: run tillgate source resume/)`source run ${id} --json ${open}`
})

test('source resume lets the server read the source; source run reads it now', async () => {
  await json`source resume ${id}`
  await eventually(async () => (await totalOf()) === sold(), 'the server has read the shop')
  await eventually(async () => (await json`source list`)[0].lastSuccessAt !== null, 'the run has ended well')
  const again = await json`source run ${id} ${open}`
  assert.deepEqual([again.outcome, again.accepted, again.error], ['done', 0, null])
  const feed = await fetch(`${server.url}/v1/events/`, { headers: { 'x-api-key': key } })
  assert.deepEqual(
    ((await feed.json()) as { data: { type: string }[] }).data
      .map(({ type }) => type)
      .filter((type) => type.startsWith('order')),
    [],
  )
})

test('a token without permission stops the source, with the reason and without the token, and resume continues', async () => {
  fake.token = 'another'
  const failed = await run`source run ${id} --json ${open}`
  assert.equal(failed.code, 1)
  const { outcome, error } = JSON.parse(failed.stdout) as { outcome: string; error: string }
  assert.equal(outcome, 'stopped')
  assert.match(error, /401 Unauthorized/)
  assert.equal((await json`source list`)[0].state, 'stopped')
  fake.token = secret
  await json`source resume ${id}`
  await eventually(async () => (await json`source list`)[0].failures === 0, 'it is well again')
})

test('only one process reads a source at a time', async () => {
  fake.silence(true)
  const before = fake.requests
  await json`source resume ${id}`
  await eventually(async () => fake.requests > before, 'the server has sent requests')
  assert.match((await run`source run ${id} --json ${open}`).stderr, /"source_running"/)
  fake.silence(false)
})

/** Reads a file of a running server, which may have been removed since it was listed. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

test('the secret is in no answer, log, journal or backup', async () => {
  const target = join(folder, 'backup')
  await json`backup ${target}`
  const exported = await run`export -`
  const texts = [server.written.stdout, server.written.stderr, exported.stdout, JSON.stringify(await json`source list`)]
  for (const text of texts) assert.ok(!text.includes(secret))
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  files.push(...readdirSync(target, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()))
  assert.ok(files.length > 100)
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? Infinity
    if (size <= 64 * 1024 * 1024) assert.ok(!bytesOf(path).includes(secret), path)
  }
})

test('every mistake has an error that states what to change', async () => {
  const add = (...more: string[]) => run`source add ${more}`
  const base = ['--location', location, '--account', 'L1']
  const wrong: [string[], RegExp][] = [
    [['clover', ...base, '--token', 'env:A'], /the source must be one of square.*, not "clover"/],
    [['square', ...base, '--token', 'EAAAl-abc'], /--token: a secret must be a reference: env:NAME or file:\/path/],
    [['square', ...base, '--token', 'file:token'], /--token: file: must be followed by an absolute path/],
    [['square', ...base, '--token', 'env:A', '--every', '0'], /--every must be a whole number from 1 to 1440/],
    [
      ['square', ...base, '--token', 'env:A', '--base-url', 'ftp://x'],
      /--base-url: The scheme must be https or http, not ftp/,
    ],
  ]
  for (const [args, sentence] of wrong) {
    const { code, stderr } = await add(...args)
    assert.equal(code, 2)
    assert.match(stderr, sentence)
  }
  const errorOf = async (...args: string[]) => (await run`source ${args} --json`).stderr
  assert.match(await errorOf('pause', location), /"source_not_found"/)
  // No service on this machine is called unless the settings allow it.
  assert.match(await errorOf('check', id), /"source_failed".*the URL .* of the source is not allowed: its secret/)
})

test('source pause pauses a source, and source delete deletes it', async () => {
  assert.deepEqual(await json`source pause ${id}`, { id, state: 'paused' })
  assert.deepEqual(await json`source delete ${id}`, { id })
  assert.deepEqual(await json`source list`, [])
  assert.equal(await totalOf(), sold())
})
