import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { start, stop } from '../../support/cli.ts'
import { addMigration } from '../../support/next-version.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-image-'))
const root = join(folder, 'root')

/** Places in the image where something is mounted, in order. */
const mounted: string[] = []

/** Returns the arguments of chroot for a command of the program, as the image runs it. */
const tillgate = (...args: string[]) => {
  const data = args.includes('--data-dir') ? [] : ['--data-dir', '/var/lib/tillgate']
  return ['--userspec=65532:65532', root, '/usr/bin/tillgate', ...args, '--json', ...data]
}

async function mount(place: string, ...args: string[]): Promise<void> {
  await run('mount', [...args, join(root, place)])
  mounted.push(place)
}

after(async () => {
  for (const place of [...mounted].toReversed()) spawnSync('umount', ['--lazy', join(root, place)])
  await rm(folder, { recursive: true, force: true })
})

describe('the image', needsRoot('mmdebstrap', 'buildah', 'skopeo', 'strip'), () => {
  test('is built by one command, has at most 100 MB, and runs as 65532', async () => {
    const env = { ...process.env, ROOT: root }
    await run('sh', [join(top, 'deploy/image/build.sh'), folder], { env, maxBuffer: 2 ** 26 })
    const archive = join(folder, 'tillgate-image.tar')
    const { size } = await stat(archive)
    assert.ok(size < 100 * 1000 * 1000, `${size} bytes`)
    // A new volume gets the owner of its place in the image.
    await run('sh', ['-c', `mkdir oci && tar -xf tillgate-image.tar -C oci`], { cwd: folder })
    const list = 'for blob in oci/blobs/sha256/*; do tar -tvzf "$blob" 2>/dev/null || true; done'
    const { stdout: entries } = await run('sh', ['-c', list], { cwd: folder, maxBuffer: 2 ** 26 })
    assert.match(entries, /^drwx------ 65532\/65532 .* var\/lib\/tillgate\/$/m)
    const { stdout } = await run('skopeo', ['inspect', '--config', `oci-archive:${archive}`])
    const { config } = JSON.parse(stdout)
    assert.deepEqual([config.User, config.Entrypoint, config.Cmd], ['65532:65532', ['/usr/bin/tillgate'], ['serve']])
  })

  test('runs from its files alone, with its own database, where only its data and /tmp are writable', async () => {
    const data = join(folder, 'data')
    await mkdir(data)
    await chown(data, 65_532, 65_532)
    await mount('', '--bind', root)
    // Every container engine mounts these.
    await mount('proc', '-t', 'proc', 'proc')
    await mount('dev', '--bind', '/dev')
    await mount('tmp', '-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs')
    await mount('var/lib/tillgate', '--bind', data)
    await run('mount', ['-o', 'remount,ro,bind', root])
    await assert.rejects(
      run('chroot', [root, '/bin/sh', '-c', ': > /usr/lib/tillgate/written']),
      /Read-only file system/,
    )
    const served = start('chroot', tillgate('serve', '--sample', '--port', '0', '--operations-address', 'off'))
    await eventually(() => served.written.stdout.includes('\n'), `it listens: ${served.written.stderr}`, 60_000)
    const { url, key } = JSON.parse(served.written.stdout)
    assert.equal((await fetch(`${url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })).status, 200)
    for (const path of ['/console/', '/docs/webhooks']) assert.equal((await fetch(`${url}${path}`)).status, 200, path)
    assert.equal((await stop(served)).code, 0)
  })

  test('upgrades the data of the version before it, which refuses them afterwards and restores its backup', async () => {
    const json = async (...args: string[]) => JSON.parse((await run('chroot', tillgate(...args))).stdout)
    const before = await json('verify')
    assert.equal(before.verified, true)
    await json('backup', '/tmp/backup')
    await run('mount', ['-o', 'remount,rw,bind', root])
    const migrations = join(root, 'usr/lib/tillgate/node_modules/tillgate/dist/core/store/migrations')
    const added = await addMigration(migrations)
    await json('migrate')
    assert.deepEqual(await json('verify'), before)
    await rm(join(migrations, `${added}.sql`))
    const refused = await run('chroot', tillgate('verify')).catch((error) => error)
    assert.equal(JSON.parse(refused.stderr).error.code, 'database_too_new')
    await json('restore', '/tmp/backup', '--data-dir', '/var/lib/tillgate/back')
    const { verified, locations } = await json('verify', '--data-dir', '/var/lib/tillgate/back')
    assert.deepEqual([verified, locations[0].resumed[0].after], [true, before.locations[0].entries])
  })
})
