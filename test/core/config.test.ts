import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { envExample } from '../../scripts/env-example.ts'
import { refusedKind, toAddressRange } from '../../src/core/domain/addresses/addresses.ts'
import { ConfigInvalid, readConfig, settingHelp, settingNames, settings } from '../../src/core/config.ts'
import { hidePassword } from '../../src/core/server/database-connection.ts'

function faultsOf(flags: Record<string, unknown>, env: Record<string, string> = {}): string[] {
  try {
    readConfig(settingNames, flags, env)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigInvalid)
    return error.faults
  }
}

describe('settings', () => {
  test('have their defaults if unset', () => {
    const config = readConfig(settingNames, {}, {})
    assert.deepEqual(config, {
      dataDir: './data',
      pgBin: null,
      databaseUrl: null,
      checkpointKey: null,
      databaseDirectUrl: null,
      databasePooler: null,
      dbConnections: 10,
      dbPipelining: true,
      databaseReadUrl: null,
      dbTimeout: 10,
      dbWait: 30,
      modules: null,
      operatorNames: 'keep',
      host: '127.0.0.1',
      port: 4747,
      publicUrl: null,
      trustProxy: [],
      tlsCert: null,
      tlsKey: null,
      operationsAddress: null,
      operations: true,
      docs: true,
      console: true,
      consoleInsecure: false,
      rateLimit: 50,
      rateBurst: 100,
      role: 'all',
      processes: 1,
      drainSeconds: 0,
      headsDir: null,
      diskReserve: 1_024,
      logLevel: null,
      allowHttp: false,
      allowAddress: [],
      webhookRetries: [5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * 3_600_000)],
      webhookLease: 10,
      webhookInFlight: 8,
      webhookSockets: 512,
      webhookReplays: 6,
      deliveryRetention: 30,
      unknownKeys: 100,
      requestsPerKey: 100,
      requests: 1_000,
      streamsPerKey: 20,
      streams: 2_000,
      webhooksPerLocation: 100,
      webhookTests: 10,
      pageBytes: 8_388_608,
      signIns: 10,
      sourceSecretsDir: '/run/secrets/tillgate',
      sourceUrls: [],
      noticeDays: 30,
      noticesKept: 1_000,
      accessDays: 400,
      recipient: [],
      passphraseFile: null,
    })
  })

  test('accept the retry schedule as waits with a unit, and refuse anything else', () => {
    const read = (waits: string) =>
      readConfig(['webhookRetries'], {}, { TILLGATE_WEBHOOK_RETRIES: waits }).webhookRetries
    assert.deepEqual(read('1s, 2m,3h 4d'), [1_000, 120_000, 10_800_000, 345_600_000])
    for (const waits of ['5', '0s', '8d', '-1s', '1.5h', '5 s', 'soon']) {
      assert.match(
        faultsOf({}, { TILLGATE_WEBHOOK_RETRIES: waits })[0] ?? '',
        /^TILLGATE_WEBHOOK_RETRIES must be waits/,
      )
    }
  })

  test('take a flag before a variable, and a variable before the default', () => {
    const env = { TILLGATE_PORT: '5000', TILLGATE_RATE_LIMIT: '7.5', TILLGATE_HOST: '' }
    const config = readConfig(['port', 'rateLimit', 'host'], { port: '0' }, env)
    assert.deepEqual(config, { port: 0, rateLimit: 7.5, host: '127.0.0.1' })
  })

  test('accept every usual spelling of on and off', () => {
    for (const [given, meant] of [
      ['on', true],
      ['TRUE', true],
      ['1', true],
      ['off', false],
      ['no', false],
      [true, true],
    ] as const) {
      assert.equal(readConfig(['operations'], { operations: given }, {}).operations, meant, String(given))
    }
  })

  test('with several values accept commas, spaces and duplicates', () => {
    const expected = { allowAddress: ['10.0.0.0/8', 'fd00::/8', '127.0.0.1'].map(toAddressRange) }
    assert.deepEqual(readConfig(['allowAddress'], { allowAddress: ['10.0.0.0/8', 'fd00::/8,127.0.0.1'] }, {}), expected)
    const env = { TILLGATE_ALLOW_ADDRESS: '10.0.0.0/8, fd00::/8 127.0.0.1' }
    assert.deepEqual(readConfig(['allowAddress'], {}, env), expected)
  })

  test('are converted to the form that the program uses, and survive the transfer to another process', () => {
    const flags = { allowAddress: ['10.0.0.0/8', '::ffff:192.168.7.20'], publicUrl: 'https://pos.example/till//' }
    const config = readConfig(settingNames, flags, {})
    assert.equal(config.publicUrl, 'https://pos.example/till')
    const { allowAddress } = JSON.parse(JSON.stringify(config)) as typeof config
    assert.equal(refusedKind('10.1.2.3', allowAddress), null)
    assert.equal(refusedKind('192.168.7.20', allowAddress), null)
    assert.equal(refusedKind('192.168.7.21', allowAddress), 'private')
  })

  test('report all faults at once, each with its source and what it must be', () => {
    const flags = { port: '65536', role: 'web', operations: 'maybe', dbConnections: '1.5', publicUrl: 'pos.example' }
    const env = { TILLGATE_PORT: '1', TILLGATE_RATE_LIMIT: '-1', TILLGATE_ALLOW_ADDRESS: '10.0.0.0/33' }
    assert.deepEqual(faultsOf(flags, env), [
      '--db-connections must be a whole number from 1 to 1000, not "1.5"',
      '--port must be a whole number from 0 to 65535, not "65536"',
      '--public-url must be a URL that begins with https:// or http://, without user, password, ? and #, not "pos.example"',
      'TILLGATE_RATE_LIMIT must be a number from 0 to 1000000, not "-1"',
      '--role must be one of all, api, delivery, not "web"',
      'TILLGATE_ALLOW_ADDRESS must be addresses or blocks such as 10.0.0.0/8, not "10.0.0.0/33"',
      '--operations must be on or off, not "maybe"',
    ])
  })

  test('refuse a base URL with a user or password, and do not show them', () => {
    for (const [url, shown] of [
      ['https://u:hush@x.example', '***@x.example'],
      ['https://hush@x.example/a', '***@x.example/a'],
      ['https://u:hu/sh@x.example', '***@x.example'],
      ['u:hush@x.example', '***@x.example'],
    ] as const) {
      const must = 'must be a URL that begins with https:// or http://, without user, password, ? and #'
      assert.deepEqual(faultsOf({ publicUrl: url }), [`--public-url ${must}, not ${JSON.stringify(shown)}`])
    }
    for (const url of ['https://pos.example:8443/a@b', 'http://[::1]:80/', 'https://pos.example']) {
      assert.deepEqual(faultsOf({ publicUrl: url }), [])
    }
  })

  test('list the trusted proxies, not just whether there are any', () => {
    assert.deepEqual(faultsOf({}, { TILLGATE_TRUST_PROXY: 'on' }), [
      'TILLGATE_TRUST_PROXY must be the addresses or blocks of the proxies in front, such as 127.0.0.1 or 10.0.0.0/8, not "on"',
    ])
  })

  test('accept an address to listen on with its port, or off', () => {
    const read = (text: string) => readConfig(['operationsAddress'], { operationsAddress: text }, {}).operationsAddress
    assert.deepEqual(read('127.0.0.1:0'), { host: '127.0.0.1', port: 0 })
    assert.deepEqual(read('[::1]:4748'), { host: '::1', port: 4748 })
    assert.deepEqual(read('localhost:65535'), { host: 'localhost', port: 65_535 })
    assert.equal(read('off'), 'off')
    for (const text of ['4748', ':4748', '127.0.0.1', '127.0.0.1:65536', '::1:4748', 'http://127.0.0.1:4748', 'on']) {
      assert.match(
        faultsOf({ operationsAddress: text })[0] ?? '',
        /^--operations-address must be an address and a port/,
      )
    }
  })

  test('never show a database password, valid or not', () => {
    assert.deepEqual(faultsOf({}, { DATABASE_URL: 'mysql://till:hunter2@db' }), [
      'DATABASE_URL must be a URL that begins with postgres://',
    ])
    for (const [url, shown] of [
      ['postgres://till:hunter2@db.example:5432/pos', 'postgres://till:***@db.example:5432/pos'],
      ['postgres://till:hunter2/@#x@db/pos', 'postgres://till:***@db/pos'],
      ['postgres://db/pos?user=till&password=hunter2', 'postgres://db/pos?user=till&password=***'],
      ['postgres://till@db/pos', 'postgres://till@db/pos'],
    ] as const) {
      assert.equal(hidePassword(url), shown)
    }
  })

  test('accept age recipients, and never show an invalid one, which may be the secret key', () => {
    const pair = [
      'age1ure7n2rf2653q2akx70fjfdvg9cvl2lu5wxe4nywwmcpuqrlgsxqmxhjcn',
      'AGE-SECRET-KEY-13YTGTYX929FLL4UJJ5WSEN43ZE3XX5L8FZFXS6K6QFTL9A4XNRZSVFR03T',
    ] as const
    const faultOf = (text: string) => faultsOf({}, { TILLGATE_BACKUP_RECIPIENT: text })
    assert.deepEqual(readConfig(['recipient'], {}, { TILLGATE_BACKUP_RECIPIENT: pair[0] }).recipient, [pair[0]])
    const fault = 'TILLGATE_BACKUP_RECIPIENT must be public age keys, which begin with age1'
    for (const text of [pair[1], 'ops@example.com', 'age1nobody', pair[0].toUpperCase(), pair.join()])
      assert.deepEqual(faultOf(text), [fault], text)
  })

  test('explain an invalid port that Kubernetes set', () => {
    const [fault = ''] = faultsOf({}, { TILLGATE_PORT: 'tcp://10.43.0.17:4747' })
    assert.match(fault, /^TILLGATE_PORT must be a whole number .*Kubernetes.*enableServiceLinks: false/)
  })
})

describe('files and texts made from the table of settings', () => {
  test('.env.example is up to date (npm run build writes it)', async () => {
    const written = await readFile(join(import.meta.dirname, '../../.env.example'), 'utf8')
    assert.equal(written, envExample())
  })

  test('.env.example contains every variable once, with a valid value', () => {
    const pairs = [...envExample().matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value])
    assert.deepEqual(
      pairs.map(([name]) => name),
      settingNames.map((name) => settings[name].env),
    )
    assert.deepEqual(faultsOf({}, Object.fromEntries(pairs)), [])
  })

  test('the help of an option states its default and its variable', () => {
    assert.equal(settingHelp('port'), 'Port to listen on; 0 picks a free one. (4747; TILLGATE_PORT)')
    assert.match(settingHelp('operations'), /\(on; TILLGATE_OPERATIONS\)$/)
    assert.match(settingHelp('databaseUrl'), /\(an embedded PostgreSQL; DATABASE_URL\)$/)
  })
})
