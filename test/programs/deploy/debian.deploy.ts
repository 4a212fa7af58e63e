import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { start, stop } from '../../support/cli.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-debian-'))
const root = join(folder, 'root')
const inside = (...args: string[]) => run('chroot', [root, ...args])
const deb = (version: string) => join(folder, `tillgate_${version}_amd64.deb`)

after(async () => {
  spawnSync('umount', ['--lazy', join(root, 'proc')])
  await rm(folder, { recursive: true, force: true })
})

async function build(version: string): Promise<void> {
  const env = { ...process.env, VERSION: version }
  await run('sh', [join(top, 'deploy/debian/build.sh'), folder], { env, maxBuffer: 2 ** 26 })
}

/** Starts the installed program as its own user, calls `work`, and stops the program. */
async function serving(work: (url: string) => Promise<void>): Promise<void> {
  const program = ['--userspec=tillgate:tillgate', root, '/usr/bin/env', 'TILLGATE_DATA_DIR=/var/lib/tillgate']
  const served = start('chroot', [...program, '/usr/bin/tillgate', 'serve', '--json', '--port', '0'])
  await eventually(() => served.written.stdout.includes('\n'), `it listens: ${served.written.stderr}`, 60_000)
  await work(JSON.parse(served.written.stdout).url)
  assert.equal((await stop(served)).code, 0)
}

describe('the Debian package', needsRoot('dpkg-deb', 'lintian', 'mmdebstrap', 'strip'), () => {
  test('is built by one command, and lintian finds nothing', async () => {
    await build('0.1.0')
    const { stdout } = await run('lintian', ['--allow-root', '--fail-on', 'error,warning', deb('0.1.0')])
    assert.doesNotMatch(stdout, /^[EW]:/m)
  })

  test('installs, starts, is upgraded with its data and settings, and is purged without a trace', async () => {
    await run('mmdebstrap', [
      '--quiet',
      '--variant=apt',
      '--include=adduser,init-system-helpers,libatomic1,libstdc++6',
      'bookworm',
      root,
    ])
    await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
    await run('cp', [deb('0.1.0'), join(root, 'tillgate.deb')])
    await inside('dpkg', '-i', '/tillgate.deb')
    const places = ['/var/lib/tillgate', '/var/backups/tillgate', '/etc/tillgate/tillgate.env']
    const { stdout: owner } = await inside('stat', '-c', '%U %a', ...places)
    assert.equal(owner, 'tillgate 700\ntillgate 700\nroot 640\n')
    assert.ok(existsSync(join(root, 'usr/lib/systemd/system/tillgate.service')))
    await serving(async (url) => {
      for (const path of ['/readyz', '/console/', '/docs/webhooks'])
        assert.equal((await fetch(`${url}${path}`)).status, 200, path)
    })
    const asUser = (...args: string[]) =>
      run('chroot', [
        '--userspec=tillgate:tillgate',
        root,
        '/usr/bin/tillgate',
        ...args,
        '--data-dir',
        '/var/lib/tillgate',
      ])
    await asUser('location', 'create', '--name', 'Bistro')

    await appendFile(join(root, 'etc/tillgate/tillgate.env'), 'TILLGATE_RATE_LIMIT=7\n')
    await build('0.1.1')
    await run('cp', [deb('0.1.1'), join(root, 'tillgate.deb')])
    await inside('dpkg', '-i', '/tillgate.deb')
    assert.match(await readFile(join(root, 'etc/tillgate/tillgate.env'), 'utf8'), /^TILLGATE_RATE_LIMIT=7$/m)
    const { stdout: listed } = await asUser('location', 'list', '--json')
    assert.equal(JSON.parse(listed)[0].name, 'Bistro')

    await inside('dpkg', '--purge', 'tillgate')
    // Data that must be kept for years is only deleted manually.
    assert.ok(existsSync(join(root, 'var/lib/tillgate/postgres')))
    assert.equal(existsSync(join(root, 'etc/tillgate')), false)
    await inside('rm', '-rf', '/var/lib/tillgate')
    await inside('dpkg', '-i', '/tillgate.deb')
    await inside('dpkg', '--purge', 'tillgate')
    // Backups would also be in this list, but there are none.
    for (const path of [
      'var/lib/tillgate',
      'var/backups/tillgate',
      'etc/tillgate',
      'usr/lib/tillgate',
      'usr/bin/tillgate',
    ]) {
      assert.equal(existsSync(join(root, path)), false, path)
    }
    assert.doesNotMatch(await readFile(join(root, 'etc/passwd'), 'utf8'), /^tillgate:/m)
  })
})
