import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, Server, type SecureContextOptions } from 'node:tls'
import { Gauge, type Registry } from 'prom-client'
import type { Config } from '../config.ts'
import { CliError } from './errors.ts'
import type { Log } from './log.ts'

/** Only forward secrecy and authenticated encryption; the names of TLS 1.3 come first. */
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
].join(':')

export type Tls = {
  options: SecureContextOptions
  validTo: Date
}

function read(flag: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CliError('tls_unusable', `${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function parse<T>(flag: string, path: string, what: string, parser: () => T): T {
  try {
    return parser()
  } catch (error) {
    throw new CliError('tls_unusable', `${flag} ${path} contains no ${what} in PEM format`, { cause: error })
  }
}

type Files = Pick<Config, 'tlsCert' | 'tlsKey'>

/** Reads the certificate and its key; null if none is set. Throws `CliError` that says what is wrong with them. */
export function readTls({ tlsCert, tlsKey }: Files): Tls | null {
  if (tlsCert === null && tlsKey === null) return null
  if (tlsCert === null || tlsKey === null) {
    const [there, missing] = tlsCert === null ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key']
    throw new CliError('tls_unusable', `${there} also requires ${missing}`)
  }
  const cert = read('--tls-cert', tlsCert)
  const key = read('--tls-key', tlsKey)
  const certificate = parse('--tls-cert', tlsCert, 'certificate', () => new X509Certificate(cert))
  const privateKey = parse('--tls-key', tlsKey, 'private key without a passphrase', () => createPrivateKey(key))
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new CliError(
      'tls_unusable',
      `the key ${tlsKey} does not belong to the certificate ${tlsCert}: give the key of this certificate`,
    )
  }
  const options: SecureContextOptions = { cert, key, minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true }
  try {
    // This reads the rest of the certificate chain for the first time, and refuses a key that is too short.
    createSecureContext(options)
  } catch (error) {
    const what = `the certificates ${tlsCert} cannot be used with the key ${tlsKey}`
    throw new CliError('tls_unusable', `${what}: ${(error as Error).message}`, { cause: error })
  }
  return { options, validTo: new Date(certificate.validTo) }
}

/** Registers when the served certificate expires, the earliest of several processes; no value without a certificate. */
export function measureCertificate(registry: Registry): (tls: Tls) => void {
  const gauge = new Gauge({
    name: 'tillgate_tls_certificate_expiry_timestamp_seconds',
    help: 'Expiry of the TLS certificate in use, in Unix seconds.',
    labelNames: [],
    aggregator: 'min',
    registers: [registry],
  })
  gauge.remove()
  return ({ validTo }) => gauge.set(validTo.getTime() / 1000)
}

/** Replaces the server's certificate with the current files, and calls `serves`; faults are logged. */
export function reloadTls(server: unknown, files: Files, log: Log, serves: (tls: Tls) => void): void {
  if (!(server instanceof Server)) return
  try {
    const tls = readTls(files)
    if (tls === null) return
    server.setSecureContext(tls.options)
    serves(tls)
    log.info({ validTo: tls.validTo.toISOString() }, 'the certificate was reloaded')
  } catch (err) {
    log.error({ err }, 'the certificate cannot be used: the previous one stays in use')
  }
}
