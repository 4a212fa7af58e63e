import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createDataDir, serve, stop } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { createCertificate } from '../../support/fault-certificates.ts'
import { needs, run } from '../../support/tools.ts'

const folder = await mkdtemp(join(tmpdir(), 'tillgate-scan-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

describe('TLS, checked with sslscan,', needs('sslscan'), () => {
  test('offers 1.2 and 1.3 with forward secrecy and authenticated encryption, and nothing older', async () => {
    const { cert, key } = createCertificate(['localhost', '127.0.0.1'])
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    await writeFile(certFile, cert)
    await writeFile(keyFile, key)
    const tls = ['--tls-cert', certFile, '--tls-key', keyFile, '--operations-address', 'off']
    const served = await serve(['--data-dir', await createDataDir(), ...tls])
    const { stdout } = await run('sslscan', ['--no-colour', '--xml=-', new URL(served.url).host])
    await stop(served)
    const enabled = [...stdout.matchAll(/<protocol type="(\w+)" version="([\d.]+)" enabled="1"/g)].map(
      ([, type, version]) => `${type} ${version}`,
    )
    assert.deepEqual(enabled, ['tls 1.2', 'tls 1.3'])
    const ciphers = [...stdout.matchAll(/<cipher [^>]*cipher="([^"]+)"/g)].map(([, name = '']) => name)
    assert.ok(ciphers.length >= 5, stdout)
    const weak = ciphers.filter((name) => !/^(TLS_|ECDHE-)/.test(name) || !/(GCM|POLY1305)/.test(name))
    assert.deepEqual(weak, [])
    assert.doesNotMatch(stdout, /heartbleed [^>]*vulnerable="1"|compression supported="1"/)
  })
})
