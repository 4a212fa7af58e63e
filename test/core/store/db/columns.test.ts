import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { binaryOf } from '../../../../src/core/store/db/binary-columns.ts'
import { column, documentColumn, unnest, type Cell, type Column } from '../../../../src/core/store/db/columns.ts'
import { isUnavailable, openPool, poolerOf } from '../../../../src/core/store/db/database.ts'
import { atEnd, createDatabase, everyServer } from '../../../support/database.ts'

const hard = 'é€"\\{},null \u0001\u007f\t😀'

const values: Record<string, readonly Cell[]> = {
  int: [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), null],
  bigint: [0, -1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, null],
  boolean: [true, false, null],
  'double precision': [0, -0.5, 1.257, 1e300, 5e-324, null],
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

/** Writes a value as a literal, which PostgreSQL parses from text. */
const literalOf = (value: Cell) => (value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`)

for (const { server, pool } of databases) {
  const read = async (columns: readonly Column[]) => {
    const rows = await pool.unsafe<{ row: string }[]>(
      `select t::text as row from ${unnest(columns, 1)}`,
      columns.map(binaryOf),
    )
    return rows.map(({ row }) => row)
  }
  const expected = async (type: string, of: readonly Cell[]) => {
    if (of.length === 0) return []
    const cells = of.map((value, n) => `(${literalOf(value)}::${type}, ${n})`)
    const text = `select t::text as row from (values ${cells.join(', ')}) t(one, n) order by n`
    return (await pool.unsafe<{ row: string }[]>(text)).map(({ row }) => row)
  }

  describe(`on the ${server} server`, () => {
    test('a column is stored unchanged, in every type', async () => {
      for (const [type, of] of Object.entries(values)) {
        for (const some of [of, of.slice(0, -1), [null, null], []]) {
          const columns = [column('one', type, some), column('n', 'int', [...some.keys()])]
          assert.deepEqual(await read(columns), await expected(type, some), type)
        }
      }
    })

    test('documents are the same as text and as bytes', async () => {
      const documents = ['{}', `{"a":${JSON.stringify(hard)}}`, JSON.stringify({ long: 'é'.repeat(50_000) })]
      const asStored = async (given: readonly (string | Buffer)[]) => {
        const columns = [documentColumn('document', given)]
        const rows = await pool.unsafe<{ document: string }[]>(
          `select t.document from ${unnest(columns, 1)}`,
          columns.map(binaryOf),
        )
        return rows.map(({ document }) => document)
      }
      assert.deepEqual(await asStored(documents), documents)
      assert.deepEqual(await asStored(documents.map((document) => Buffer.from(document))), documents)
    })

    test('a value that does not fit its type is refused before anything is sent', () => {
      const wrong: [string, Cell][] = [
        ['uuid', 'none'],
        ['uuid', `${randomUUID().slice(0, -1)}g`],
        ['uuid', `${randomUUID().slice(0, -1)}é`],
        ['timestamptz', 'yesterday'],
        ['date', 'yesterday'],
        ['bigint', 1.5],
        ['int', Number.NaN],
        ['double precision', 'much'],
        ['double precision', Number.NaN],
        ['numeric', 1],
      ]
      for (const [type, value] of wrong)
        assert.throws(() => binaryOf(column('one', type, [value])), `${type} ${String(value)}`)
    })

    test('a single statement is answered only after it is committed', async () => {
      await pool`create table if not exists deferred (n int unique deferrable initially deferred)`
      const text = 'insert into deferred select unnest($1::int[]) returning n'
      const insert = (n: number) => pool.prove(text, [binaryOf(column('n', 'int', [n]))], () => true)
      assert.deepEqual([...(await insert(1))], [{ n: 1 }])
      // The server answers INSERT, but refuses it at the end of the transaction. Statements sent with it are not part
      // of that transaction.
      const [again, ...others] = await Promise.allSettled([1, 2, 3].map(insert))
      assert.equal(again?.status === 'rejected' && (again.reason as { code?: string }).code, '23505')
      assert.deepEqual(
        others.map(({ status }) => status),
        ['fulfilled', 'fulfilled'],
      )
      assert.deepEqual([...(await pool`select n from deferred order by n`)], [{ n: 1 }, { n: 2 }, { n: 3 }])
    })

    test('rows that do not answer the statement end the connection, and later statements use another one', async () => {
      const one = openPool(pool.from, { connections: 1, pipelining: true })
      atEnd(() => one.end({ timeout: 1 }))
      const pid = async () => (await one<[{ pid: number }]>`select pg_backend_pid() as pid`)[0].pid
      const before = await pid()
      const under = [one.prove('select 1 as n', [], () => false), one`select 2 as n`]
      const results = await Promise.allSettled(under)
      assert.deepEqual(
        results.map(({ status }) => status),
        // Unless statements share connections, the second one is sent after the first.
        ['rejected', one.connections.isShared ? 'rejected' : 'fulfilled'],
      )
      for (const of of results.slice(0, one.connections.isShared ? 2 : 1))
        assert.ok(of.status === 'rejected' && isUnavailable(of.reason))
      // Behind a pooler another connection may get the same server process.
      if (poolerOf(pool) === 'none') assert.notEqual(await pid(), before)
    })

    test('a value longer than the socket buffer arrives whole, and several in a row too', async () => {
      const texts = [300_000, 5_000_000, 1, 2_000_000].map((length, i) => `${i}`.repeat(length))
      const results = texts.map(async (text) => {
        const parameters = [binaryOf(column('one', 'text', [text]))]
        const [row] = await pool.unsafe<[{ sum: string }]>('select md5(($1::text[])[1]) as sum', parameters)
        return row.sum
      })
      const sums = texts.map((text) => createHash('md5').update(text).digest('hex'))
      assert.deepEqual(await Promise.all(results), sums)
    })
  })
}
