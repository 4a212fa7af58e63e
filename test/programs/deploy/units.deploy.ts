import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { smallOrderOf } from '../../support/records.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'
import { globalSetup } from './pack.ts'

const top = join(import.meta.dirname, '../../..')
const folder = await mkdtemp(join(tmpdir(), 'tillgate-units-'))

/** A virtual machine: systemd as its first process, its own network, and the package of `folder` to install. */
class Machine {
  readonly #child: ChildProcess
  #first = ''

  constructor(hidepid: string) {
    const env = { ...process.env, HIDEPID: hidepid }
    const args = ['--net', join(import.meta.dirname, 'boot.sh'), folder]
    this.#child = spawn('unshare', args, { env, detached: true, stdio: 'ignore' })
  }

  async boot(): Promise<void> {
    const children = `/proc/${this.#child.pid}/task/${this.#child.pid}/children`
    await eventually(async () => {
      this.#first = (await readFile(children, 'utf8').catch(() => '')).trim()
      const name = await readFile(`/proc/${this.#first}/comm`, 'utf8').catch(() => '')
      return name.trim() === 'systemd'
    }, 'systemd is there')
    // The state is degraded if a unit of the machine itself cannot run here.
    await eventually(async () => {
      const { stdout } = await this.try('systemctl', 'is-system-running')
      return ['running', 'degraded'].includes(stdout.trim())
    }, 'it is up')
    await this.run('ip', 'link', 'set', 'lo', 'up')
  }

  /** Runs a program in the machine, as root. */
  async run(...command: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...command)
    assert.equal(code, 0, `${command.join(' ')}: ${stderr}${stdout}`)
    return stdout
  }

  async try(...command: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const inside = ['-t', this.#first, '-m', '-p', '-i', '-u', '-n', '-C', '-r', '-w']
    const env = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive']
    return run('nsenter', [...inside, ...env, ...command], { maxBuffer: 2 ** 26 }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
  }

  async halt(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    process.kill(this.#child.pid as number, 'SIGKILL')
    await once(this.#child, 'exit')
    // Process groups (cgroups) whose processes have ended are directories that only rmdir removes.
    const groups = `find $(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/"$0" -depth -type d -exec rmdir {} +`
    const remove = () => run('sh', ['-c', groups, basename(folder)])
    await eventually(
      () =>
        remove().then(
          () => true,
          () => false,
        ),
      'its groups are gone',
      20_000,
    )
  }
}

after(() => rm(folder, { recursive: true, force: true }))

const deb = (version: string) => join(folder, `tillgate_${version}_amd64.deb`)

/** Repacks the package with a later version, as for an upgrade. */
async function repack(from: string, to: string): Promise<void> {
  const root = join(folder, 'repacked')
  await run('dpkg-deb', ['-R', deb(from), root])
  const control = join(root, 'DEBIAN/control')
  await writeFile(control, (await readFile(control, 'utf8')).replace(`Version: ${from}`, `Version: ${to}`))
  await run('dpkg-deb', ['--root-owner-group', '-Znone', '-b', root, deb(to)])
  await rm(root, { recursive: true })
}

let prepared: Promise<void> | undefined

/** Builds the package and a later version of it, once. `TILLGATE_TEST_DEB` names one that is already built. */
function preparePackages(): Promise<void> {
  prepared ??= (async () => {
    const given = process.env['TILLGATE_TEST_DEB']
    if (given) await copyFile(given, deb('0.1.0'))
    else {
      const env = { ...process.env, VERSION: '0.1.0', PACKAGE: await globalSetup() }
      await run('sh', [join(top, 'deploy/debian/build.sh'), folder], { env, maxBuffer: 2 ** 26 })
    }
    await repack('0.1.0', '0.1.1')
  })()
  return prepared
}

/** Pushes orders in the machine until it is stopped, and records those that were acknowledged. */
class Till {
  readonly acknowledged: string[] = []
  readonly #push: (order: object) => Promise<boolean>
  readonly #location: string
  #stopped = false
  #pushing = Promise.resolve()

  constructor(location: string, push: (order: object) => Promise<boolean>) {
    this.#location = location
    this.#push = push
  }

  start(): void {
    this.#pushing = (async () => {
      for (let n = 1; !this.#stopped; n += 1) {
        const order = smallOrderOf(this.#location, n)
        if (await this.#push(order)) this.acknowledged.push(order.id)
      }
    })()
  }

  async more(): Promise<void> {
    const before = this.acknowledged.length
    await eventually(() => this.acknowledged.length > before + 3, 'pushes are acknowledged')
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#pushing
  }
}

const tools = ['dpkg-deb', 'strip', 'unshare', 'nsenter', 'systemctl', 'ip', 'curl', 'apt-get']

for (const hidepid of ['0', '2']) {
  describe(`the package on a booted systemd, /proc with hidepid=${hidepid}`, needsRoot(...tools), () => {
    let machine: Machine
    let till: Till | undefined

    before(async () => {
      await preparePackages()
      machine = new Machine(hidepid)
      await machine.boot()
    })

    after(async () => {
      await till?.stop()
      await machine.halt()
      await rm(join(folder, 'parts'), { recursive: true, force: true })
    })

    test('is installed and upgraded by apt, its units and timers run during pushes, and no acknowledged one is lost', async () => {
      await machine.run(
        'apt-get',
        'install',
        '-y',
        '-q',
        '--no-install-recommends',
        `/run/given/${basename(deb('0.1.0'))}`,
      )
      const ready = () =>
        eventually(
          async () => (await machine.try('curl', '-sf', 'http://127.0.0.1:4748/readyz')).code === 0,
          'the service is ready',
        )
      await ready()
      const location = (await machine.run('tillgate', 'location', 'create', '--name', 'Bistro')).trim()
      const key = (
        await machine.run('tillgate', 'key', 'create', '--location', location, '--scope', 'ingest', '--name', 'till')
      ).trim()
      till = new Till(location, async (order) => {
        const body = JSON.stringify({ type: 'order', data: order })
        const headers = ['-H', `x-api-key: ${key}`, '-H', 'content-type: application/json']
        const { stdout } = await machine.try('curl', '-sf', ...headers, '-d', body, 'http://127.0.0.1:4747/v1/ingest/')
        return stdout.includes('"accepted":1')
      })
      till.start()
      await till.more()

      const mainPid = async () => machine.run('systemctl', 'show', '-p', 'MainPID', 'tillgate.service')
      const before = await mainPid()
      for (const unit of ['tillgate-backup', 'tillgate-verify', 'tillgate-backup', 'tillgate-verify']) {
        await machine.run('systemctl', 'start', `${unit}.service`)
        await till.more()
      }
      assert.equal(await mainPid(), before)
      const log = await machine.run('journalctl', '-u', 'tillgate.service', '--no-pager', '-o', 'cat')
      assert.doesNotMatch(log, /embedded database had ended|"level":"error"/)
      for (const timer of ['tillgate-backup.timer', 'tillgate-verify.timer']) {
        await machine.run('systemctl', 'enable', '--now', timer)
        assert.match(await machine.run('systemctl', 'list-timers', '--no-pager'), new RegExp(timer))
      }
      await machine.run('systemctl', 'enable', '--now', 'tillgate-backup-follow.service')
      const manifest = () => machine.run('cat', '/var/backups/tillgate/manifest.json')
      const early = await manifest()
      await eventually(async () => (await manifest()) !== early, 'the following backup has written a new entry')

      await machine.run('apt-get', 'install', '-y', '-q', `/run/given/${basename(deb('0.1.1'))}`)
      await ready()
      await till.more()
      await machine.run('systemctl', 'kill', '-s', 'SIGKILL', 'tillgate.service')
      await till.more()
      await till.stop()
      const exported = await machine.run('tillgate', 'export', '--location', location)
      const stored = new Set(
        exported
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line).data.id),
      )
      assert.deepEqual(
        till.acknowledged.filter((id) => !stored.has(id)),
        [],
      )
      assert.match(await machine.run('tillgate', 'verify'), new RegExp(`^verified {2}${location}`, 'm'))
    })

    test('runs every command with the database, the settings and the account of the service, from any directory', async () => {
      const from = (directory: string, ...command: string[]) =>
        machine.try('sh', '-c', 'cd "$0" && exec "$@"', directory, ...command)
      for (const directory of ['/', '/srv', '/root']) {
        const { code, stdout, stderr } = await from(directory, 'tillgate', 'location', 'list', '--json')
        assert.equal(code, 0, stderr)
        assert.equal(JSON.parse(stdout)[0].name, 'Bistro')
      }
      assert.equal((await machine.try('ls', '/srv/data', '/data')).code, 2)
      const owners = await machine.run('find', '/var/lib/tillgate', '!', '-user', 'tillgate')
      assert.equal(owners, '')

      await machine.run('sh', '-c', 'echo TILLGATE_PORT=4799 >>/etc/tillgate/tillgate.env')
      await machine.run('systemctl', 'restart', 'tillgate.service')
      await eventually(
        async () => (await machine.try('curl', '-sf', 'http://127.0.0.1:4799/livez')).code === 0,
        'it listens where the settings say',
      )
      assert.match(await machine.run('tillgate', 'console'), /^http:\/\/127\.0\.0\.1:4799\/console\//)
      const status = JSON.parse(await machine.run('tillgate', 'status', '--json'))
      assert.equal(status.server.url, 'http://127.0.0.1:4799')
      assert.equal(status.server.installation, status.database.installation)

      // Another account, and a program of another installation in its own directory, create no second database.
      const stranger = await machine.try(
        'setpriv',
        '--reuid=nobody',
        '--regid=nogroup',
        '--clear-groups',
        'tillgate',
        'status',
      )
      assert.equal(stranger.code, 2)
      assert.match(stranger.stderr, /runs as a service with the account tillgate .*\(sudo tillgate …\)/)
      const program = ['/usr/lib/tillgate/node', '/usr/lib/tillgate/node_modules/tillgate/bin/tillgate.cjs']
      const second = await from('/srv', ...program, 'location', 'create', '--name', 'Elsewhere')
      assert.equal(second.code, 2)
      assert.match(second.stderr, /service on this machine .* would create a second, empty database in \/srv\/data/)
    })
  })
}
