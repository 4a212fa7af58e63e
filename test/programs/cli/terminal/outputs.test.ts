import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { describe, test } from 'node:test'
import { createDatabase } from '../../../support/database.ts'
import { isAlive, main, serve, stop, tillgate, tillgateJson, toUrl } from '../../../support/cli.ts'
import { eventually } from '../../../support/waiting.ts'
import { order, versionOf } from '../../../support/records.ts'

const { connection } = await createDatabase()
const env = { ...process.env, DATABASE_URL: toUrl(connection), NO_COLOR: '1' }
const isFull = process.platform === 'linux' ? false : 'needs /dev/full'

/** Sends a request without a key, which writes a line to the log each time. */
const ask = async (url: string) => (await fetch(`${url}/v1/orders/`)).status

/** Resolves to the number of lost lines, as reported by the server. */
async function lost(operationsUrl: string): Promise<number> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text()
  return Number(/^tillgate_log_lines_lost_total\S* (\d+)/m.exec(text)?.[1])
}

describe('a server whose log cannot be written', () => {
  test('continues if the reader of its log has ended, and counts the lines', async () => {
    const served = await serve(['--log-level', 'info'], { env })
    served.child.stderr?.destroy()
    await eventually(async () => {
      assert.equal(await ask(served.url), 401)
      return (await lost(served.line.operationsUrl)) > 0
    }, 'a line is lost')
    assert.equal(await ask(served.url), 401)
    assert.equal((await stop(served)).code, 0)
  })

  test('continues with two processes', async () => {
    const served = await serve(['--log-level', 'info', '--processes', '2'], { env })
    served.child.stderr?.destroy()
    await eventually(async () => {
      assert.equal(await ask(served.url), 401)
      return (await lost(served.line.operationsUrl)) > 2
    }, 'lines are lost')
    assert.equal((await stop(served)).code, 0)
  })

  test('continues if the disk of its log is full', { skip: isFull }, async () => {
    const full = openSync('/dev/full', 'w')
    const args = [main, 'serve', '--port', '0', '--json', '--log-level', 'debug']
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', full] })
    const [line] = (await once(child.stdout as NonNullable<ChildProcess['stdout']>, 'data')) as [Buffer]
    const { url, operationsUrl } = JSON.parse(String(line)) as { url: string; operationsUrl: string }
    assert.equal(await ask(url), 401)
    assert.ok((await lost(operationsUrl)) > 0)
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
})

test('a result that cannot be written is an error, also of --help and --version', { skip: isFull }, async () => {
  for (const args of [['--help'], ['--version'], ['location', 'list', '--json']]) {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', full, 'pipe'] })
    let stderr = ''
    child.stderr?.on('data', (chunk) => (stderr += String(chunk)))
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, /standard output cannot be written/)
  }
})

describe('listen', async () => {
  const { id } = await tillgateJson(['location', 'create', '--name', 'Listening'], { env })
  const { key } = await tillgateJson(['key', 'create', '--location', id, '--scope', 'read,ingest'], { env })

  /** Starts `listen` on a server with an event, and its output there. Resolves to its exit code. */
  async function listen(output: number | 'pipe'): Promise<number | null> {
    const served = await serve([], { env })
    const body = JSON.stringify(order(versionOf(id, 1, 1)))
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    assert.equal((await fetch(`${served.url}/v1/ingest/`, { method: 'POST', headers, body })).status, 200)
    const args = ['listen', '--url', served.url, '--key', key, '--after', '0', '--json']
    const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', output, 'pipe'] })
    child.stdout?.destroy()
    const [code] = (await once(child, 'exit')) as [number | null]
    await stop(served)
    return code
  }

  test('ends when its reader has ended', async () => assert.equal(await listen('pipe'), 0))

  test('ends with an error if the disk of its output is full', { skip: isFull }, async () =>
    assert.equal(await listen(openSync('/dev/full', 'w')), 2),
  )
})

test('SIGUSR1 and SIGUSR2 open no debugger and end no process, and SIGQUIT shuts down cleanly', async () => {
  const served = await serve([], { env })
  for (const signal of ['SIGUSR1', 'SIGUSR2'] as const) {
    served.child.kill(signal)
    assert.equal(await ask(served.url), 401)
  }
  assert.doesNotMatch(served.written.stderr, /Debugger/)
  assert.equal((await stop(served, 'SIGQUIT')).code, 0)
  assert.equal(isAlive(served.pid), false)
  assert.equal((await tillgate(['location', 'list'], { env })).code, 0)
})
