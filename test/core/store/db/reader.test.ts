import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isUnavailable, openPool } from '../../../../src/core/store/db/database.ts'
import { Reader, type RowHandler } from '../../../../src/core/store/db/reader/reader.ts'
import { ServerError } from '../../../../src/core/store/db/reader/wire.ts'
import { atEnd, createDatabase, everyServer } from '../../../support/database.ts'
import { startNetwork } from '../../../support/network.ts'
import { eventually } from '../../../support/waiting.ts'

const databases = await Promise.all((await everyServer()).map((server) => createDatabase({ server })))

/** A statement for a location, and one for a resource in it. */
type Finding = { before: string; one: string }

/** The response for a key: a text that is different each time, and twelve divided by the key. */
const byDivisor: Finding = {
  before: "select gen_random_uuid()::text || ' ' || $1",
  one: 'select (12 / $2::int)::text where $1::text is not null',
}

/** Resolves to the response for one key, row by row. */
async function find(reader: Reader, { before, one }: Finding, location: string, key: string): Promise<string[]> {
  const rows: string[] = []
  const row: RowHandler = (chunk, from, to) => void rows.push(chunk.toString('utf8', from, to))
  await reader.query(
    { text: before, parameters: [location], limit: 1, row },
    { text: one, parameters: [location, key], limit: 1, row },
  )
  return rows
}

for (const { server, pool } of databases) {
  const readerOf = (connections: number, pipelining = true) => {
    const reader = new Reader(pool, { connections, pipelining, deadlineMs: 60_000 })
    atEnd(async () => reader.end())
    return reader
  }
  const backends = async (of = pool) => {
    const rows = await of`
      select pid from pg_stat_activity
      where datname = current_database() and query like '%reader-test%' and pid <> pg_backend_pid()`
    return rows.map((row) => row['pid'] as number)
  }

  describe(`on the ${server} server`, () => {
    for (const pipelining of [true, false]) {
      test(`concurrent queries get their own answers, of any length, pipelining ${pipelining ? 'on' : 'off'}`, async () => {
        const reader = readerOf(2, pipelining)
        const text = fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('', 'é'.repeat(200_000), 'x'.repeat(70_000)),
        )
        const texts = fc.array(
          text.map((t) => t.replaceAll('\0', '')),
          { maxLength: 30 },
        )
        await fc.assert(
          fc.asyncProperty(texts, async (all) => {
            const found = await Promise.all(all.map((t) => reader.first('select $1::text', [t])))
            assert.deepEqual(found.map(String), all)
          }),
          { numRuns: 30 },
        )
      })
    }

    test('the queries of one request are answered in order, row by row', async () => {
      const reader = readerOf(1)
      const rows: string[] = []
      const row = (chunk: Buffer, from: number, to: number) => void rows.push(chunk.toString('utf8', from, to))
      const series = 'select n::text from generate_series(1, $1::int) n'
      await reader.query(
        { text: series, parameters: ['3'], limit: 3, row },
        { text: 'select $1::text', parameters: ['then'], limit: 1, row },
      )
      assert.deepEqual(rows, ['1', '2', '3', 'then'])
      assert.equal(await reader.first('select null::text', []), undefined)
      assert.equal(await reader.first('select $1::text where false', ['none']), undefined)
    })

    test('an error belongs to its own request, and the statement can be run again', async () => {
      const reader = readerOf(1)
      const half = 'select (10 / $1::int)::text'
      const [zero, five] = await Promise.allSettled([reader.first(half, ['0']), reader.first(half, ['2'])])
      assert.ok(zero.status === 'rejected' && zero.reason instanceof ServerError)
      assert.equal(zero.reason.code, '22012')
      assert.match(zero.reason.message, /division by zero/)
      assert.equal(isUnavailable(zero.reason), false)
      assert.equal(String(five.status === 'fulfilled' && five.value), '5')
      assert.equal(String(await reader.first(half, ['5'])), '2')
      await assert.rejects(reader.first('select nothing from nowhere', []), { code: '42P01' })
      assert.equal(String(await reader.first(half, ['1'])), '10')
    })

    test('an error among concurrent queries belongs to its own request, and is reported once', async () => {
      const reader = readerOf(1)
      const text = 'select (12 / $1::int)::text from generate_series(1, 2)'
      const rows = new Map<number, string[]>()
      const ask = (by: number, n: number) =>
        reader.query({
          text,
          parameters: [String(by)],
          limit: 2,
          row: (chunk, from, to) => rows.set(n, [...(rows.get(n) ?? []), chunk.toString('utf8', from, to)]),
        })
      // The first query fails, so the statement that it would have prepared for the later ones does not exist.
      const divisors = [0, ...Array.from({ length: 40 }, (_, n) => (n % 7 === 0 ? 0 : 1 + (n % 12)))]
      const ended = await Promise.allSettled(divisors.map(ask))
      for (const [n, by] of divisors.entries()) {
        assert.equal(ended[n]?.status, by === 0 ? 'rejected' : 'fulfilled', `request ${n}`)
        const twelfth = String(Math.trunc(12 / by))
        assert.deepEqual(rows.get(n), by === 0 ? undefined : [twelfth, twelfth], `request ${n}`)
      }
    })

    test('a statement whose preparation was skipped is prepared again', async () => {
      const reader = readerOf(1)
      const [wrong, fine] = ['select nothing from nowhere where $1 is null', 'select $1::text']
      const row = () => {}
      const pending = Promise.allSettled([
        reader.query({ text: wrong, parameters: ['1'], limit: 1, row }),
        // After a failed statement with the same beginning, this one is not prepared; the statements after it expect
        // that it is.
        reader.query(
          { text: wrong, parameters: ['1'], limit: 1, row },
          { text: fine, parameters: ['1'], limit: 1, row },
        ),
        ...Array.from({ length: 20 }, (_, n) => reader.first(fine, [String(n)])),
      ])
      const answers = (await pending).slice(2)
      assert.deepEqual(
        answers.map((answer) => answer.status === 'fulfilled' && String(answer.value)),
        Array.from({ length: 20 }, (_, n) => String(n)),
      )
    })

    test('concurrent look-ups share one transaction, each gets its own row, and equal ones the same', async () => {
      const reader = readerOf(1)
      // The connection is open, so that the following statements are sent together.
      await reader.first('select 1::text', [])
      const lookups = ['one 1', 'two 2', 'one 3', 'one 4', 'two 2', 'one 6', 'two 12', 'one 4']
      const found = await Promise.all(
        lookups.map((what) => {
          const [location = '', key = ''] = what.split(' ')
          return find(reader, byDivisor, location, key)
        }),
      )
      const before = new Map<string, Set<string | undefined>>()
      for (const [n, what] of lookups.entries()) {
        const [location = '', key] = what.split(' ')
        const [first, ...rest] = found[n] as string[]
        assert.deepEqual(rest, [String(12 / Number(key))], what)
        assert.match(first as string, new RegExp(`^[-0-9a-f]{36} ${location}$`))
        before.set(location, (before.get(location) ?? new Set()).add(first))
      }
      const counts = [...before].map(([location, values]) => [location, values.size])
      assert.deepEqual(Object.fromEntries(counts), { one: 1, two: 1 })
    })

    test('equal concurrent queries run once, after the first statement of each caller, whichever fails', async () => {
      const reader = readerOf(1)
      await reader.first('select 1::text', [])
      const divided = "select $1 || ' ' || 12 / n from generate_series($2::int, 3) n"
      const queries = ['one 2', 'two 1', 'one 3', 'one 0', 'two 2', 'one 1', 'one 2'].map((what) => what.split(' '))
      const found = queries.map((): string[] => [])
      const ended = await Promise.allSettled(
        queries.map((parameters, n) => {
          const row: RowHandler = (chunk, start, end) => void found[n]?.push(chunk.toString('utf8', start, end))
          const after = {
            text: 'select gen_random_uuid()::text || $1',
            parameters: parameters.slice(0, 1),
            limit: 1,
            row,
          }
          return reader.query({ text: divided, parameters, limit: 4, row }, after)
        }),
      )
      const answers = new Set<string | undefined>()
      for (const [n, [location, from = '']] of queries.entries()) {
        assert.equal(ended[n]?.status, from === '0' ? 'rejected' : 'fulfilled', `query ${n}`)
        if (from === '0') continue
        const rows = [1, 2, 3].filter((by) => by >= Number(from)).map((by) => `${location} ${12 / by}`)
        assert.deepEqual(found[n]?.slice(0, -1), rows, `query ${n}`)
        answers.add(found[n]?.at(-1))
      }
      // For both locations, three responses arrive before the fourth query fails, and three after it.
      assert.equal(answers.size, 4)
    })

    test('a transaction is shared by so few queries that none waits long for the rows of others', async () => {
      const reader = readerOf(1)
      await reader.first('select 1::text', [])
      const sharing = async (count: number, limit: number) => {
        const answers = await Promise.all(
          Array.from({ length: count }, async (_, n) => {
            let last = ''
            const row: RowHandler = (chunk, from, to) => (last = chunk.toString('latin1', from, to))
            const own = { text: 'select $1::text', parameters: [String(n)], limit, row: () => {} }
            await reader.query(own, { text: 'select gen_random_uuid()::text', parameters: [], limit: 1, row })
            return last
          }),
        )
        return [...Map.groupBy(answers, (answer) => answer).values()].map(({ length }) => length)
      }
      assert.deepEqual(await sharing(40, 10), [16, 16, 8])
      assert.deepEqual(await sharing(12, 100), [5, 5, 2])
      assert.deepEqual(await sharing(3, 1000), [1, 1, 1])
    })

    test('a look-up without a row returns only the result of its first statement, and the others find theirs', async () => {
      const reader = readerOf(1)
      await reader.first('select 1::text', [])
      const even = {
        before: 'select $1::text',
        one: 'select $2::text where $2::int % 2 = 0 and $1::text is not null',
      }
      const keys = ['1', '2', '3', '4', '5', '6', '7', '8', '9']
      const found = await Promise.all(keys.map((key) => find(reader, even, 'here', key)))
      assert.deepEqual(
        found,
        keys.map((key) => (Number(key) % 2 === 0 ? ['here', key] : ['here'])),
      )
    })

    test('keys and results may be any text', async () => {
      const reader = readerOf(1)
      const same = {
        before: 'select $1::text',
        one: 'select $2::text where $1::text is not null',
      }
      await reader.first('select 1::text', [])
      const keys = ['', 'a,b', '{', '"', '\\', '7 8', 'NULL', 'é'.repeat(100_000)]
      for (const batch of [keys, ...keys.map((key) => [key])]) {
        const found = await Promise.all(batch.map((key) => find(reader, same, 'here', key)))
        assert.deepEqual(
          found,
          batch.map((key) => ['here', key]),
        )
      }
    })

    test('an error among concurrent look-ups belongs to its own, and the others find their rows', async () => {
      const reader = readerOf(1)
      const divisors = [0, ...Array.from({ length: 40 }, (_, n) => (n % 7 === 0 ? 0 : 1 + (n % 12)))]
      const ended = await Promise.allSettled(
        divisors.map((by, n) => find(reader, byDivisor, n % 3 ? 'one' : 'two', String(by))),
      )
      for (const [n, by] of divisors.entries()) {
        const one = ended[n]
        assert.equal(one?.status, by === 0 ? 'rejected' : 'fulfilled', `thing ${n}`)
        if (one?.status === 'rejected') assert.equal((one.reason as ServerError).code, '22012')
        if (one?.status !== 'fulfilled') continue
        assert.match(one.value[0] as string, new RegExp(`^[-0-9a-f]{36} ${n % 3 ? 'one' : 'two'}$`))
        assert.equal(one.value[1], String(Math.trunc(12 / by)), `thing ${n}`)
      }
    })

    test('an error in the first statement belongs to its location, and to no other', async () => {
      const reader = readerOf(1)
      await reader.first('select 1::text', [])
      const dividing = {
        before: 'select (12 / $1::int)::text',
        one: 'select $2::text where $1::text is not null',
      }
      const keys = ['0', '3', '0', '4', '3', '0', '0', '4']
      const ended = await Promise.allSettled(keys.map((location, n) => find(reader, dividing, location, String(n))))
      assert.deepEqual(
        ended.map((one) => (one.status === 'fulfilled' ? one.value.slice(-2) : (one.reason as ServerError).code)),
        keys.map((location, n) => (location === '0' ? '22012' : [String(12 / Number(location)), String(n)])),
      )
    })

    test('shared statements whose preparation was skipped are prepared again', async () => {
      const reader = readerOf(1)
      await reader.first('select 1::text', [])
      const row = () => {}
      const wrong = { text: 'select nothing from nowhere where $1 is null', parameters: ['one'], limit: 1, row }
      const failed = reader.query(wrong, { text: byDivisor.before, parameters: ['one'], limit: 1, row })
      const lookups = Array.from({ length: 20 }, () => find(reader, byDivisor, 'one', '3'))
      await assert.rejects(failed, { code: '42P01' })
      for (const found of await Promise.all(lookups)) {
        assert.match(found.at(-2) as string, /^[-0-9a-f]{36} one$/)
        assert.equal(found.at(-1), '4')
      }
    })

    test('a statement whose table was changed is prepared again without an error, also behind a pooler that keeps it', async () => {
      const reader = readerOf(1)
      const table = `changing_${randomUUID().slice(0, 8)}`
      await pool.unsafe(`create table ${table} (n int)`)
      await pool.unsafe(`insert into ${table} values (7)`)
      const [text, same] = [`select n from ${table}`, `select n as n from ${table}`]
      const read = async () => {
        const [bytes, ...rows] = await Promise.all([
          reader.first(text, []),
          ...Array.from({ length: 12 }, () => pool.unsafe(same, [], { prepare: true })),
        ])
        return [bytes, ...new Set(rows.map(([row]) => row?.['n'] as unknown))]
      }
      const number = Buffer.from([0, 0, 0, 7])
      assert.deepEqual(await read(), [number, 7])
      for (const [type, bytes, value] of [
        ['text', Buffer.from('7'), '7'],
        ['int using n::int', number, 7],
        ['text', Buffer.from('7'), '7'],
      ] as const) {
        await pool.unsafe(`alter table ${table} alter n type ${type}`)
        assert.deepEqual(await read(), [bytes, value], type)
      }
      const failed = reader.query(
        { text, parameters: [], limit: 1, row: () => {} },
        { text: 'select (1 / $1::int)::text', parameters: ['0'], limit: 1, row: () => {} },
      )
      await assert.rejects(failed, { code: '22012' }, 'other errors are reported')
    })

    test('a connection that the server ends rejects the queries in flight, and the next one opens', async () => {
      const reader = readerOf(1)
      const slow = "select pg_sleep(30)::text || 'reader-test'"
      const rejected = assert.rejects(reader.first(slow, []), isUnavailable)
      await eventually(async () => (await backends()).length === 1, 'the query runs')
      const [pid] = await backends()
      await pool`select pg_terminate_backend(${pid ?? 0}::int)`
      await rejected
      assert.equal(String(await reader.first('select $1::text', ['again'])), 'again')
    })

    test('one location leaves connections for the others, however many requests it sends', async () => {
      for (const [connections, most] of [
        [4, 2],
        [2, 1],
      ] as const) {
        const reader = readerOf(connections)
        const sleep = "select pg_sleep(30)::text || $1 || $2 || 'reader-test'"
        const held = Array.from({ length: 6 }, (_, n) =>
          assert.rejects(reader.first(sleep, ['one', String(n)]), isUnavailable),
        )
        await eventually(async () => (await backends()).length === most, 'the connections are busy')
        for (const other of ['two', 'three'])
          assert.equal(String(await reader.first('select $1::text', [other])), other)
        const busy = await backends()
        assert.equal(busy.length, most)
        for (const pid of busy) await pool`select pg_terminate_backend(${pid}::int)`
        await Promise.all(held)
      }
    })

    test('the settings of the pool apply here too', async () => {
      const reader = readerOf(1)
      assert.equal(String(await reader.first("select current_setting('TimeZone')", [])), 'UTC')
      assert.equal(String(await reader.first("select current_setting('application_name')", [])), 'tillgate')
      assert.equal(String(await reader.first('select current_database()', [])), pool.opener.target.database)
    })

    test('a closed reader answers no query', async () => {
      const reader = readerOf(2)
      assert.equal(String(await reader.first('select $1::text', ['one'])), 'one')
      reader.end()
      await assert.rejects(reader.first('select 1::text', []), isUnavailable)
    })
  })
}

test('a missing server is reported as unavailable, each time', async () => {
  const pool = openPool({ url: 'postgres://nobody@127.0.0.1:1/none' }, { connections: 1, pipelining: true })
  const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  for (let n = 0; n < 3; n++) await assert.rejects(reader.first('select 1', []), isUnavailable)
  reader.end()
  await pool.end()
})

const sample = 'an answer of the database'

/** Returns a row with one column that contains `sample`, as sent by PostgreSQL. */
function rowOf(lengths: { message?: number; columns?: number; column?: number }): Buffer {
  const text = Buffer.from(sample)
  const head = Buffer.alloc(11)
  head.write('D')
  head.writeInt32BE(lengths.message ?? 10 + text.length, 1)
  head.writeInt16BE(lengths.columns ?? 1, 5)
  head.writeInt32BE(lengths.column ?? text.length, 7)
  return Buffer.concat([head, text])
}

const lies = {
  'announced a message of -1 bytes, which is not a valid length': rowOf({ message: -1 }),
  'announced a message of -5 bytes, which is not a valid length': rowOf({ message: -5 }),
  'announced a message of 0 bytes, which is not a valid length': rowOf({ message: 0 }),
  'announced a message of 3 bytes, which is not a valid length': rowOf({ message: 3 }),
  'announced a message of 2147483647 bytes, which is not a valid length': rowOf({ message: 2 ** 31 - 1 }),
  'sent a row without a column': rowOf({ message: 8 }),
  [`sent a column of ${sample.length + 1} bytes in a shorter row`]: rowOf({ column: sample.length + 1 }),
  'sent a column of 2147483647 bytes in a shorter row': rowOf({ column: 2 ** 31 - 1 }),
}

for (const [what, lie] of Object.entries(lies)) {
  test(`a database that ${what} is reported with a clear error, and the next connection works`, async () => {
    const { connection, pool } = databases[0] as (typeof databases)[number]
    const network = await startNetwork(connection)
    const through = openPool(network.connection, { connections: 1, pipelining: true })
    const reader = new Reader(through, { connections: 1, pipelining: true, deadlineMs: 10_000 })
    try {
      assert.equal(String(await reader.first('select $1::text', [sample])), sample)
      const truth = rowOf({})
      network.garble((piece) => {
        const at = piece.indexOf(truth)
        return at < 0 ? piece : Buffer.concat([piece.subarray(0, at), lie, piece.subarray(at + truth.length)])
      })
      const [first, second] = await Promise.allSettled([
        reader.first('select $1::text', [sample]),
        reader.first('select $1::text', ['another']),
      ])
      assert.ok(first.status === 'rejected' && second.status === 'rejected')
      assert.equal(String(first.reason), `BrokenAnswer: the database ${what}`)
      assert.ok(isUnavailable(first.reason))
      network.garble(null)
      assert.equal(String(await reader.first('select $1::text', [sample])), sample)
    } finally {
      reader.end()
      await through.end({ timeout: 1 })
      await network.close()
    }
    assert.equal((await pool`select 1 as n`)[0]?.['n'], 1)
  })
}

test('answers out of step close the connection: a missing one, and a duplicate one', async () => {
  const { connection } = databases[0] as (typeof databases)[number]
  const network = await startNetwork(connection)
  const through = openPool(network.connection, { connections: 1, pipelining: true })
  const reader = new Reader(through, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  const ask = () => reader.first('select $1::text', [sample])
  const row = rowOf({})
  try {
    assert.equal(String(await ask()), sample)
    const { taken } = network
    const readyBytes = 6
    network.garble((piece) => (piece.includes(row) ? piece.subarray(-readyBytes) : piece))
    await assert.rejects(ask(), { code: 'ANSWER_OF_ANOTHER' })
    network.garble(null)
    assert.equal(String(await ask()), sample)
    network.garble((piece) => (piece.includes(row) ? Buffer.concat([piece, piece]) : piece))
    assert.equal(String(await ask()), sample)
    network.garble(null)
    assert.equal(String(await ask()), sample)
    assert.equal(network.taken, taken + 2, 'a new connection after each')
  } finally {
    reader.end()
    await through.end({ timeout: 1 })
    await network.close()
  }
})

test('a query without an answer is rejected after its deadline, and the next one uses a new connection', async () => {
  const { connection } = databases[0] as (typeof databases)[number]
  const network = await startNetwork(connection)
  const through = openPool(network.connection, { connections: 1, pipelining: true })
  const reader = new Reader(through, { connections: 1, pipelining: true, deadlineMs: 200 })
  const answers = () =>
    reader.first('select 1::text', []).then(
      (row) => String(row) === '1',
      () => false,
    )
  try {
    // On a busy machine the first responses may take longer.
    await eventually(answers, 'it answers')
    const { taken } = network
    network.become('silent')
    await assert.rejects(reader.first('select 1::text', []), { code: 'DEADLINE_PASSED' })
    await assert.rejects(reader.first('select 1::text', []), isUnavailable)
    network.become('open')
    await eventually(answers, 'it answers again')
    assert.ok(network.taken >= taken + 2, 'a new connection for each that was given up')
  } finally {
    reader.end()
    await through.end({ timeout: 1 })
    await network.close()
  }
})
