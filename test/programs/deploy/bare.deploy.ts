import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { blocksOf } from '../../support/guide-blocks.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-bare-'))
const root = join(folder, 'root')
const home = join(root, 'home/dev')
const mounted: string[] = []

after(async () => {
  for (const place of mounted.toReversed()) spawnSync('umount', ['--lazy', place])
  await rm(folder, { recursive: true, force: true })
})

/** Finds the machine's own Node and npm, not those that the project installs. */
async function machineNode(): Promise<{ node: string; npm: string }> {
  const path = (process.env['PATH'] ?? '').split(':').filter((part) => !part.includes('node_modules'))
  const { stdout } = await run('sh', ['-c', 'command -v node && command -v npm'], { env: { PATH: path.join(':') } })
  const [node = '', npm = ''] = stdout.trim().split('\n')
  return { node: await realpath(node), npm: dirname(dirname(await realpath(npm))) }
}

/** Creates a root file system of Debian with Node, npm and a copy of this clone, and nothing else. */
async function makeRoot(): Promise<void> {
  await run('mmdebstrap', ['--quiet', '--variant=apt', '--include=libstdc++6', 'bookworm', root])
  const { node, npm } = await machineNode()
  await cp(node, join(root, 'usr/bin/node'))
  await mkdir(join(root, 'usr/lib/node_modules'), { recursive: true })
  await cp(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true, verbatimSymlinks: true })
  await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm')])
  await cp('/etc/resolv.conf', join(root, 'etc/resolv.conf'))
  await run('chroot', [root, 'useradd', '--create-home', 'dev'])
  const clone = join(home, 'tillgate')
  await mkdir(clone)
  await run('sh', ['-c', `git ls-files -z | tar -c --null --ignore-failed-read -T - | tar -x -C ${clone}`], {
    cwd: top,
  })
  const { stdout: cache } = await run('npm', ['config', 'get', 'cache'])
  await cp(join(cache.trim(), '_cacache'), join(home, '.npm/_cacache'), { recursive: true })
  await run('chroot', [root, 'chown', '-R', 'dev:dev', '/home/dev'])
  for (const [place, ...args] of [['proc', '-t', 'proc', 'proc'] as const, ['dev', '--rbind', '/dev'] as const]) {
    await run('mount', [...args, join(root, place)])
    mounted.push(join(root, place))
  }
  await run('mount', ['--make-rslave', join(root, 'dev')])
}

/** Runs a line under an account without locale and settings, on free ports. */
function begin(line: string) {
  const free = ['TILLGATE_PORT=0', 'TILLGATE_OPERATIONS_ADDRESS=off']
  const environment = ['/usr/bin/env', '-i', 'HOME=/home/dev', 'PATH=/usr/bin:/bin', 'npm_config_prefer_offline=true']
  const shell = [...environment, ...free, 'sh', '-c', `cd ~/tillgate && ${line}`]
  const child = spawn('chroot', ['--userspec=dev:dev', root, ...shell], { detached: true })
  const written = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (t) => (written.text += t))
  return { child, written, ended: once(child, 'close') as Promise<[number | null]> }
}

const readmeLine = (script: string) => {
  const line = blocksOf('README.md').find(({ text }) => text === `npm ci && npm run -s ${script}\n`)
  assert.ok(line, `README.md starts ${script}`)
  return line.text.trim()
}

describe('a bare Debian with Node and npm', needsRoot('mmdebstrap', 'git', 'tar'), () => {
  test('prints one line that names the missing library', async () => {
    await makeRoot()
    const { written, ended } = begin(readmeLine('quickstart'))
    assert.equal((await ended)[0], 1)
    assert.match(written.text, /\nNode 26 needs the library libatomic\.so\.1\. Install it [^\n]+\n$/)
    await run('chroot', [root, 'sh', '-c', 'apt-get update -qq && apt-get install -y -qq libatomic1'])
  })

  for (const script of ['quickstart', 'demo']) {
    test(`runs the README's ${script} as an ordinary account, until Ctrl-C`, async () => {
      const { child, written, ended } = begin(readmeLine(script))
      await eventually(() => child.exitCode !== null || written.text.includes('Ctrl-C'), `${script} runs`, 400_000)
      assert.equal(child.exitCode, null, written.text)
      const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(written.text) ?? []
      const [key = ''] = /tg_test_\w+/.exec(written.text) ?? []
      const read = await fetch(`${url}/v1/orders/?size=1`, { headers: { 'x-api-key': key } })
      assert.equal(read.status, 200, written.text)
      const { data } = (await read.json()) as { data: unknown[] }
      assert.equal(data.length, 1)
      for (const path of ['/console/', '/docs/downloads/tillgate-mcp.mjs', '/docs/url-and-key'])
        await eventually(async () => (await fetch(`${url}${path}`)).status === 200, path, 120_000)
      process.kill(-(child.pid as number), 'SIGINT')
      await ended
      assert.doesNotMatch(written.text, /^\s+at .*:\d+:\d+\)?$/m)
    })
  }
})
