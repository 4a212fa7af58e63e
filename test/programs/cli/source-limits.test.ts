import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, stop, tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { needs } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

const secret = 'user:SECRET OF THE MACHINE\nsecond line of it'
const folder = mkdtempSync(join(tmpdir(), 'tillgate-source-limits-'))
atEnd(async () => rmSync(folder, { recursive: true }))
const file = join(folder, 'secret')
writeFileSync(file, secret)
const allowed = join(folder, 'sources')
mkdirSync(allowed)
writeFileSync(join(allowed, 'token'), 'user:token')

/** All requests that arrive are recorded; none gets a successful response. */
const received: string[] = []
const receiver = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    received.push(`${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(parts).toString()}`)
    response.statusCode = 403
    response.end('no')
  })
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
atEnd(async () => void receiver.close())
const evil = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
const open = ['--allow-http', '--allow-address', '127.0.0.0/8']

async function installation() {
  const { pool, connection } = await createDatabase()
  return { pool, at: ['--database-url', toUrl(connection)] }
}

const stateOf = async ({ pool }: Pick<Awaited<ReturnType<typeof installation>>, 'pool'>, id: string) =>
  (
    await pool<{ state: string; error: string | null }[]>`
    select state, last_error as error from sources where id = ${id}`
  )[0]

const one = await installation()
const { id: location } = await tillgateJson(['location', 'create', '--name', 'Pub', ...one.at])
const toast = (of: string) => ['source', 'add', 'toast', '--location', of, '--account', 'A', '--token', `file:${file}`]
const { id } = await tillgateJson([...toast(location), '--base-url', evil, '--start', ...one.at])
const backup = join(folder, 'backup')
await tillgateJson(['backup', backup, ...one.at])

test('a restored installation reads no secret and sends no request until a source is resumed, and reports this', async () => {
  const two = await installation()
  const { code, stderr } = await tillgate(['restore', backup, ...two.at])
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Paused 1 source, .*tillgate source list, then run tillgate source resume/)
  assert.deepEqual(await stateOf(two, id), { state: 'paused', error: null })
  const [row] = await two.pool<{ due: Date | null }[]>`select due_at as due from sources`
  assert.equal(row?.due, null)
  const three = await installation()
  const restored = await tillgateJson(['restore', backup, '--location', location, ...three.at])
  assert.equal(restored.sources, 1)
  assert.equal((await stateOf(three, id))?.state, 'paused')
})

test('a file named in a row is read only if a setting of the machine allows it', needs('mkfifo'), async () => {
  const { pool, at } = await installation()
  const sources = ['--source-secrets-dir', allowed]
  const { id: of } = await tillgateJson(['location', 'create', '--name', 'Pub', ...at])
  const added = await tillgate([...toast(of), '--base-url', evil, ...at, ...sources, '--json'])
  assert.equal(added.code, 0, added.stderr)
  assert.match(
    added.stderr,
    /With the settings of this process, the source cannot be read: .*must be env:SOURCE_… or file:/,
  )
  assert.match(added.stderr, /is not allowed: its secret/)
  const source = JSON.parse(added.stdout).id as string
  execFileSync('mkfifo', [join(allowed, 'pipe')])
  symlinkSync(file, join(allowed, 'link'))
  symlinkSync(join(allowed, 'token'), join(allowed, 'inside'))
  mkdirSync(`${allowed}-of-others`)
  writeFileSync(join(`${allowed}-of-others`, 'token'), secret)
  const check = async (reference: string, url: string | null, more: string[] = []) => {
    await pool`update sources set secret = ${reference}, base_url = ${url} where id = ${source}`
    const { code, stderr } = await tillgate(['source', 'check', source, ...at, ...open, ...sources, ...more], {
      env: { SOURCE_TOAST: 'user:token', HOME_SECRET: 'user:secret' },
    })
    assert.equal(code, 2, stderr)
    return stderr
  }
  received.length = 0
  const ofMine = ['--source-urls', evil]
  const refused: [string, RegExp][] = [
    [`file:${file}`, /a secret must be env:SOURCE_… or file:/],
    [`file:${allowed}/../secret`, /a secret must be/],
    [`file:${allowed}-of-others/token`, /a secret must be/],
    [`file:${allowed}/link`, /is outside /],
    [`file:${allowed}/pipe`, /is not a file/],
    [`file:${allowed}/`, /a secret must be/],
    ['file:/etc/passwd', /a secret must be/],
    ['file:/dev/zero', /a secret must be/],
    ['env:HOME_SECRET', /a secret must be/],
    ['env:DATABASE_URL', /a secret must be/],
    ['env:PATH', /a secret must be/],
    ['user:token', /a secret must be a reference/],
  ]
  for (const [reference, says] of refused) assert.match(await check(reference, evil, ofMine), says, reference)
  const addresses = [
    evil,
    `${evil}@ws-api.toasttab.com`,
    'http://user@127.0.0.1:1',
    `${evil}/path`,
    'file:///etc/passwd',
    'https://ws-api.toasttab.com.evil.example',
    'http://ws-api.toasttab.com',
  ]
  for (const url of addresses)
    assert.match(await check(`file:${allowed}/token`, url), /is not allowed: its secret|The scheme must be/, url)
  assert.deepEqual(received, [], 'no request was sent')
  for (const reference of [`file:${allowed}/token`, `file:${allowed}/inside`, 'env:SOURCE_TOAST']) {
    await check(reference, `${evil}/`, ofMine)
    assert.match(received.pop() ?? '', /"clientId":"user","clientSecret":"token"/, reference)
  }
})

test('a server stops a source whose secret or address it does not allow, and sends nothing', async () => {
  const two = await installation()
  await tillgate(['restore', backup, '--deliver', ...two.at])
  received.length = 0
  const server = await serve([...two.at, ...open])
  try {
    await eventually(async () => (await stateOf(two, id))?.state === 'stopped', 'the source is stopped')
    assert.match((await stateOf(two, id))?.error ?? '', /is not allowed: its secret|a secret must be/)
    await two.pool`update sources set base_url = null, state = 'active', due_at = now() where id = ${id}`
    await eventually(async () => /a secret must be/.test((await stateOf(two, id))?.error ?? ''), 'stopped again')
  } finally {
    await stop(server)
  }
  assert.deepEqual(received, [])
})
