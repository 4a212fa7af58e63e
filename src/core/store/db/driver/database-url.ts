import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { ConnectionOptions } from 'node:tls'

/** Address of a server: a name or an IP address, or the directory of its socket. */
export type Host = { host: string; port: number }

/** Which of several servers is required, in libpq's words. */
export const sessionAttributes = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const

/** Everything needed to connect. */
export type Target = {
  hosts: readonly Host[]
  user: string
  password: string
  /** File with the password, used if `password` is empty; read for each connection. */
  passfile?: string
  database: string
  /** In the order to try; false is a connection without TLS. */
  tls: readonly (ConnectionOptions | false)[]
  /** TLS begins at once, without asking whether the server supports it (PostgreSQL 17). */
  isDirectTls: boolean
  attributes: (typeof sessionAttributes)[number]
  connectTimeoutMs: number
  /** Parameters sent at the beginning of the session. */
  startup: Readonly<Record<string, string>>
}

/** The URL, or an environment variable, requires something that is not supported. */
export class DatabaseUrlRefused extends Error {
  override readonly name = 'DatabaseUrlRefused'
}

const defaultPort = 5432

/** The default timeout of a connection; libpq itself has none. */
const connectTimeoutMs = 10_000

const form =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:/?#]*?)(?::(?<password>[^/?#]*))?@)?(?<hosts>[^/?#@]*)(?:\/(?<database>[^?#]*))?(?:\?(?<query>[^#]*))?$/

/** Parameters of libpq that are not session parameters; only these values are accepted, and ignored. */
const withoutMeaning: Readonly<Record<string, readonly string[]>> = {
  channel_binding: ['disable', 'prefer'],
  client_encoding: ['auto', 'UTF8', 'utf8', 'UTF-8', 'utf-8'],
  gssencmode: ['disable', 'prefer'],
  load_balance_hosts: ['disable'],
  requiressl: ['0'],
  sslcompression: ['0'],
  sslsni: ['1'],
  hostaddr: [],
  service: [],
  servicefile: [],
  krbsrvname: [],
  gsslib: [],
  gssdelegation: ['0'],
  require_auth: [],
  requirepeer: [],
  sslcrl: [],
  sslcrldir: [],
  sslcertmode: ['allow'],
  ssl_min_protocol_version: [],
  ssl_max_protocol_version: [],
  keepalives: [],
  keepalives_idle: [],
  keepalives_interval: [],
  keepalives_count: [],
  tcp_user_timeout: [],
  replication: ['false', 'off', 'no', '0'],
}

/** Environment variables that libpq reads for parameters that the URL lacks. */
const variables: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  sslnegotiation: 'PGSSLNEGOTIATION',
  target_session_attrs: 'PGTARGETSESSIONATTRS',
  connect_timeout: 'PGCONNECT_TIMEOUT',
  application_name: 'PGAPPNAME',
  options: 'PGOPTIONS',
  passfile: 'PGPASSFILE',
}

/** Parameters that may also come before the query. */
const inFront = ['host', 'port', 'user', 'password', 'dbname']

/** The meaning of `ssl`, which is not a parameter of libpq but was accepted earlier. */
const modesOfSsl: Readonly<Record<string, string>> = {
  true: 'verify-full',
  '1': 'verify-full',
  false: 'disable',
  '0': 'disable',
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new DatabaseUrlRefused('the database URL has a % without two hexadecimal digits: write it as %25')
  }
}

function portOf(text: string): number {
  const port = text === '' ? defaultPort : Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new DatabaseUrlRefused(`the port ${text} of the database URL must be a number from 1 to 65535`)
}

/** Reads `a:1,b` or `[::1]:5432`; the name of a directory is percent-encoded. */
function readHosts(hosts: string): { host: string; port: string }[] {
  return hosts.split(',').map((one) => {
    const {
      v6,
      name = '',
      port = '',
    } = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:]*))(?::(?<port>.*))?$/.exec(one)?.groups ?? {}
    return { host: decoded(v6 ?? name), port: decoded(port) }
  })
}

/**
 * Returns the hosts of a URL. Several hosts have a port each, or one for all. As in libpq, the query takes precedence
 * over the part before it.
 */
function hostsOf(
  authority: string,
  { host, port }: Record<string, string | undefined>,
  env: NodeJS.ProcessEnv,
): Host[] {
  const named = readHosts(authority)
  const names = host?.split(',') ?? named.map((one) => one.host)
  const ownPorts = named.some((one) => one.port !== '') ? named.map((one) => one.port) : [env['PGPORT'] ?? '']
  const ports = port?.split(',') ?? ownPorts
  if (ports.length > 1 && ports.length !== names.length) {
    throw new DatabaseUrlRefused(
      `the ${names.length} hosts of the database URL need 1 or ${names.length} ports, not ${ports.length}`,
    )
  }
  return names.map((one, i) => ({
    host: one || env['PGHOST'] || 'localhost',
    port: portOf((ports.length > 1 ? ports[i] : ports[0]) ?? ''),
  }))
}

function readCertificate(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new DatabaseUrlRefused(
      `the file of ${name} for the database connection cannot be read: ${(error as Error).message}`,
    )
  }
}

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/**
 * Returns the TLS options to try as in libpq, except that there is no TLS without `sslmode`, and `verify-full` trusts
 * what Node trusts if no root is given.
 */
function tlsOf(given: Record<string, string | undefined>, isOfUrl: (name: string) => boolean): Target['tls'] {
  const { sslrootcert, sslcert, sslkey, sslpassword, sslnegotiation } = given
  const ssl = given['ssl']
  const isSystem = sslrootcert === 'system'
  const mode =
    given['sslmode'] ??
    (ssl === undefined ? undefined : (modesOfSsl[ssl] ?? ssl)) ??
    (isSystem ? 'verify-full' : 'disable')
  if (!modes.includes(mode))
    throw new DatabaseUrlRefused(`sslmode of the database is ${mode}: it must be one of ${modes.join(', ')}`)
  const lonely = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => given[name] !== undefined && isOfUrl(name))
  if (mode === 'disable' && lonely) {
    throw new DatabaseUrlRefused(`${lonely} of the database has no effect without TLS: add sslmode=verify-full`)
  }
  if (isSystem && mode !== 'verify-full') throw new DatabaseUrlRefused('sslrootcert=system needs sslmode=verify-full')
  if (mode === 'disable') return [false]
  const own = {
    ...(sslcert === undefined ? {} : { cert: readCertificate('sslcert', sslcert) }),
    ...(sslkey === undefined ? {} : { key: readCertificate('sslkey', sslkey) }),
    ...(sslpassword === undefined ? {} : { passphrase: sslpassword }),
  }
  const ca = sslrootcert === undefined || isSystem ? {} : { ca: readCertificate('sslrootcert', sslrootcert) }
  const unverified = { ...own, rejectUnauthorized: false }
  const ofAuthority = { ...own, ...ca, checkServerIdentity: () => undefined }
  if (mode === 'verify-full') return [{ ...own, ...ca }]
  if (mode === 'verify-ca') {
    if (sslrootcert === undefined)
      throw new DatabaseUrlRefused('sslmode=verify-ca needs sslrootcert, the file with the root certificate')
    return [ofAuthority]
  }
  if (mode === 'require') return [sslrootcert === undefined ? unverified : ofAuthority]
  if (sslnegotiation === 'direct')
    throw new DatabaseUrlRefused(`sslnegotiation=direct needs sslmode=require or stricter`)
  return mode === 'prefer' ? [unverified, false] : [false, unverified]
}

function attributesOf(text: string): Target['attributes'] {
  const found = sessionAttributes.find((one) => one === text)
  if (found) return found
  throw new DatabaseUrlRefused(
    `target_session_attrs of the database is ${text}: it must be one of ${sessionAttributes.join(', ')}`,
  )
}

function refuseUnknown(name: string, value: string): void {
  const meaningless = withoutMeaning[name]
  if (meaningless === undefined || meaningless.includes(value)) return
  const allowed = meaningless[0]
  const fault =
    allowed === undefined
      ? `the database URL has ${name}, which Tillgate does not support: remove it`
      : `${name} of the database must be ${allowed}: change or remove it`
  throw new DatabaseUrlRefused(fault)
}

/**
 * Reads a URL in any of libpq's forms; missing parts come from libpq's variables. Parameters that libpq does not have
 * are sent to the server as session parameters; the server refuses unknown ones. Throws `DatabaseUrlRefused`, whose
 * message does not contain the password.
 */
export function readDatabaseUrl(url: string, env: NodeJS.ProcessEnv = process.env): Target {
  const parts = form.exec(url)?.groups
  if (!parts)
    throw new DatabaseUrlRefused('the database URL must have the form postgres://user:password@host:5432/name')
  const ofQuery = new Map(
    [...new URLSearchParams((parts['query'] ?? '').replaceAll('+', '%2B'))].map(([name, value]) => [name, value]),
  )
  const given: Record<string, string | undefined> = Object.fromEntries(ofQuery)
  for (const [name, value] of ofQuery) refuseUnknown(name, value)
  for (const [name, variable] of Object.entries(variables)) given[name] ??= env[variable] || undefined
  const {
    sslnegotiation = 'postgres',
    connect_timeout: timeout,
    application_name,
    fallback_application_name,
    options,
    passfile,
  } = given
  if (!['postgres', 'direct'].includes(sslnegotiation)) {
    throw new DatabaseUrlRefused(`sslnegotiation of the database is ${sslnegotiation}: it must be postgres or direct`)
  }
  const user = given['user'] || decoded(parts['user'] ?? '') || env['PGUSER'] || userInfo().username
  const own = new Set([
    ...inFront,
    ...Object.keys(variables),
    ...Object.keys(withoutMeaning),
    'ssl',
    'sslpassword',
    'fallback_application_name',
  ])
  const others = [...ofQuery].filter(([name]) => !own.has(name))
  const seconds = Number(timeout)
  return {
    hosts: hostsOf(parts['hosts'] ?? '', given, env),
    user,
    password: given['password'] || decoded(parts['password'] ?? '') || (env['PGPASSWORD'] ?? ''),
    ...(passfile === undefined ? {} : { passfile }),
    database: given['dbname'] || decoded(parts['database'] ?? '') || env['PGDATABASE'] || user,
    tls: tlsOf(given, (name) => ofQuery.has(name)),
    isDirectTls: sslnegotiation === 'direct',
    attributes: attributesOf(given['target_session_attrs'] ?? 'any'),
    connectTimeoutMs: seconds > 0 ? seconds * 1000 : connectTimeoutMs,
    startup: {
      application_name: application_name ?? fallback_application_name ?? 'tillgate',
      ...(options === undefined ? {} : { options }),
      ...Object.fromEntries(others),
    },
  }
}
