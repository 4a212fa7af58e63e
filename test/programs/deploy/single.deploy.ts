import assert from 'node:assert/strict'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { start, stop } from '../../support/cli.ts'
import { needs, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-single-'))
const cache = join(folder, 'cache')
// There is no Node, and only the standard directories are in the path.
const env = { PATH: '/usr/bin:/bin', XDG_CACHE_HOME: cache }
const program = join(folder, 'tillgate')

after(() => rm(folder, { recursive: true, force: true }))

describe('the single executable', needs('npm', 'strip'), () => {
  test('is built by one command, and needs nothing else except a place to unpack', async () => {
    await chmod(folder, 0o755)
    await run('sh', [join(top, 'deploy/single/build.sh'), folder], { maxBuffer: 2 ** 26 })
    const { stdout } = await start(program, ['--version'], { env, cwd: folder }).ended
    const { version } = JSON.parse(await run('cat', [join(top, 'package.json')]).then(({ stdout }) => stdout))
    assert.equal(stdout, `${version}\n`)
    const [unpacked = ''] = await readdir(join(cache, 'tillgate'))
    const { ctimeMs } = await stat(join(cache, 'tillgate', unpacked))
    await start(program, ['--version'], { env, cwd: folder }).ended
    assert.equal((await stat(join(cache, 'tillgate', unpacked))).ctimeMs, ctimeMs, 'it is unpacked once')
    await writeFile(join(folder, 'file'), '')
    const failed = await start(program, ['--version'], { env: { ...env, XDG_CACHE_HOME: join(folder, 'file') } }).ended
    assert.equal(failed.code, 2)
    assert.match(failed.stderr, /^error: the program cannot be unpacked in .*XDG_CACHE_HOME names a directory/)
  })

  test('runs no file that others could have placed in its cache', async () => {
    const [unpacked = ''] = await readdir(join(cache, 'tillgate'))
    const target = join(cache, 'tillgate', unpacked)
    for (const [path, spoil, mend] of [
      [target, () => chmod(target, 0o777), () => chmod(target, 0o755)],
      [
        join(cache, 'tillgate'),
        () => chmod(join(cache, 'tillgate'), 0o775),
        () => chmod(join(cache, 'tillgate'), 0o755),
      ],
      ...(process.getuid?.() === 0
        ? ([[target, () => chown(target, 65_534, 65_534), () => chown(target, 0, 0)]] as const)
        : []),
    ] as const) {
      await spoil()
      const { code, stdout, stderr } = await start(program, ['--version'], { env, cwd: folder }).ended
      assert.deepEqual([code, stdout], [2, ''])
      assert.ok(stderr.includes(`${path} must be a directory of this account in which nobody else can write`), stderr)
      await mend()
    }
    assert.equal((await start(program, ['--version'], { env, cwd: folder }).ended).code, 0)
  })

  for (const processes of ['1', '2']) {
    test(`serves with its own database, in ${processes} processes`, async () => {
      const data = join(folder, `data-${processes}`)
      await mkdir(data)
      const options = ['--sample', '--json', '--port', '0', '--operations-address', 'off', '--processes', processes]
      const served = start(program, ['serve', ...options, '--data-dir', data], { env, cwd: folder })
      await eventually(() => served.written.stdout.includes('\n'), `it listens: ${served.written.stderr}`, 60_000)
      const { url, key } = JSON.parse(served.written.stdout)
      assert.equal((await fetch(`${url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })).status, 200)
      for (const path of ['/docs/webhooks', '/console/', '/openapi.json']) {
        assert.equal((await fetch(`${url}${path}`)).status, 200, path)
      }
      const { code, stderr } = await stop(served)
      assert.equal(code, 0, stderr)
    })
  }
})
