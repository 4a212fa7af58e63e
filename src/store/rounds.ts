import type { ChainedEntry, Head } from '../domain/chain.ts'
import { cells, column, namesOf, unnest } from './columns.ts'
import type { Sql, Transaction } from './database.ts'
import type { DayChange } from './day-counts.ts'
import { entryColumns } from './journal.ts'
import { onOrderConflict, orderColumns, type OrderRow } from './orders.ts'

/** Whether a transaction of several locations is one on one server. On Citus it would be one on each of its nodes. */
export async function canShareRounds(sql: Sql): Promise<boolean> {
  return (await sql`select 1 from pg_extension where extname = 'citus'`).length === 0
}

type Free = Omit<Head, 'acceptedAt'> & { acceptedAt: Date | null; locationId: string }

/**
 * Takes the heads of these locations until commit, by location: those which nobody else holds and about which there is nothing to
 * look at first. One that is left out is missing: it is held, is not there, has redacted persons, or was written last
 * by another server (`takeHead`). Nothing is waited for, so that two such transactions cannot wait for each other. The
 * statements that follow are planned once and not for their values (`reusePlans`).
 */
export async function takeFreeHeads(tx: Transaction, locationIds: readonly string[]): Promise<Map<string, Head>> {
  const rows = await tx<Free[]>`
    select location_id as "locationId", epoch, last_seq as seq, last_hash as hash, last_accepted_at as "acceptedAt",
      set_config('plan_cache_mode', 'force_generic_plan', true)
    from location_seq
    where location_id = any(${[...locationIds]}::uuid[]) and erasures is null
      and coalesce(timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8), true)
    for update skip locked`
  return new Map(
    rows.map(({ locationId, epoch, seq, hash, acceptedAt }) => [
      locationId,
      { epoch, seq, hash, acceptedAt: acceptedAt?.toISOString() ?? null },
    ]),
  )
}

/** What changes at one location of a round; its head is held. */
export type RoundPart = {
  locationId: string
  entries: readonly ChainedEntry[]
  /** No id twice; each has the number of one of the entries. */
  orders: readonly OrderRow[]
  /** Days that have more than before. */
  days: readonly DayChange[]
}

/**
 * Writes what changes at several locations by one statement: entries, orders, day counts and heads. An order takes its
 * document from its entry, and is refused without one. Each part has an entry at least.
 */
export async function writeRound(tx: Transaction, parts: readonly RoundPart[]): Promise<void> {
  const location = (rows: readonly { locationId: string }[]) =>
    column(
      'location_id',
      'uuid',
      rows.map(({ locationId }) => locationId),
    )
  const entries = parts.flatMap((part) => part.entries)
  const orders = parts.flatMap(({ locationId, orders }) => orders.map((order) => ({ locationId, order })))
  const days = parts.flatMap(({ locationId, entries, days }) =>
    days.map((day) => ({ locationId, ...day, seq: (entries.at(-1) as ChainedEntry).seq })),
  )
  const heads = parts.map(({ entries }) => entries.at(-1) as ChainedEntry)
  const ofEntries = [location(entries), ...entryColumns(entries)]
  const ofOrders = [location(orders), ...orderColumns(orders.map(({ order }) => order))]
  const ofDays = [
    location(days),
    column(
      'kind',
      'text',
      days.map(({ kind }) => kind),
    ),
    column(
      'day',
      'date',
      days.map(({ day }) => day),
    ),
    column(
      'n',
      'bigint',
      days.map(({ n }) => n),
    ),
    column(
      'seq',
      'bigint',
      days.map(({ seq }) => seq),
    ),
  ]
  const ofHeads = [
    location(heads),
    column(
      'seq',
      'bigint',
      heads.map(({ seq }) => seq),
    ),
    column(
      'hash',
      'text',
      heads.map(({ hash }) => hash),
    ),
    column(
      'accepted_at',
      'timestamptz',
      heads.map(({ acceptedAt }) => acceptedAt),
    ),
  ]
  let parameters = 1
  const rows = (columns: typeof ofHeads) => unnest(columns, (parameters += columns.length) - columns.length)
  const text = `
    with entries as (
      insert into journal (${namesOf(ofEntries)}) select ${cells(ofEntries)} from ${rows(ofEntries)}
      returning location_id, seq, document
    ), states as (
      insert into orders (${namesOf(ofOrders)}, closed, document)
      select ${cells(ofOrders)}, t.closed_at is not null, e.document
      from ${rows(ofOrders)} left join entries e on e.location_id = t.location_id and e.seq = t.seq
      ${onOrderConflict(ofOrders)}
    ), counts as (
      insert into day_counts as c (${namesOf(ofDays)}) select ${cells(ofDays)} from ${rows(ofDays)}
      on conflict (location_id, kind, day) do update set n = c.n + excluded.n, seq = excluded.seq
    )
    update location_seq s set last_seq = t.seq, last_hash = t.hash, last_accepted_at = t.accepted_at,
      timeline = left(pg_walfile_name(pg_current_wal_lsn()), 8)
    from ${rows(ofHeads)} where s.location_id = t.location_id`
  const columns = [...ofEntries, ...ofOrders, ...ofDays, ...ofHeads]
  await tx.unsafe(
    text,
    columns.map((column) => column.text),
    { prepare: true },
  )
}
