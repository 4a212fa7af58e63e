import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { TLSSocket } from 'node:tls'
import { isUnavailable, openPool } from '../../../../../src/core/store/db/database.ts'
import { atEnd } from '../../../../support/database.ts'
import { createAuthority } from '../../../../support/fault-certificates.ts'
import { dial } from '../../../../support/network.ts'
import { answers, startCutNetwork, warm } from '../../cut-network.ts'

const { network, runs } = await startCutNetwork()

describe('TLS', { timeout: 240_000 }, () => {
  test('is used if the URL asks for it, also after a reset', async () => {
    const { cert, key } = createAuthority('Databases').issue(['127.0.0.1'])
    const clients = new Set<Socket>()
    const front = createServer((client) => {
      clients.add(client)
      client
        .on('error', () => {})
        .once('data', () => {
          client.write('S')
          const secured = new TLSSocket(client, { isServer: true, cert, key })
          const server = dial(network.connection)
          secured.on('error', () => {}).on('close', () => server.destroy())
          server.on('error', () => {}).on('close', () => secured.destroy())
          secured.pipe(server).pipe(secured)
        })
    }).listen(0, '127.0.0.1')
    await once(front, 'listening')
    const url = new URL(network.connection.url)
    url.port = String((front.address() as AddressInfo).port)
    const open = (mode: string) =>
      openPool({ url: `${url.href}?sslmode=${mode}` }, { connections: 2, pipelining: true })
    const secured = open('require')
    const verified = open('verify-full')
    atEnd(async () => {
      await Promise.all([secured.end({ timeout: 1 }), verified.end({ timeout: 1 })])
      front.close()
    })
    assert.deepEqual(await warm(secured), Array(8).fill(true))
    const text = 'select pg_sleep(60), 9'
    const lost = secured.unsafe(text).catch(() => Promise.all([answers(secured), answers(secured)]))
    await runs(text)
    for (const client of clients) client.resetAndDestroy()
    assert.deepEqual(await lost, [true, true])
    await assert.rejects(async () => verified`select 1`, { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  })

  test('a database without TLS is refused if it is required, and accepted if it is preferred', async () => {
    const open = (mode: string) =>
      openPool({ url: `${network.connection.url}?sslmode=${mode}` }, { connections: 1, pipelining: true })
    const [required, preferred] = [open('require'), open('prefer')]
    atEnd(() => Promise.all([required.end({ timeout: 1 }), preferred.end({ timeout: 1 })]))
    await assert.rejects(
      async () => required`select 1`,
      (error) => isUnavailable(error),
    )
    assert.equal(await answers(preferred), true)
  })
})

test('of several hosts the reachable one is used, and after a reset each query still gets its own row', async () => {
  const url = new URL(network.connection.url)
  const several = openPool(
    { url: url.href.replace(url.host, `127.0.0.1:1,${url.host}`) },
    { connections: 2, pipelining: true },
  )
  atEnd(() => several.end({ timeout: 1 }))
  assert.deepEqual(await warm(several), Array(8).fill(true))
  for (let round = 0; round < 3; round++) {
    const text = `select pg_sleep(60), 10, ${round}`
    const lost = several.unsafe(text).then(
      () => assert.fail('it was to be lost'),
      () => Promise.all([answers(several), answers(several), answers(several)]),
    )
    await runs(text)
    network.reset()
    assert.deepEqual(await lost, [true, true, true])
  }
})

test('a host where nobody listens is reported at once', async () => {
  const url = new URL(network.connection.url)
  url.port = '1'
  const nowhere = openPool({ url: url.href }, { connections: 1, pipelining: true })
  atEnd(() => nowhere.end({ timeout: 1 }))
  for (let round = 0; round < 3; round++) await assert.rejects(async () => nowhere`select 1`, { code: 'ECONNREFUSED' })
})
