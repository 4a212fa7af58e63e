import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { describe, test } from 'node:test'
import {
  DatabaseUrlRefused,
  readDatabaseUrl,
  type Target,
} from '../../../../../src/core/store/db/driver/database-url.ts'
import { atEnd } from '../../../../support/database.ts'
import { createAuthority } from '../../../../support/fault-certificates.ts'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const read = (url: string, env: NodeJS.ProcessEnv = {}) => readDatabaseUrl(url, env)

const at = ({ hosts }: Target) => hosts.map(({ host, port }) => `${host} ${port}`)

// PostgreSQL 18, 32.1.1.2 "Connection URIs": its examples, and the forms that it describes.
describe('a database URL', () => {
  const forms: [string, string[]][] = [
    ['postgresql://', ['localhost 5432']],
    ['postgresql://localhost', ['localhost 5432']],
    ['postgresql://localhost:5433', ['localhost 5433']],
    ['postgresql://user@localhost', ['localhost 5432']],
    ['postgres://u@[::1]:5432/db', ['::1 5432']],
    ['postgresql://[2001:db8::1234]/database', ['2001:db8::1234 5432']],
    ['postgres://u@/db?host=/run/postgresql', ['/run/postgresql 5432']],
    ['postgresql:///dbname?host=/var/lib/postgresql&port=5433', ['/var/lib/postgresql 5433']],
    ['postgresql://%2Fvar%2Flib%2Fpostgresql/dbname', ['/var/lib/postgresql 5432']],
    ['postgresql://u@%2Frun%2Fpg:6432/dbname', ['/run/pg 6432']],
    ['postgresql:///mydb?host=localhost&port=5433', ['localhost 5433']],
    ['postgresql://host1:123,host2:456/somedb', ['host1 123', 'host2 456']],
    ['postgresql://host1,host2/somedb?port=6432', ['host1 6432', 'host2 6432']],
    ['postgres://u@localhost:5432/db?host=/run/pg', ['/run/pg 5432']],
    ['postgresql:///somedb?host=host1,host2&port=1,2', ['host1 1', 'host2 2']],
    ['postgresql://[::1]:1,b:2/somedb', ['::1 1', 'b 2']],
  ]
  for (const [url, expected] of forms) test(url, () => assert.deepEqual(at(read(url)), expected))

  test('user, password and database are decoded, with the defaults of libpq', () => {
    const whole = read('postgres://a%40b:p%3Aq%2F%25@db.example/d%20b')
    assert.deepEqual([whole.user, whole.password, whole.database], ['a@b', 'p:q/%', 'd b'])
    const named = read('postgres://db.example?user=u&password=p&dbname=d')
    assert.deepEqual([named.user, named.password, named.database], ['u', 'p', 'd'])
    const { user, database } = read('postgres://db.example')
    assert.deepEqual([user, database], [userInfo().username, userInfo().username])
    assert.equal(read('postgres://u:a@b@db.example/d').password, 'a@b')
    assert.equal(read('postgres://u@db.example/d?password=a+b').password, 'a+b')
  })

  test('missing parts come from the variables of libpq', () => {
    const env = {
      PGHOST: 'h',
      PGPORT: '6000',
      PGUSER: 'u',
      PGPASSWORD: 'p',
      PGDATABASE: 'd',
      PGTARGETSESSIONATTRS: 'primary',
    }
    const way = read('postgres://', env)
    assert.deepEqual(
      [...at(way), way.user, way.password, way.database, way.attributes],
      ['h 6000', 'u', 'p', 'd', 'primary'],
    )
    const own = read('postgres://o:s@host:1/b?target_session_attrs=any', env)
    assert.deepEqual(
      [...at(own), own.user, own.password, own.database, own.attributes],
      ['host 1', 'o', 's', 'b', 'any'],
    )
  })

  test('session parameters are sent to the server, those of libpq are not', () => {
    const { startup, connectTimeoutMs } = read(
      'postgres://h/d?application_name=a&options=-c%20geqo%3Doff&statement_timeout=5&connect_timeout=3&sslmode=disable',
    )
    assert.deepEqual(startup, { application_name: 'a', options: '-c geqo=off', statement_timeout: '5' })
    assert.equal(connectTimeoutMs, 3_000)
  })
})

describe('an unsupported parameter is refused by its name, without the password', () => {
  const refused: [string, RegExp][] = [
    ['postgres://u:secret@h/d?service=x', /service/],
    ['postgres://u:secret@h/d?hostaddr=127.0.0.1', /hostaddr/],
    ['postgres://u:secret@h/d?channel_binding=require', /channel_binding/],
    ['postgres://u:secret@h/d?gssencmode=require', /gssencmode/],
    ['postgres://u:secret@h/d?sslcrl=x', /sslcrl/],
    ['postgres://u:secret@h/d?sslmode=verify', /sslmode.*verify-full/],
    ['postgres://u:secret@h/d?sslmode=verify-ca', /sslmode=verify-ca needs sslrootcert/],
    ['postgres://u:secret@h/d?sslrootcert=/x', /sslrootcert.*sslmode=verify-full/],
    ['postgres://u:secret@h/d?sslmode=verify-full&sslrootcert=/no/such', /sslrootcert.*no such file/i],
    ['postgres://u:secret@h/d?target_session_attrs=master', /target_session_attrs/],
    ['postgres://u:secret@h:http/d', /port/],
    ['postgres://u:secret@a,b,c/d?port=1,2', /3 hosts of the database URL need 1 or 3 ports, not 2/],
    ['postgres://u:secret@h/d%zz', /%25/],
    ['mysql://u:secret@h/d', /form/],
  ]
  for (const [url, words] of refused) {
    test(url.replace('secret', '…'), () =>
      assert.throws(
        () => read(url),
        (error: Error) => {
          assert.ok(error instanceof DatabaseUrlRefused)
          assert.match(error.message, words)
          assert.ok(!error.message.includes('secret'), error.message)
          return true
        },
      ),
    )
  }
})

// The table of sslmode in PostgreSQL 18, 32.19.3 "Protection Provided in Different Modes".
describe('sslmode', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-tls-'))
  atEnd(() => rm(folder, { recursive: true }))
  const root = join(folder, 'root.crt')
  await writeFile(root, createAuthority('Databases').issue(['db.example']).cert)
  const shown = (query: string, env: NodeJS.ProcessEnv = {}) =>
    read(`postgres://h/d?${query}`, env).tls.map((tls) => {
      if (tls === false) return 'plain'
      const isChecked = tls.rejectUnauthorized !== false
      const namesOf = tls.checkServerIdentity ? 'chain' : 'chain and name'
      return `${isChecked ? namesOf : 'unverified'}${tls.ca ? ' by root' : ''}`
    })
  const modes: [string, string[], NodeJS.ProcessEnv?][] = [
    ['', ['plain']],
    ['sslmode=disable', ['plain']],
    ['sslmode=allow', ['plain', 'unverified']],
    ['sslmode=prefer', ['unverified', 'plain']],
    ['sslmode=require', ['unverified']],
    [`sslmode=require&sslrootcert=${root}`, ['chain by root']],
    [`sslmode=verify-ca&sslrootcert=${root}`, ['chain by root']],
    ['sslmode=verify-full', ['chain and name']],
    [`sslmode=verify-full&sslrootcert=${root}`, ['chain and name by root']],
    ['sslmode=verify-full&sslrootcert=system', ['chain and name']],
    ['sslrootcert=system', ['chain and name']],
    ['', ['chain and name by root'], { PGSSLMODE: 'verify-full', PGSSLROOTCERT: root }],
    ['sslmode=verify-ca', ['chain by root'], { PGSSLROOTCERT: root }],
    ['', ['plain'], { PGSSLROOTCERT: root }],
    ['sslmode=disable', ['plain'], { PGSSLMODE: 'require' }],
  ]
  for (const [query, expected, env] of modes) {
    test(`${query || 'none'}${env ? ` with ${Object.keys(env).join()}` : ''} is ${expected.join(', then ')}`, () =>
      assert.deepEqual(shown(query, env), expected))
  }
})
