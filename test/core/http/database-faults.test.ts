import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, describe, test } from 'node:test'
import { isUnavailable, openPool, transact } from '../../../src/core/store/db/database.ts'
import { Reader } from '../../../src/core/store/db/reader/reader.ts'
import { assertProblem } from '../conformance/contract.ts'
import { openServer, send, startApp, type OpenServer } from '../../support/app.ts'
import { startNetwork, type Network } from '../../support/network.ts'
import { everyRecord, idOf, linesOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const direct = await startApp()
await direct.store(everyRecord(direct.location))

const reads = [
  '/v1/orders/',
  `/v1/orders/${idOf('order', 1)}`,
  '/v1/reports/',
  '/v1/catalog/',
  '/v1/locations/own',
  '/v1/webhooks/',
  '/v1/events/',
  '/health/',
  '/readyz',
]

/** Deadline of the database: short, to keep the tests short. A request that waits is answered after it, not before. */
const deadlineMs = 400

type Site = { network: Network; server: OpenServer; ask(method: string, path: string): ReturnType<typeof send> }

async function startBehindNetwork(): Promise<Site & { close(): Promise<void> }> {
  const network = await startNetwork(direct.database.connection)
  const pool = openPool(network.connection, { connections: 4, pipelining: true, deadlineMs })
  const server = await openServer(pool, { deadlineMs })
  const agent = new Agent({ keepAlive: true })
  return {
    network,
    server,
    ask(method, path) {
      const isPush = method === 'POST'
      const headers = { 'x-api-key': direct.key, ...(isPush ? { 'content-type': 'application/x-ndjson' } : {}) }
      const body = isPush ? { body: linesOf(everyRecord(direct.location)) } : {}
      return send(agent, server.port, method, path, { headers, ...body })
    },
    async close() {
      agent.destroy()
      network.become('open')
      await server.close()
      await pool.end({ timeout: 1 })
      await network.close()
    },
  }
}

async function assertRefused({ ask }: Site, state: string) {
  const requests = [...reads.map((path) => ['GET', path] as const), ['POST', '/v1/ingest/'] as const]
  const answers = await Promise.all(requests.map(([method, path]) => ask(method, path)))
  for (const [i, answer] of answers.entries()) {
    assertProblem(answer, { status: 503, code: 'database_unavailable' })
    assert.ok(Number(answer.headers['retry-after']) >= 1, `${state}: ${requests[i]?.[1]}`)
  }
}

for (const state of ['closes', 'hears', 'silent'] as const) {
  describe(`a network that ${state === 'silent' ? 'is silent' : state}`, () => {
    for (const warm of [true, false]) {
      test(`${warm ? 'once connected' : 'before the first connection'} every request is answered 503, and the server recovers`, async () => {
        const site = await startBehindNetwork()
        after(() => site.close())
        const { network, server, ask } = site
        if (warm) {
          // On a busy machine a first answer may take longer than the deadline.
          await eventually(async () => {
            const answers = await Promise.all(reads.map((path) => ask('GET', path)))
            return answers.every(({ status }) => status === 200)
          }, 'every read is answered at once')
        }
        network.become(state)
        for (let round = 0; round < 3; round++) await assertRefused(site, state)
        assert.equal((await ask('GET', '/livez')).status, 200)
        network.become('open')
        // On a busy machine an answer may still take longer than the deadline.
        for (const [method, path] of [
          ...reads.map((path) => ['GET', path] as const),
          ['POST', '/v1/ingest/'] as const,
        ]) {
          await eventually(async () => {
            const { status } = await ask(method, path)
            assert.ok(status === 200 || status === 503, `${path} answered ${status}`)
            return status === 200
          }, `${path} answers again`)
        }
        const changes = () => server.lines.flatMap(({ msg }) => /does not answer|answers again/.exec(msg)?.[0] ?? [])
        await eventually(() => changes().at(-1) === 'answers again', 'the log says that it is back')
        const errors = server.lines.filter(({ level }) => level === 'error')
        // One line when the database becomes unavailable and one when it is back, however often a busy machine loses
        // it.
        for (const [i, change] of changes().entries()) {
          assert.equal(change, i % 2 === 0 ? 'does not answer' : 'answers again', JSON.stringify(server.lines))
        }
        assert.equal(errors.length, changes().length / 2, JSON.stringify(errors))
      })
    }
  })
}

test('a query without an answer is rejected at its deadline, and the connections of that time are closed', async () => {
  const network = await startNetwork(direct.database.connection)
  const pool = openPool(network.connection, { connections: 2, pipelining: true, deadlineMs })
  after(async () => {
    network.become('open')
    await pool.end({ timeout: 1 })
    await network.close()
  })
  const answers = () =>
    pool`select 1`.then(
      () => true,
      () => false,
    )
  // On a busy machine the first connection may take longer than the deadline.
  await eventually(answers, 'the pool is connected')
  network.become('silent')
  await assert.rejects(async () => pool`select 1`, { code: 'DEADLINE_PASSED' })
  const before = network.taken
  network.become('open')
  await eventually(answers, 'the pool answers again')
  assert.ok(network.taken > before, 'it goes on over a new connection')
  await eventually(() => network.links === network.taken - before, 'those of before are gone')
})

test('a connection that ends at any byte of its start-up counts as an unavailable database, not as an internal error', async () => {
  const network = await startNetwork(direct.database.connection)
  after(() => network.close())
  const pool = openPool(network.connection, { connections: 1, pipelining: true })
  after(() => pool.end({ timeout: 1 }))
  for (let bytes = 1; bytes < 700; bytes += 7) {
    network.cutAfter(bytes)
    const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
    const text = "select repeat('x', 1000)"
    await assert.rejects(reader.first(text, []), (error) => isUnavailable(error), `${bytes} bytes`)
    reader.end()
  }
})

test('a statement that its time limit ends is answered with 503', async () => {
  const network = await startNetwork(direct.database.connection)
  const pool = openPool(network.connection, { connections: 1, pipelining: true })
  after(async () => {
    await pool.end({ timeout: 1 })
    await network.close()
  })
  await assert.rejects(
    transact(pool, async (tx) => {
      await tx`set local statement_timeout = 10`
      await tx`select pg_sleep(10)`
    }),
    isUnavailable,
  )
})
