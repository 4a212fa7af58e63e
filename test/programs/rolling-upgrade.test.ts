import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, start, stop, tillgate, tillgateJson, toUrl } from '../support/cli.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { makeNextVersion } from '../support/next-version.ts'
import { linesOf, order, versionOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const { connection } = await createDatabase({ empty: true })

test('two versions serve one database at once: each push is accepted, stored and delivered once, in order', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-rolling-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const later = await makeNextVersion(folder)

  const received: { id: string; resource: string; sequence: number }[] = []
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, sequence, data } = JSON.parse(Buffer.concat(chunks).toString())
      received.push({ id, sequence, resource: data.id })
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  atEnd(async () => void receiver.close())

  const env = {
    DATABASE_URL: toUrl(connection),
    TILLGATE_OPERATIONS_ADDRESS: 'off',
    TILLGATE_ALLOW_HTTP: 'true',
    TILLGATE_ALLOW_ADDRESS: '127.0.0.0/8',
  }
  const former = await serve([], { env })
  const urls = [former.url]
  const { id } = await tillgateJson(['location', 'create', '--name', 'Rolling'], { env })
  const { key } = await tillgateJson(['key', 'create', '--location', id, '--scope', 'read,ingest,webhooks'], { env })
  const headers = { 'x-api-key': key }
  const hook = await fetch(`${urls[0]}/v1/webhooks/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      events: ['order.created', 'order.updated'],
      endpointUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
      locationId: id,
      recipientId: id,
    }),
  })
  assert.equal(hook.status, 201, await hook.text())

  const acknowledged = new Set<number>()
  let pushed = 0
  const push = async (url: string) => {
    const body = linesOf([order(versionOf(id, 1 + (pushed % 5), 1 + Math.floor(pushed++ / 5)))])
    const answer = await fetch(`${url}/v1/ingest/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body,
    })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    acknowledged.add(JSON.parse(text).results[0].sequence)
  }
  for (let n = 0; n < 20; n++) await push(urls[0] as string)
  // The new version migrates the database while the old version serves requests.
  const next = start(process.execPath, [later, 'serve', '--port', '0', '--json'], { env, cwd: folder })
  await eventually(() => next.written.stdout.includes('\n'), 'the next version listens')
  urls.push(JSON.parse(next.written.stdout.split('\n', 1)[0] as string).url as string)
  for (let n = 0; n < 80; n++) await push(urls[n % 2] as string)
  for (const url of urls) {
    const head = (await (await fetch(`${url}/v1/journal/head`, { headers })).json()) as { sequence: number }
    assert.ok(head.sequence >= acknowledged.size, 'both read what both wrote')
  }
  assert.equal((await stop(former)).code, 0, former.written.stderr)
  for (let n = 0; n < 20; n++) await push(urls[1] as string)
  assert.equal(acknowledged.size, 120)
  await eventually(() => new Set(received.map(({ id: of }) => of)).size === 120, 'all is delivered', 60_000)
  const { data } = (await (await fetch(`${urls[1]}/v1/events/?limit=1000`, { headers })).json()) as { data: any[] }
  const orders = data.filter(({ type }) => type === 'order.created' || type === 'order.updated')
  assert.deepEqual(new Set(received.map(({ id: of }) => of)), new Set(orders.map(({ id: of }) => of)))
  const last = new Map<string, number>()
  const seen = new Set<string>()
  for (const { id: of, resource, sequence } of received) {
    if (seen.has(of)) continue
    seen.add(of)
    assert.ok(sequence > (last.get(resource) ?? 0), 'events of one order arrive in order')
    last.set(resource, sequence)
  }
  assert.doesNotMatch(former.written.stderr, /"level":"error"/)
  await stop(next)
  const ofNext = async (args: string[]) =>
    start(process.execPath, [later, ...args, '--json'], { env, cwd: folder }).ended
  assert.equal((await ofNext(['verify'])).code, 0)
  assert.deepEqual(JSON.parse((await ofNext(['loss', 'list'])).stdout), [])
  const { code, stderr } = await tillgate(['verify', '--json'], { env })
  assert.deepEqual(
    [code, JSON.parse(stderr).error.code],
    [2, 'database_too_new'],
    'there is no way down but its backup',
  )
})
