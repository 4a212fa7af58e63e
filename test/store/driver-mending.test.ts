import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { isFull, isUnavailable, openPool, transact, type Sql } from '../../src/store/database.ts'
import { Endings, openSocket, Places, type SocketOptions } from '../../src/store/driver-sockets.ts'
import { limitPool } from '../../src/store/limited-pool.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { createAuthority } from '../support/fault-certificates.ts'
import { dial, startNetwork } from '../support/network.ts'
import { eventually } from '../support/waiting.ts'

const { connection, pool } = await createDatabase()
const network = await startNetwork(connection)
const one = openPool(network.connection, { connections: 1, pipelining: true })
const two = openPool(network.connection, { connections: 2, pipelining: true })
atEnd(async () => {
  await Promise.all([one.end({ timeout: 1 }), two.end({ timeout: 1 })])
  await network.close()
})

/** Breaks the one connection in the midst of a result, with so many bytes of the next one carried. */
async function breakWithin(bytes: number): Promise<void> {
  network.cutAfter(bytes)
  network.cut()
  await eventually(
    () =>
      one`select n, repeat('x', 100) as x from generate_series(1, 2000) n`.then(
        () => false,
        () => network.carried >= bytes,
      ),
    'a result breaks off',
  )
  network.cutAfter(null)
}

describe('after a connection broke in the midst of a result', () => {
  for (const bytes of [900, 2_000, 20_000]) {
    for (const way of ['object', 'raw', 'unsafe', 'transaction'] as const) {
      test(`the next query has its own rows and no others (${bytes} bytes, ${way})`, async () => {
        await breakWithin(bytes)
        const asked = {
          object: async () => (await one`select n from generate_series(1, 3) n`).map((row) => row['n']),
          raw: async () =>
            (await one`select n from generate_series(1, 3) n`.raw()).map((row) => Number(String(row[0]))),
          unsafe: async () => (await one.unsafe('select n from generate_series(1, 3) n')).map((row) => row['n']),
          transaction: () =>
            transact(one, async (tx) => (await tx`select n from generate_series(1, 3) n`).map((row) => row['n'])),
        }
        const rows = await asked[way]()
        assert.deepEqual(rows, [1, 2, 3])
        const [first] = await one`select 'there' as found`
        assert.deepEqual({ ...first }, { found: 'there' })
      })
    }
  }
})

let asked = 0

/** Asks for a number that nobody else asks for; true for an answer, false where the connection was lost. */
async function answers(sql: Sql): Promise<boolean> {
  const n = ++asked
  try {
    const rows = await sql`select ${n}::int as n, ${'x'.repeat(n % 2 === 0 ? 2_000 : 1)}::text as filling`
    assert.deepEqual(
      rows.map((row) => row['n']),
      [n],
    )
    return true
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return false
  }
}

const warm = (pool: Sql) => Promise.all(Array.from({ length: 8 }, () => answers(pool)))

/** Resolves when the statement runs. */
const runs = (text: string) =>
  eventually(
    async () => (await pool`select 1 from pg_stat_activity where query = ${text} and state = 'active'`).length > 0,
    `${text} runs`,
  )

// A query that is never answered ends the test by its timeout.
describe('after connections were reset', { timeout: 60_000 }, () => {
  test('what is asked when the first query was rejected is answered, each query with its own row', async () => {
    for (let round = 0; round < 3; round++) {
      await warm(two)
      const text = `select pg_sleep(60), ${round}`
      const lost = two.unsafe(text).then(
        () => assert.fail('it was to be lost'),
        () => Promise.all([answers(two), answers(two), answers(two)]),
      )
      await runs(text)
      network.reset()
      assert.deepEqual(await lost, [true, true, true])
      assert.deepEqual(await warm(two), Array(8).fill(true))
    }
  })

  test('queries of every moment around it settle, in no transaction and in one', async () => {
    for (let round = 0; round < 6; round++) {
      await warm(two)
      const taken = network.taken
      const all: Promise<unknown>[] = []
      // What is sent now is written in the next turn, after the socket has been closed.
      await turn()
      network.reset()
      while (network.taken < taken + 2) {
        const inTransaction = transact(two, (tx) => Promise.all([answers(tx), answers(tx)])).catch((error: unknown) =>
          assert.ok(isUnavailable(error), String(error)),
        )
        all.push(
          answers(two),
          inTransaction,
          turn().then(() => answers(two)),
        )
        // Not more at once than a busy process has: they would fill the new connections for long.
        if (all.length > 60) await Promise.race(all.slice(-30))
        await turn()
      }
      await Promise.all(all)
      assert.deepEqual(await warm(two), Array(8).fill(true))
    }
  })

  test('a transaction is rejected, what waits in it too, and it sends nothing more', async () => {
    await pool`create table reset_rows (n int)`
    const late = Promise.withResolvers<Sql>()
    const text = 'select pg_sleep(60), 7'
    const waiting: Promise<boolean>[] = []
    const told = async (query: PromiseLike<unknown>) => query.then(() => false, isUnavailable)
    const lost = transact(two, async (tx) => {
      late.resolve(tx)
      const slow = tx.unsafe(text).catch(() => {})
      // What must be described first is sent alone, so that the next ones wait in the transaction.
      waiting.push(told(tx`select ${1}::int as a`), told(tx`select ${1}::int as b`), told(tx`select ${1}::int as c`))
      await Promise.all([slow, ...waiting])
    })
    await runs(text)
    network.reset()
    await assert.rejects(lost, (error) => isUnavailable(error))
    assert.deepEqual(await Promise.all(waiting), [true, true, true])
    const tx = await late.promise
    await warm(two)
    await assert.rejects(
      async () => tx`insert into reset_rows values (1)`,
      (error) => isUnavailable(error),
    )
    assert.deepEqual(await warm(two), Array(8).fill(true))
    assert.equal((await pool`select 1 from reset_rows`).length, 0)
  })

  test('a transaction that asks nothing at that moment is rejected as well', async () => {
    const { promise: isReset, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const lost = transact(two, async (tx) => {
      await answers(tx)
      begun.resolve()
      await isReset
      return await answers(tx)
    })
    await begun.promise
    network.reset()
    await assert.rejects(lost, (error) => isUnavailable(error))
    resolve()
    assert.deepEqual(await warm(two), Array(8).fill(true))
  })
})

test('a socket tells of its end after what was still to be written, and lets nothing be sent before all have heard', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endings = new Endings()
  const order: string[] = []
  const { port } = server.address() as AddressInfo
  const place = { host: ['127.0.0.1'], port: [port], path: false, ssl: false, sslnegotiation: null, connect_timeout: 5 }
  const socket = await openSocket(place as SocketOptions, endings, new Places())
  const { promise: sent, resolve } = Promise.withResolvers<void>()
  const emit = socket.emit.bind(socket) as typeof socket.emit
  socket.emit = ((event: string, ...args: unknown[]) => {
    // The driver writes a turn after it was asked to, and its timer may have a turn to go.
    if (event === 'close') setImmediate(() => setImmediate(() => order.push('written')))
    const isTaken = emit(event, ...args)
    if (event === 'close') endings.pass(() => (order.push('sent'), resolve()))
    return isTaken
  }) as typeof socket.emit
  socket.on('close', () => {
    order.push('told')
    setImmediate(() => order.push('heard'))
  })
  await sent
  assert.deepEqual(order, ['written', 'told', 'heard', 'sent'])
  server.close()
})

test('a connection that the server terminates is told to its own query only', async () => {
  for (const next of [() => answers(one), () => transact(one, (tx) => answers(tx))]) {
    await warm(one)
    const text = 'select pg_sleep(60), 8'
    const lost = assert.rejects(
      async () => one.unsafe(text),
      (error) => isUnavailable(error),
    )
    await runs(text)
    await pool`select pg_terminate_backend(pid) from pg_stat_activity where query = ${text}`
    await lost
    assert.equal(await next(), true)
  }
})

describe('TLS', { timeout: 60_000 }, () => {
  test('a database is reached by it where the URL says so, also after a reset', async () => {
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

  test('a database without it is refused where it is required, and taken where it is preferred', async () => {
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

test('of several places the one that answers is taken, and after a reset each query has its own row, too', async () => {
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

test('a place where nobody listens is told at once', async () => {
  const url = new URL(network.connection.url)
  url.port = '1'
  const nowhere = openPool({ url: url.href }, { connections: 1, pipelining: true })
  atEnd(() => nowhere.end({ timeout: 1 }))
  for (let round = 0; round < 3; round++) await assert.rejects(async () => nowhere`select 1`, { code: 'ECONNREFUSED' })
})

test('statements that fail in a row are told by the first of them', async () => {
  const refused = transact(pool, async (tx) => {
    const late = async () => {
      // One turn later than its neighbours, as statements of several store functions are.
      await Promise.resolve()
      await Promise.all([tx`select 1 / 0`, tx`select 4`])
    }
    await Promise.all([late(), tx`select 1`, tx`select 2`, tx`select 3`])
  })
  await assert.rejects(refused, { code: '22012' })
})

test('a pool with a deadline answers within it, rolls late transactions back, and goes on with new connections', async () => {
  const limited = limitPool(() => openPool(connection, { connections: 2, pipelining: true }), 300)
  atEnd(() => limited.end({ timeout: 1 }))
  await pool`create table late (n int)`
  await assert.rejects(limited`select pg_sleep(30)`, { code: 'DEADLINE_PASSED' })
  const writing = transact(limited, async (tx) => {
    await tx`insert into late values (1)`
    await tx`select pg_sleep(0.6)`
  })
  await assert.rejects(writing, { code: 'DEADLINE_PASSED' })
  assert.equal((await limited`select 1 as n`)[0]?.['n'], 1)
  await eventually(async () => {
    const rows =
      await pool`select 1 from pg_stat_activity where query like '%insert into late%' and state <> 'idle' and pid <> pg_backend_pid()`
    return rows.length === 0
  }, 'the late transaction has ended')
  assert.equal((await pool`select count(*) as n from late`)[0]?.['n'], 0)
  // A fragment of a statement is never sent by itself, and waits for nothing.
  const fragment = limited`n = ${1}`
  assert.equal((await limited`select count(*) as n from late where ${fragment}`)[0]?.['n'], 0)
})

test('a full disk is told from a database that is away', () => {
  for (const code of ['53000', '53100', '53200', '58030']) assert.equal(isFull({ code }), true, code)
  for (const code of ['53300', '57P03', '23505', undefined]) assert.equal(isFull({ code }), false, String(code))
})
