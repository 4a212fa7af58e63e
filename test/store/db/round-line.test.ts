import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { binaryOf } from '../../../src/store/pushes/binary-columns.ts'
import { column, documentColumn, textOf, unnest, type Cell, type Column } from '../../../src/store/db/columns.ts'
import { openRounds } from '../../../src/store/db/round-line.ts'
import { atEnd, createDatabase, everyServer } from '../../support/database.ts'

const hard = 'é€"\\{},null \u0001\u007f\t😀'

const values: Record<string, readonly Cell[]> = {
  int: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null],
  bigint: [0, -1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null],
  boolean: [true, false, null],
  uuid: [randomUUID(), randomUUID().toUpperCase(), '00000000-0000-0000-0000-000000000000', null],
  text: ['', 'null', hard, 'x'.repeat(70_000), null],
  date: ['2000-01-01', '1999-12-31', '0001-01-01', '9999-12-31', '2024-02-29', null],
  timestamptz: [
    '2000-01-01T00:00:00.000Z',
    '1999-12-31T23:59:59.999Z',
    '0001-01-01T00:00:00.001Z',
    '9999-12-31T23:59:59.999Z',
    '2026-03-14T12:34:56.789Z',
    null,
  ],
}

const databases = await Promise.all((await everyServer()).flatMap((server) => createDatabase({ server })))

for (const { server, pool } of databases) {
  const line = openRounds(pool, { pipelining: true, deadlineMs: 10_000 })
  assert.ok(line)
  atEnd(async () => line.end())

  const readText = async (columns: readonly Column[]) => {
    const made = unnest(columns, 1)
    const rows = await pool.unsafe(`select t::text as row from ${made}`, columns.map(textOf))
    return rows.map(({ row }) => String(row))
  }
  const readBinary = async (columns: readonly Column[]) => {
    const made = unnest(columns, 1, 'binary')
    return (await line.ask(`select t::text as row from ${made}`, binaryOf(columns))).rows
  }

  describe(`on the ${server} server`, () => {
    test('a column in binary is the column as text, in every type', async () => {
      for (const [type, of] of Object.entries(values)) {
        for (const some of [of, of.slice(0, -1), [null, null], []]) {
          const columns = [column('one', type, some), column('n', 'int', [...some.keys()])]
          assert.deepEqual(await readBinary(columns), await readText(columns), type)
        }
      }
    })

    test('documents are the same as text and as bytes', async () => {
      const documents = ['{}', `{"a":${JSON.stringify(hard)}}`, JSON.stringify({ long: 'é'.repeat(50_000) })]
      const expected = await readText([documentColumn('document', documents)])
      assert.deepEqual(await readBinary([documentColumn('document', documents)]), expected)
      const bytes = documents.map((document) => Buffer.from(document))
      assert.deepEqual(await readBinary([documentColumn('document', bytes)]), expected)
      assert.deepEqual(await readText([documentColumn('document', bytes)]), expected)
    })

    test('a value that is none of its type is refused before anything is sent', () => {
      const wrong: [string, Cell][] = [
        ['uuid', 'none'],
        ['uuid', `${randomUUID().slice(0, -1)}g`],
        ['uuid', `${randomUUID().slice(0, -1)}é`],
        ['timestamptz', 'yesterday'],
        ['date', 'yesterday'],
        ['bigint', 1.5],
        ['int', Number.NaN],
        ['numeric', 1],
      ]
      for (const [type, value] of wrong)
        assert.throws(() => binaryOf([column('one', type, [value])]), `${type} ${String(value)}`)
    })

    test('what is written is answered when it is committed, and not before', async () => {
      await pool`create table if not exists deferred_round (n int unique deferrable initially deferred)`
      const text = 'insert into deferred_round select unnest($1::int[]) returning n::text'
      const insert = (n: number, on = line) => on.ask(text, binaryOf([column('n', 'int', [n])]))
      assert.deepEqual(await insert(1), { tag: 'INSERT 0 1', rows: ['1'] })
      // The server says INSERT, and refuses it at the end of the transaction. What is sent with it is not part of that: on a
      // connection that opens only now both wait, and go together.
      const another = openRounds(pool, { pipelining: true, deadlineMs: 10_000 })
      assert.ok(another)
      const [again, ...others] = await Promise.allSettled([1, 2, 3].map((n) => insert(n, another)))
      another.end()
      assert.equal(again?.status === 'rejected' && (again.reason as { code?: string }).code, '23505')
      assert.deepEqual(
        others.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      )
      assert.deepEqual([...(await pool`select n from deferred_round order by n`)], [{ n: 1 }, { n: 2 }, { n: 3 }])
    })

    test('what is longer than the socket holds arrives whole, and several behind each other', async () => {
      const texts = [300_000, 5_000_000, 1, 2_000_000].map((length, i) => `${i}`.repeat(length))
      const told = texts.map((text) =>
        line.ask('select md5(($1::text[])[1])', binaryOf([column('one', 'text', [text])])),
      )
      const sums = texts.map((text) => [createHash('md5').update(text).digest('hex')])
      assert.deepEqual(
        (await Promise.all(told)).map(({ rows }) => rows),
        sums,
      )
    })

    test('after its answers were refused what comes later goes over another connection', async () => {
      const pid = async () => (await line.ask('select pg_backend_pid()::text', binaryOf([]))).rows[0]
      const before = await pid()
      const under = line.ask('select pg_sleep(5)::text', binaryOf([]))
      line.giveUp(new Error('out of step'))
      await assert.rejects(under, /out of step/)
      assert.notEqual(await pid(), before)
    })
  })
}
