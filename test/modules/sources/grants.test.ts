import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { accessTokenIn, grantIn, type Exchange } from '../../../src/modules/sources/polling/grants.ts'
import { PullFailed, type OAuth } from '../../../src/modules/sources/adapters/pull.ts'
import { addLocation } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { FakeSquare } from './fake-square.ts'
import { startFake, VirtualClock, type Answer, type Call } from './faults.ts'
import { pollOf } from './polled.ts'

const dayMs = 86_400_000
const now = new Date('2026-03-27T11:00:00.000Z')
const oauth: OAuth = { path: '/oauth/token', style: 'form', renewBeforeMs: 60_000 }

const folder = mkdtempSync(join(tmpdir(), 'tillgate-grants-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
function grantFile(more: object = {}): string {
  const path = join(folder, `grant-${++files}.json`)
  const grant = { client_id: 'app', client_secret: 's3cret', refresh_token: 'refresh-0', mine: [1], ...more }
  writeFileSync(path, JSON.stringify(grant), { mode: 0o644 })
  return path
}

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

/** Creates a system that accepts each refresh token once. */
function strictSystem() {
  let count = 0
  const exchange: Exchange = async ({ form }) => {
    if (form?.['refresh_token'] !== `refresh-${count}`) {
      throw new PullFailed('stop', 'HTTP 400. It said: invalid_grant', { status: 400 })
    }
    count += 1
    return { access_token: `access-${count}`, refresh_token: `refresh-${count}`, expires_in: 3_600 }
  }
  return { exchange, renewals: () => count }
}

const token = (path: string, exchange: Exchange, more: { at?: Date; refused?: string } = {}) =>
  accessTokenIn(path, grantIn(readFileSync(path, 'utf8')) as never, {
    oauth,
    exchange,
    now: more.at ?? now,
    refused: more.refused,
  })

describe('an authorization with a single-use refresh token', () => {
  test('is renewed when its token expires or is refused, and the new one is on disk, readable by its owner only', async () => {
    const [path, system] = [grantFile(), strictSystem()]
    assert.equal(await token(path, system.exchange), 'access-1')
    assert.equal(await token(path, system.exchange), 'access-1')
    assert.deepEqual(read(path), {
      client_id: 'app',
      client_secret: 's3cret',
      refresh_token: 'refresh-1',
      mine: [1],
      access_token: 'access-1',
      expires_at: '2026-03-27T12:00:00.000Z',
    })
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(await token(path, system.exchange, { at: new Date('2026-03-27T11:59:30.000Z') }), 'access-2')
    assert.equal(await token(path, system.exchange, { refused: 'access-2' }), 'access-3')
    assert.ok(!existsSync(`${path}.lock`) && !existsSync(`${path}.new`))
  })

  test('is renewed once, however many sources share it', async () => {
    const [path, system] = [grantFile(), strictSystem()]
    const grant = grantIn(readFileSync(path, 'utf8')) as never
    const renewing = { oauth, exchange: system.exchange, now }
    const tokens = await Promise.all(Array.from({ length: 10 }, () => accessTokenIn(path, grant, renewing)))
    assert.deepEqual([new Set(tokens), system.renewals()], [new Set(['access-1']), 1])
  })

  test('is not used if the new one could not be stored', async () => {
    const [path, system] = [grantFile(), strictSystem()]
    mkdirSync(`${path}.new`)
    await assert.rejects(token(path, system.exchange), /grant-\d+\.json cannot be written \(EISDIR\)/)
    assert.equal(system.renewals(), 0)
  })

  test('that failed temporarily is retried with the same token', async () => {
    const [path, system] = [grantFile(), strictSystem()]
    const fails: Exchange = async () => {
      throw new PullFailed('again', 'no answer')
    }
    await assert.rejects(token(path, fails), /no answer/)
    assert.equal(await token(path, system.exchange), 'access-1')
    assert.equal(read(path).renewing_since, undefined)
  })

  const program = `
    import { accessTokenIn, grantIn } from ${JSON.stringify(join(import.meta.dirname, '../../../src/modules/sources/polling/grants.ts'))}
    import { readFileSync } from 'node:fs'
    const path = process.argv[1]
    // The system has answered, and nothing is stored yet.
    const exchange = async () => process.kill(process.pid, 'SIGKILL')
    const renewing = { oauth: ${JSON.stringify(oauth)}, exchange, now: new Date('${now.toISOString()}') }
    await accessTokenIn(path, grantIn(readFileSync(path, 'utf8')), renewing)`

  test('continues after a kill between answer and file if the system repeats the token, and otherwise states what to do', async () => {
    for (const isGracious of [true, false]) {
      const path = grantFile()
      const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program, path])
      assert.equal(signal, 'SIGKILL')
      assert.deepEqual([read(path).refresh_token, read(path).renewing_since], ['refresh-0', now.toISOString()])
      const system = strictSystem()
      if (isGracious) {
        assert.equal(await token(path, system.exchange), 'access-1')
        continue
      }
      await system.exchange({ method: 'POST', path: '', form: { refresh_token: 'refresh-0' } }, {}, [])
      const expected =
        /refresh token in .*grant-\d+\.json was used at 2026-03-27T11:00:00\.000Z, but the response was lost.*authorize the application again, write the new refresh_token to .*and resume the source/
      await assert.rejects(token(path, system.exchange), expected)
      // A person has followed the advice of the message.
      writeFileSync(path, JSON.stringify({ ...read(path), renewing_since: undefined, refresh_token: 'refresh-1' }))
      assert.equal(await token(path, system.exchange), 'access-2')
    }
  })
})

/** Square with authorised applications: an access token ends after thirty days, and a refresh token is valid once. */
class AuthorisedSquare extends FakeSquare {
  renewals = 0
  accept: (token: string) => void = () => {}
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    super(1, clock)
    this.#clock = clock
  }

  override answer(call: Call): Answer {
    if (call.path !== '/oauth2/token') return super.answer(call)
    const { client_id, client_secret, grant_type, refresh_token } = call.body
    const isGood = client_id === 'app' && client_secret === 's3cret' && grant_type === 'refresh_token'
    if (!isGood || refresh_token !== `refresh-${this.renewals}`) {
      return { status: 401, body: { message: `no such refresh_token: ${refresh_token}` } }
    }
    this.renewals += 1
    const access_token = `access-${this.renewals}`
    this.accept(access_token)
    const expires_at = new Date(this.#clock.ms + 30 * dayMs).toISOString()
    return { status: 200, body: { access_token, refresh_token: `refresh-${this.renewals}`, expires_at } }
  }
}

test('a source with an authorization is read for months, and its failure has a message without a secret', async () => {
  const { pool } = await createDatabase()
  const clock = new VirtualClock('2026-03-27T11:00:00.000Z')
  const shop = new AuthorisedSquare(clock)
  const fake = await startFake(shop, { seed: 1, clock, isLogin: ({ path }) => path.includes('oauth2') })
  fake.calm()
  const place = { timeZone: 'Europe/London', currency: 'GBP', dayStartsAt: '04:00' }
  const locationId = await addLocation(pool, undefined, place)
  const secretOf = () => JSON.stringify({ client_id: 'app', client_secret: 's3cret', refresh_token: 'refresh-0' })
  const { account } = shop
  const polled = await pollOf(pool, { adapter: 'square', account, locationId, fake, clock, seed: 1, secretOf })
  fake.rotated = () => {}
  shop.accept = (token) => (fake.token = token)
  try {
    for (let day = 0; day < 90; day += 3) {
      shop.act()
      assert.equal(await polled.run(), 'done', String((await polled.find()).lastError))
      clock.advance(3 * dayMs)
    }
    // A renewal at the next run after each seven days.
    assert.equal(shop.renewals, 10)
    // A person revoked the token: a different token is valid now.
    fake.token = 'another'
    shop.renewals = 99
    const end = await polled.runWhole()
    assert.equal(end.kind, 'stopped')
    const message = 'error' in end ? end.error : ''
    assert.match(message, /the refresh token in .* is refused: authorize the application again/)
    assert.doesNotMatch(message, /refresh-10|s3cret|access-/)
  } finally {
    await fake.close()
    await polled.close()
  }
})
