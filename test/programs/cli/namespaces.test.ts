import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createDataDir, main, start, type Ended, type Running } from '../../support/cli.ts'
import { smallOrderOf } from '../../support/records.ts'
import { needsRoot } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'

/** Like a container: processes of others are invisible, and memory is not shared. */
const alone = ['--pid', '--fork', '--ipc', '--mount-proc', '--kill-child']

const dataDir = await createDataDir()
const env = { TILLGATE_DATA_DIR: dataDir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
const backups = await createDataDir()

const inside = (...args: string[]): Running => start('unshare', [...alone, process.execPath, main, ...args], { env })

async function succeed(...args: string[]): Promise<Ended> {
  const ended = await inside(...args).ended
  assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.stderr}`)
  return ended
}

/** Ends the first process of the namespace, and with it every other process there. */
async function signal(running: Running, name: NodeJS.Signals): Promise<void> {
  const [child] = (await readFile(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).split(' ')
  process.kill(Number(child), name)
  await running.ended
}

async function serve(): Promise<{ running: Running; url: string }> {
  const running = inside('serve', '--port', '0', '--json')
  let over = false
  void running.ended.then(() => (over = true))
  await eventually(() => over || running.written.stdout.includes('\n'), 'serve listens')
  assert.equal(over, false, running.written.stderr)
  return { running, url: JSON.parse(running.written.stdout).url }
}

/** Pushes one order after another and records the acknowledged ones; retries while a server is away. */
class Till {
  readonly acknowledged: string[] = []
  url = ''
  readonly #location: string
  readonly #key: string
  #stopped = false
  #pushing: Promise<void> = Promise.resolve()

  constructor(location: string, key: string) {
    this.#location = location
    this.#key = key
  }

  start(): void {
    this.#pushing = (async () => {
      for (let n = 1; !this.#stopped; n += 1) {
        const order = smallOrderOf(this.#location, n)
        const body = JSON.stringify({ type: 'order', data: order })
        const headers = { 'x-api-key': this.#key, 'content-type': 'application/json' }
        const answer = await fetch(`${this.url}/v1/ingest/`, { method: 'POST', headers, body }).catch(() => undefined)
        const counts =
          answer?.status === 200
            ? ((await answer.json().catch(() => undefined)) as { accepted?: number } | undefined)
            : undefined
        if (counts?.accepted === 1) this.acknowledged.push(order.id)
        // The rate of a real till, which also leaves processor time for the test.
        await delay(10)
      }
    })()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#pushing
  }

  async pushedMore(): Promise<void> {
    const before = this.acknowledged.length
    const more = eventually(() => this.acknowledged.length > before + 20, 'pushes are acknowledged')
    await Promise.race([more, this.#pushing.then(() => more)])
  }
}

const postmaster = async () =>
  (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n').slice(0, 3)

describe('commands in separate namespaces with one data directory', needsRoot('unshare'), () => {
  test('use the running database, and no acknowledged data is lost', async (t) => {
    const location = (await succeed('location', 'create', '--name', 'Bistro')).stdout.trim()
    const key = (
      await succeed('key', 'create', '--location', location, '--scope', 'ingest', '--name', 'till')
    ).stdout.trim()
    const till = new Till(location, key)
    t.after(() => till.stop())
    let server = await serve()
    till.url = server.url
    till.start()
    await till.pushedMore()

    const live = await postmaster()
    for (let round = 0; round < 2; round += 1) {
      await Promise.all([
        succeed('status'),
        succeed('backup', join(backups, String(round))),
        succeed('location', 'create', '--name', `Second ${round}`),
        succeed('verify'),
      ])
      await till.pushedMore()
    }
    assert.deepEqual(await postmaster(), live, 'it is the same server all the time')

    // As with the kernel's out-of-memory killer, no process there can shut down properly.
    await signal(server.running, 'SIGKILL')
    assert.match((await succeed('verify')).stdout, new RegExp(`^verified {2}${location}`, 'm'))

    // Here a command starts the server, and `serve` finds it running; then the command's container is removed.
    const command = inside('status', '--watch', '1')
    await eventually(() => command.written.stdout.includes('disk'), 'the command has the database')
    server = await serve()
    till.url = server.url
    await till.pushedMore()
    await signal(command, 'SIGKILL')
    await till.pushedMore()
    await succeed('status')
    await till.stop()
    await signal(server.running, 'SIGTERM')

    const { stdout } = await succeed('export', '--location', location)
    const stored = new Set(
      stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).data.id),
    )
    assert.deepEqual(
      till.acknowledged.filter((id) => !stored.has(id)),
      [],
    )
    assert.match((await succeed('verify')).stdout, new RegExp(`^verified {2}${location}`, 'm'))
  })
})
