import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key in PEM, as `https.createServer` takes them. */
export type Certificate = { cert: string; key: string }

type Authority = { name: string; privateKey: KeyObject }

const ecdsaWithSha256 = sequence(oid('06082a8648ce3d040302'))

/** Creates a certificate authority that only clients with `cert` trust. */
export function createAuthority(name: string): { cert: string; issue: typeof createCertificate } {
  const { publicKey, privateKey } = keyPair()
  const authority = { name, privateKey }
  const cert = encode(authority, { name, publicKey, isAuthority: true, hosts: [], notAfter: inDays(3650) })
  return { cert, issue: (hosts, validDays) => createCertificate(hosts, validDays, authority) }
}

/**
 * Creates a certificate for these names and addresses: expired if `validDays` is negative, self-signed without an
 * authority.
 */
export function createCertificate(hosts: readonly string[], validDays = 30, authority?: Authority): Certificate {
  const { publicKey, privateKey } = keyPair()
  const name = hosts[0] ?? 'nobody'
  const subject = { name, publicKey, isAuthority: false, hosts, notAfter: inDays(validDays) }
  const cert = encode(authority ?? { name, privateKey }, subject)
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) }
}

type Subject = { name: string; publicKey: KeyObject; isAuthority: boolean; hosts: readonly string[]; notAfter: Date }

/**
 * Makes a certificate, X.509 v3 in DER (RFC 5280), because `node:crypto` reads certificates but does not create them.
 */
function encode(issuer: Authority, subject: Subject): string {
  const constraints = extension(
    '0603551d13',
    sequence(...(subject.isAuthority ? [tag(0x01, Buffer.from([0xff]))] : [])),
  )
  const names = extension('0603551d11', sequence(...subject.hosts.map(generalName)))
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(utcTime(inDays(-60)), utcTime(subject.notAfter)),
    distinguishedName(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(constraints, ...(subject.hosts.length > 0 ? [names] : []))),
  )
  const signature = sign('sha256', body, issuer.privateKey)
  const der = sequence(body, ecdsaWithSha256, tag(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function keyPair() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}

function inDays(days: number): Date {
  return new Date(Date.now() + days * 86_400_000)
}

function tag(id: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([id, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tag(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tag(0x04, value))
}

function distinguishedName(commonName: string): Buffer {
  return sequence(tag(0x31, sequence(oid('0603550403'), tag(0x0c, Buffer.from(commonName)))))
}

/** Writes a date before 2050, with a two-digit year. */
function utcTime(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\D/g, '')
  return tag(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

function generalName(host: string): Buffer {
  if (isIP(host) === 4) return tag(0x87, Buffer.from(host.split('.').map(Number)))
  if (host === '::1') return tag(0x87, Buffer.from([...Array<number>(15).fill(0), 1]))
  return tag(0x82, Buffer.from(host))
}
