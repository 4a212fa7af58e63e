import assert from 'node:assert/strict'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { freePort } from '../../support/ports.ts'
import { addMigration, nextVersion } from '../../support/next-version.ts'
import { smallOrderOf } from '../../support/records.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'
import { globalSetup } from './pack.ts'

// Follows a user of a release from its artifacts on a bare Debian: installs the package, pushes, backs up, upgrades to
// a version with one more migration while tills push and webhooks are sent, and goes back by restoring the backup.
// RELEASE names a folder of `npm run release`; without it the package is built here. DEBIAN names the releases of
// Debian: bookworm,trixie.

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-upgrade-'))
const debians = (process.env['DEBIAN'] ?? 'bookworm,trixie').split(',')
let root = ''
const { version } = JSON.parse(await readFile(join(top, 'package.json'), 'utf8')) as { version: string }
const deb = (of: string) => join(folder, `tillgate_${of}_amd64.deb`)
const inside = (...args: string[]) => run('chroot', [root, ...args], { maxBuffer: 2 ** 26 })
const dataDir = '/var/lib/tillgate'

let served: ChildProcess | undefined

after(async () => {
  served?.kill('SIGKILL')
  receiver.close()
  for (const debian of debians) spawnSync('umount', ['--lazy', join(folder, debian, 'proc')])
  await rm(folder, { recursive: true, force: true })
})

/** Builds the package of the next version, with one more migration. */
async function makeNext(): Promise<void> {
  const unpacked = join(folder, 'unpacked')
  await run('dpkg-deb', ['-R', deb(version), unpacked])
  const program = join(unpacked, 'usr/lib/tillgate/node_modules/tillgate')
  for (const file of [join(unpacked, 'DEBIAN/control'), join(program, 'package.json')])
    await writeFile(file, (await readFile(file, 'utf8')).replace(version, nextVersion))
  await addMigration(join(program, 'dist/core/store/migrations'))
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '-b', unpacked, deb(nextVersion)])
  await rm(unpacked, { recursive: true })
}

async function makePackages(): Promise<void> {
  const made = process.env['RELEASE']
  if (made) await cp(join(made, `tillgate_${version}_amd64.deb`), deb(version))
  else {
    const env = { ...process.env, VERSION: version, PACKAGE: await globalSetup() }
    await run('sh', [join(top, 'deploy/debian/build.sh'), folder], { env, maxBuffer: 2 ** 26 })
  }
  await makeNext()
}

let packages: Promise<void> | undefined

/** Creates the bare system, with Debian's PostgreSQL, which one test uses. */
async function prepare(debian: string): Promise<void> {
  await (packages ??= makePackages())
  root = join(folder, debian)
  const parts = '--include=adduser,init-system-helpers,libatomic1,libstdc++6,postgresql'
  await run('mmdebstrap', ['--quiet', '--variant=apt', parts, debian, root])
  await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
}

async function install(of: string): Promise<void> {
  await cp(deb(of), join(root, 'tillgate.deb'))
  await inside('dpkg', '-i', '/tillgate.deb')
}

const asService = () => ['--userspec=tillgate:tillgate', root, '/usr/bin/env', 'TILLGATE_ALLOW_HTTP=true']
const tillgate = (...args: string[]) =>
  run('chroot', [...asService(), '/usr/bin/tillgate', ...args, '--json'], { maxBuffer: 2 ** 26 })
const json = async (...args: string[]) => JSON.parse((await tillgate(...args, '--data-dir', dataDir)).stdout)

let port = 0

async function serve(data = dataDir): Promise<void> {
  const options = ['--port', `${port}`, '--operations-address', 'off', '--allow-address', '127.0.0.0/8']
  served = spawn('chroot', [...asService(), '/usr/bin/tillgate', 'serve', '--data-dir', data, '--json', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface(served.stdout!), 'line')
}

async function end(): Promise<void> {
  served?.kill('SIGTERM')
  assert.deepEqual(await once(served!, 'exit'), [0, null])
}

/** Receives webhooks, and records the resource of each. */
const received = new Set<string>()
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    received.add(JSON.parse(Buffer.concat(chunks).toString()).data.id)
    response.end()
  })
})

/** Pushes one order after the other, as a till does: each is repeated until it is acknowledged. */
class Till {
  readonly acknowledged: string[] = []
  refused = 0
  #stopped = false
  #pushing = Promise.resolve()

  start(location: string, key: string): void {
    this.#pushing = (async () => {
      for (let n = 1; !this.#stopped;) {
        const order = smallOrderOf(location, n)
        const answer = await fetch(`http://127.0.0.1:${port}/v1/ingest/`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: JSON.stringify({ type: 'order', data: order }),
          signal: AbortSignal.timeout(20_000),
        }).catch(() => undefined)
        if (answer?.status === 200) {
          this.acknowledged.push(order.id)
          n++
        } else {
          this.refused++
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
    })()
  }

  async more(count = 10): Promise<void> {
    const before = this.acknowledged.length
    await eventually(() => this.acknowledged.length > before + count, 'pushes are acknowledged', 120_000)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#pushing
  }
}

async function missingIn(data: string, location: string, ids: readonly string[]): Promise<string[]> {
  const { stdout } = await tillgate('export', '--location', location, '--data-dir', data)
  return ids.filter((id) => !stdout.includes(id))
}

for (const debian of debians)
  describe(`a release on a bare Debian ${debian}`, needsRoot('dpkg-deb', 'mmdebstrap', 'strip'), () => {
    const till = new Till()
    let location = ''
    let backedUp: string[] = []

    after(() => till.stop())

    test('is installed, accepts the first order and calls the first webhook', async () => {
      await prepare(debian)
      port = await freePort()
      if (!receiver.listening) await once(receiver.listen(0, '127.0.0.1'), 'listening')
      await install(version)
      assert.equal((await inside('/usr/bin/tillgate', '--version')).stdout, `${version}\n`)
      location = (await json('location', 'create', '--name', 'Bistro')).id
      const { key } = await json('key', 'create', '--location', location, '--scope', 'ingest,read,webhooks')
      await serve()
      const hook = await fetch(`http://127.0.0.1:${port}/v1/webhooks/`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({
          events: ['order.created'],
          endpointUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
          locationId: location,
          recipientId: location,
        }),
      })
      assert.equal(hook.status, 201, await hook.text())
      till.start(location, key)
      await till.more()
      await eventually(() => received.size > 5, 'webhooks arrive')
    })

    test('is backed up and upgraded while its till pushes: no acknowledged push is lost, and each order is delivered', async () => {
      backedUp = [...till.acknowledged]
      await json('backup', '/var/backups/tillgate')
      await end()
      await install(nextVersion)
      await serve()
      assert.ok(till.refused > 0, 'the till pushed meanwhile, too')
      await till.more()
      await till.stop()
      const areReceived = () => till.acknowledged.every((id) => received.has(id))
      await eventually(areReceived, 'a webhook tells of each order', 120_000)
      assert.deepEqual(await missingIn(dataDir, location, till.acknowledged), [])
      assert.equal((await json('verify')).verified, true)
      await end()
      const { version: now } = await json('migrate')
      assert.ok(now > 100)
    })

    test('is downgraded by its backup: the old version refuses the newer database, and the restored one has the backed up data', async () => {
      await install(version)
      const refused = await tillgate('verify', '--data-dir', dataDir).catch((error) => error)
      assert.equal(JSON.parse(refused.stderr).error.code, 'database_too_new')
      const back = '/var/lib/tillgate/back'
      await tillgate('restore', '/var/backups/tillgate', '--data-dir', back)
      assert.deepEqual(await missingIn(back, location, backedUp), [])
      assert.equal(JSON.parse((await tillgate('verify', '--data-dir', back)).stdout).verified, true)
    })

    test('keeps its data in the PostgreSQL of Debian if configured', async () => {
      const [major = ''] = readdirSync(join(root, 'usr/lib/postgresql'))
      const own = ['--data-dir', '/var/lib/tillgate/own', '--pg-bin', `/usr/lib/postgresql/${major}/bin`]
      await tillgate('restore', '/var/backups/tillgate', ...own)
      assert.equal(JSON.parse((await tillgate('verify', ...own)).stdout).verified, true)
      const doctor = await run('chroot', [...asService(), '/usr/bin/tillgate', 'doctor', ...own]).catch(
        (error) => error,
      )
      assert.match(doctor.stdout, new RegExp(`^ok +version +PostgreSQL ${major}\\.`, 'm'))
    })
  })
