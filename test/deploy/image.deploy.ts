import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { start, stop } from '../support/cli.ts'
import { needsRoot, run } from '../support/tools.ts'
import { eventually } from '../support/waiting.ts'

const top = join(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-image-'))
const root = join(folder, 'root')

after(async () => {
  for (const place of ['proc', 'dev']) spawnSync('umount', ['--lazy', join(root, place)])
  await rm(folder, { recursive: true, force: true })
})

describe('the image', needsRoot('mmdebstrap', 'buildah', 'skopeo', 'strip'), () => {
  test('is built by one command, has 100 MB at most, and runs as 65532', async () => {
    const env = { ...process.env, ROOT: root }
    await run('sh', [join(top, 'deploy/image/build.sh'), folder], { env, maxBuffer: 2 ** 26 })
    const archive = join(folder, 'tillgate-image.tar')
    const { size } = await stat(archive)
    assert.ok(size < 100 * 1000 * 1000, `${size} bytes`)
    const { stdout } = await run('skopeo', ['inspect', '--config', `oci-archive:${archive}`])
    const { config } = JSON.parse(stdout)
    assert.deepEqual([config.User, config.Entrypoint, config.Cmd], ['65532:65532', ['/usr/bin/tillgate'], ['serve']])
  })

  test('runs from its files alone, with a database of its own', async () => {
    // What every engine puts there.
    await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
    await run('mount', ['--bind', '/dev', join(root, 'dev')])
    const program = ['--userspec=65532:65532', root, '/usr/bin/tillgate', 'serve', '--sample', '--json', '--port', '0']
    const served = start('chroot', [...program, '--data-dir', '/var/lib/tillgate', '--operations-address', 'off'])
    await eventually(() => served.written.stdout.includes('\n'), `it listens: ${served.written.stderr}`, 60_000)
    const { url, key } = JSON.parse(served.written.stdout)
    assert.equal((await fetch(`${url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })).status, 200)
    for (const path of ['/console/', '/docs/webhooks']) assert.equal((await fetch(`${url}${path}`)).status, 200, path)
    assert.equal((await stop(served)).code, 0)
  })
})
