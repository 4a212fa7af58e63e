import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, stop, tillgateJson } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { order, versionOf } from '../../support/records.ts'
import { startReceiver } from '../../support/receiver.ts'
import { eventually } from '../../support/waiting.ts'

const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
const skip = probe.status === 0 ? false : 'needs the right to mount'

const reserveMiB = 60
const recipientId = 'b3a4f1f0-2f3c-5d0e-9c3f-0d1c2b3a4958'
const mebibyte = 2 ** 20

let pushes = 0

/** Pushes one order, a different one each time. */
async function push(
  url: string,
  key: string,
  location: string,
): Promise<{ status: number; code: string; retryAfter: string | null }> {
  pushes += 1
  const response = await fetch(`${url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(order(versionOf(location, pushes, 1))),
  })
  const { code } = (await response.json()) as { code: string }
  return { status: response.status, code, retryAfter: response.headers.get('retry-after') }
}

test(
  'a full disk refuses pushes while reads and deliveries continue, and accepts them again when it has space',
  {
    skip,
  },
  async () => {
    const disk = await mkdtemp(join(tmpdir(), 'tillgate-disk-'))
    assert.equal(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m,mode=755', 'none', disk]).status, 0)
    atEnd(async () => {
      spawnSync('umount', ['--lazy', disk])
      await rm(disk, { recursive: true, force: true })
    })
    const receiver = await startReceiver()
    const on = ['--data-dir', join(disk, 'data')]
    const webhooks = ['--allow-http', '--allow-address', '127.0.0.0/8', '--operations-address', 'off']
    const served = await serve([...on, ...webhooks, '--disk-reserve', String(reserveMiB)])
    const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro', ...on])
    const scope = ['--scope', 'read,ingest,webhooks']
    const { key } = await tillgateJson(['key', 'create', '--location', location, ...scope, ...on])
    assert.equal((await push(served.url, key, location)).status, 200)

    const filler = join(disk, 'filler')
    const { bavail, bsize } = await statfs(disk)
    await writeFile(filler, Buffer.alloc(bavail * bsize - (reserveMiB - 20) * mebibyte))
    await eventually(async () => (await push(served.url, key, location)).code === 'disk_low', 'pushes are refused')
    const refused = await push(served.url, key, location)
    assert.deepEqual([refused.status, refused.retryAfter], [503, '30'])
    assert.match(served.written.stderr, /"level":"error"[^\n]*pushes are refused because the disk is almost full/)

    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const read = await fetch(`${served.url}/v1/orders/`, { headers })
    assert.ok(((await read.json()) as { meta: { totalCount: number } }).meta.totalCount >= 1)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
    const post = async (path: string, body: unknown) =>
      (await fetch(`${served.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{
        id: string
      }>
    const webhook = { endpointUrl: receiver.url('/low'), events: ['order.created'], locationId: location, recipientId }
    const { id } = await post('/v1/webhooks/', webhook)
    await post(`/v1/webhooks/${id}/replay`, { sequence: 1 })
    await receiver.waitFor('/low', 1)

    await rm(filler)
    await eventually(async () => (await push(served.url, key, location)).status === 200, 'pushes are taken again')
    assert.match(served.written.stderr, /pushes are accepted again/)
    assert.equal((await stop(served)).code, 0)
  },
)
