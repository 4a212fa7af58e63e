import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { connect } from 'node:tls'
import { spawn } from 'node:child_process'
import { readTls } from '../../../src/core/server/tls.ts'
import { createDataDir, main, serve, stop, tillgate, tillgateJson, toUrl, type Served } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { createAuthority, type Certificate } from '../../support/fault-certificates.ts'
import { eventually } from '../../support/waiting.ts'

const { connection } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection), TILLGATE_DATA_DIR: await createDataDir() }
const folder = await mkdtemp(join(tmpdir(), 'tillgate-tls-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
const { cert: ca, issue } = createAuthority('Tills')
const certFile = join(folder, 'cert.pem')
const keyFile = join(folder, 'key.pem')
const tls = ['--tls-cert', certFile, '--tls-key', keyFile, '--operations-address', '127.0.0.1:0']

const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro'], { env })
const { key } = await tillgateJson(['key', 'create', '--location', location, '--scope', 'read'], { env })

async function install({ cert, key }: Certificate): Promise<void> {
  await writeFile(certFile, cert)
  await writeFile(keyFile, key)
}

/** Resolves to the serial number of the certificate that a new connection gets. */
async function shown(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ca })
  await once(socket, 'secureConnect')
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

/** Resolves to the end of the certificate in seconds of Unix time: as sent to a TLS client, and in the metrics. */
async function endOf(served: Served): Promise<{ shown: number; reported: number }> {
  const { hostname, port } = new URL(served.url)
  const socket = connect({ host: hostname, port: Number(port), ca })
  await once(socket, 'secureConnect')
  const shown = Date.parse(socket.getPeerCertificate().valid_to) / 1000
  socket.destroy()
  const metrics = await (await fetch(`${served.line.operationsUrl}/metrics`)).text()
  const [, value] = /^tillgate_tls_certificate_expiry_timestamp_seconds (\d+)$/m.exec(metrics) ?? []
  return { shown, reported: Number(value) }
}

async function read(
  url: string,
  key: string,
): Promise<{ status: number | undefined; hsts: string | undefined; body: string }> {
  const request = get(url, { ca, agent: false, headers: { 'x-api-key': key } })
  const [response] = await once(request, 'response')
  let body = ''
  for await (const chunk of response) body += chunk
  return { status: response.statusCode, hsts: response.headers['strict-transport-security'], body }
}

describe('serve with a certificate', () => {
  for (const processes of ['1', '2']) {
    test(`speaks HTTPS, and reloads its certificate on SIGHUP, with ${processes} processes`, async () => {
      await install(issue(['127.0.0.1']))
      const served = await serve([...tls, '--processes', processes], { env })
      assert.match(served.url, /^https:\/\/127\.0\.0\.1:\d+$/)
      const { status, hsts, body } = await read(`${served.url}/health/`, key)
      assert.deepEqual([status, hsts], [200, 'max-age=31536000'])
      assert.equal(JSON.parse(body).docURL, `${served.url}/docs`, 'links have the protocol of the request')

      const before = await shown(served.url)
      await install(issue(['127.0.0.1']))
      served.child.kill('SIGHUP')
      // Checked twice, since either process may answer.
      const isNew = async () => (await shown(served.url)) !== before && (await shown(served.url)) !== before
      await eventually(isNew, 'the new certificate is shown')
      const now = await shown(served.url)
      await eventually(async () => {
        const { shown, reported } = await endOf(served)
        return shown === reported
      }, 'the metrics say when it ends')
      const { key: foreign } = issue(['127.0.0.1'])
      const good = await readFile(certFile, 'utf8')
      for (const [file, text, words] of [
        [keyFile, foreign, /does not belong to the certificate/],
        [certFile, `${good}${good.slice(0, good.length / 2)}`, /cannot be used with the key/],
        [certFile, '', /contains no certificate/],
      ] as const) {
        const before = served.written.stderr.length
        const kept = await readFile(file, 'utf8')
        await writeFile(file, text)
        served.child.kill('SIGHUP')
        const isLogged = () => words.test(served.written.stderr.slice(before))
        await eventually(isLogged, `what is wrong is logged: ${words.source}`)
        assert.match(served.written.stderr, /the previous one stays in use/)
        assert.equal(await shown(served.url), now)
        await writeFile(file, kept)
      }
      assert.equal((await stop(served)).code, 0)
    })
  }

  test('reports what is wrong with the files, with exit code 2', async () => {
    await install(issue(['127.0.0.1']))
    const other = issue(['127.0.0.1']).key
    const otherFile = join(folder, 'other.pem')
    await writeFile(otherFile, other)
    const missing = join(folder, 'none.pem')
    for (const [tlsCert, tlsKey, words] of [
      [certFile, null, /--tls-cert also requires --tls-key/],
      [missing, keyFile, /none\.pem cannot be read/],
      [keyFile, keyFile, /--tls-cert \S+ contains no certificate in PEM format/],
      [certFile, certFile, /--tls-key \S+ contains no private key/],
      [certFile, otherFile, /does not belong to the certificate/],
    ] as const) {
      assert.throws(() => readTls({ tlsCert, tlsKey }), { code: 'tls_unusable', message: words })
    }
    // A certificate file that is being written is only valid when it is complete, wherever it ends.
    const leaf = issue(['127.0.0.1'])
    const chain = `${leaf.cert.trimEnd()}\n${ca.trimEnd()}`
    await writeFile(keyFile, leaf.key)
    const ends = [
      0,
      1,
      chain.indexOf('\n') + 5,
      leaf.cert.length - 10,
      leaf.cert.length + 60,
      chain.length - 30,
      chain.length - 1,
    ]
    for (const end of ends) {
      await writeFile(certFile, chain.slice(0, end))
      assert.throws(() => readTls({ tlsCert: certFile, tlsKey: keyFile }), { code: 'tls_unusable' }, `cut at ${end}`)
    }
    await writeFile(certFile, chain)
    assert.ok(readTls({ tlsCert: certFile, tlsKey: keyFile }))
    const { code, stderr } = await tillgate(['serve', '--port', '0', '--json', '--tls-key', keyFile], { env })
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    assert.deepEqual([code, error.code], [2, 'tls_unusable'])
  })
})

describe('serve with a socket that is already listening', () => {
  test('answers there, as systemd passes it, and ignores the configured port', async () => {
    const handed = createServer().listen(0, '127.0.0.1')
    await once(handed, 'listening')
    atEnd(async () => void handed.close())
    const { port } = handed.address() as AddressInfo
    const { _handle: handle } = handed as unknown as { _handle: { fd: number } }
    // LISTEN_PID is the process that must take the socket: the shell, which becomes Node.
    const script = 'LISTEN_PID=$$ exec "$@"'
    const args = ['-c', script, 'sh', process.execPath, main, 'serve', '--json', '--operations-address', 'off']
    const child = spawn('sh', args, {
      env: { PATH: process.env['PATH'], ...env, LISTEN_FDS: '1', TILLGATE_PORT: '1' },
      stdio: ['ignore', 'pipe', 'inherit', handle.fd],
    })
    atEnd(async () => void child.kill('SIGKILL'))
    let output = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    await eventually(() => output.includes('\n'), 'serve says where it listens')
    const { url } = JSON.parse(output)
    assert.equal(url, `http://127.0.0.1:${port}`)
    // The test holds the same socket. When it closes its copy, only the server accepts connections.
    handed.close()
    assert.equal((await fetch(`${url}/livez`)).status, 200)
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    assert.equal(code, 0)
  })
})
