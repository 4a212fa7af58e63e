import type { NewEntry, Head } from '../../domain/journal/chain.ts'
import { binaryOf } from '../db/binary-columns.ts'
import { hasId } from '../db/by-id.ts'
import { isCitus } from '../db/citus.ts'
import { cells, column, inStep, namesOf, unnest, type Column } from '../db/columns.ts'
import { openPool, poolerOf, type Pool, type Sql } from '../db/database.ts'
import type { DayChange } from '../../contract/paging/day-counts.ts'
import { onOrderConflict, stateColumns, type OrderRow } from '../../contract/orders/rows.ts'
import { versionColumns } from '../journal/journal.ts'

/** Whether a statement over several locations is one transaction on one server; on Citus it is one on each node. */
export async function isOneServer(sql: Sql): Promise<boolean> {
  return !(await isCitus(sql))
}

/** Session settings: the statement is planned once, and finds rows by key, even in a new database with few rows. */
const plans = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/**
 * Opens a connection for `writeProven`, on which statements are pipelined. Undefined with a pooler, which would lose
 * the settings of the connection; an undetected pooler refuses them when it connects (08P01).
 */
export function openWriteConnection(pool: Pool, deadlineMs: number): Pool | undefined {
  if (poolerOf(pool) !== 'none') return undefined
  const { isShared: pipelining } = pool.connections
  return openPool(pool.from, { connections: 1, pipelining, deadlineMs, session: plans })
}

export const serverTimeline = `left(pg_walfile_name(pg_current_wal_lsn()), 8)`

/** Only rows of locations whose heads were locked. */
const where = 'where t.location_id in (select location_id from held)'

/** The changes of one location. */
export type LocationWrite = {
  locationId: string
  /** The head that the entries follow: nothing is written if it has changed. */
  before: Head
  entries: readonly NewEntry[]
  /** The orders to write, with distinct ids; each sequence is that of one of the entries. */
  orders: readonly OrderRow[]
  /** Orders assumed to be new without a read: nothing is written if one of them exists. */
  unseen: readonly string[]
  days: readonly DayChange[]
}

type OfLocation = { locationId: string }

const locationColumn = (rows: readonly OfLocation[]) =>
  column(
    'location_id',
    'uuid',
    rows.map(({ locationId }) => locationId),
  )

function dayColumns(days: readonly (OfLocation & DayChange & { seq: number })[]): Column[] {
  const of = <Key extends keyof (typeof days)[number]>(key: Key) => days.map((day) => day[key])
  return [
    locationColumn(days),
    column('kind', 'text', of('kind')),
    column('day', 'date', of('day')),
    column('n', 'bigint', of('n')),
    column('seq', 'bigint', of('seq')),
  ]
}

function headColumns(writes: readonly LocationWrite[]): Column[] {
  const before = <Key extends keyof Head>(key: Key) => writes.map((write) => write.before[key])
  const last = <Key extends keyof NewEntry>(key: Key) => writes.map(({ entries }) => (entries.at(-1) as NewEntry)[key])
  return [
    column('part', 'int', [...writes.keys()]),
    locationColumn(writes),
    column('epoch', 'text', before('epoch')),
    column('before_seq', 'bigint', before('seq')),
    column('before_hash', 'text', before('hash')),
    column('seq', 'bigint', last('seq')),
    column('hash', 'text', last('hash')),
    column('accepted_at', 'timestamptz', last('acceptedAt')),
  ]
}

/** An entry with the latest state of its order, which may be that of a later entry. */
type Row = { part: number; entry: NewEntry; order: OrderRow; isUnseen: boolean }

function rowsOf({ entries, orders, unseen }: LocationWrite, part: number): Row[] {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const isUnseen = new Set(unseen)
  return entries.map((entry) => {
    return { part, entry, order: byId.get(entry.id) as OrderRow, isUnseen: isUnseen.has(entry.id) }
  })
}

/** The columns of the statement, in the order of their parameters. */
type Columns = Record<'heads' | 'marks' | 'entries' | 'states' | 'more' | 'fewer', readonly Column[]>

function columnsOf(writes: readonly LocationWrite[]): Columns {
  const rows = writes.flatMap(rowsOf)
  const days = writes.flatMap(({ locationId, entries, days }) =>
    days.map((day) => ({ locationId, ...day, seq: (entries.at(-1) as NewEntry).seq })),
  )
  const marks = [
    column(
      'part',
      'int',
      rows.map(({ part }) => part),
    ),
    column(
      'unseen',
      'boolean',
      rows.map(({ isUnseen }) => isUnseen),
    ),
    column(
      'latest',
      'boolean',
      rows.map(({ entry, order }) => order.seq === entry.seq),
    ),
  ]
  return {
    heads: headColumns(writes),
    marks,
    entries: versionColumns(rows.map(({ entry }) => entry)),
    states: stateColumns(rows.map(({ order }) => order)),
    more: dayColumns(days.filter(({ n }) => n > 0)),
    fewer: dayColumns(days.filter(({ n }) => n < 0)),
  }
}

/** Makes the statement over these columns, from nothing but their names and types, which are always the same. */
function textOver({ heads, marks, entries, states, more, fewer }: Columns): string {
  let count = 0
  /** Makes the rows of some columns as `t`, with parameters numbered after the previous ones. */
  const rows = (of: readonly Column[], make: typeof inStep = unnest) => make(of, (count += of.length) - of.length + 1)
  const ofOrders = [...entries.filter(({ name }) => name === 'id' || name === 'seq'), ...states]
  const intoOrders = `
      insert into orders (location_id, ${namesOf(ofOrders)}, closed, document)
      select h.location_id, ${cells(ofOrders)}, t.closed_at is not null, t.document from given t join held h on h.part = t.part`
  return `
    with heads as (select * from ${rows(heads)}),
    given as materialized (select * from ${rows([...marks, ...entries, ...states], inStep)}),
    there as (
      select part from (
        select t.part, (select true from orders o where o.location_id = t.location_id and ${hasId('g.id')}) as is_there
        from given g join heads t on t.part = g.part where g.unseen
      ) looked_up where is_there
    ), held as (
      select t.part, s.location_id, t.seq, t.hash, t.accepted_at
      from heads t join location_seq s on s.location_id = t.location_id
      where s.epoch = t.epoch and s.last_seq = t.before_seq and s.last_hash = t.before_hash and s.erasures is null
        and coalesce(s.timeline = ${serverTimeline}, true) and t.part not in (select part from there)
      for update of s skip locked
    ), entries as (
      insert into journal (location_id, accepted_at, kind, ${namesOf(entries)})
      select h.location_id, h.accepted_at, 'order', ${cells(entries)} from given t join held h on h.part = t.part
    ), created as (${intoOrders} where t.latest and t.unseen
    ), changed as (${intoOrders} where t.latest and not t.unseen
      ${onOrderConflict(ofOrders)}
    ), more as (
      insert into day_counts as c (${namesOf(more)}) select ${cells(more)} from ${rows(more)} ${where}
      on conflict (location_id, kind, day) do update set n = c.n + excluded.n, seq = excluded.seq
    ), fewer as (
      update day_counts c set n = c.n + t.n, seq = t.seq from ${rows(fewer)}
      ${where} and c.location_id = t.location_id and c.kind = t.kind and c.day = t.day
    )
    update location_seq s set last_seq = t.seq, last_hash = t.hash, last_accepted_at = t.accepted_at,
      timeline = ${serverTimeline}
    from held t where s.location_id = t.location_id
    returning s.location_id || ' ' || s.last_hash as written`
}

/** Built by the first push, because building it takes longer than filling in the columns of a push. */
let statement: string | undefined

/**
 * Writes changes of several locations with one statement, over a connection of `openWriteConnection`: entries, orders,
 * day counts and heads. Resolves, after the commit, to the locations that were written, each completely. A location is
 * left out if its head is locked by another writer, has changed, has redactions or was last written by another server
 * (`takeHead`), or if an order assumed to be new exists. An unchanged head proves an unchanged location, so no
 * transaction or earlier lock is needed. An order takes its document from its entry. Each write has at least one entry.
 */
export async function writeProven(connection: Pool, writes: readonly LocationWrite[]): Promise<Set<string>> {
  const columns = columnsOf(writes)
  statement ??= textOver(columns)
  const ends = new Map(writes.map(({ locationId, entries }) => [`${locationId} ${entries.at(-1)?.hash}`, locationId]))
  // Hashes are distinct: other hashes mean the answer to another statement.
  const isAnswer = (rows: readonly { written: string }[]) => rows.every(({ written }) => ends.has(written))
  const rows = await connection.prove(statement, Object.values(columns).flat().map(binaryOf), isAnswer)
  return new Set(rows.map(({ written }) => ends.get(written) as string))
}
