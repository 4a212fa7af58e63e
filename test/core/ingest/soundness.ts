import assert from 'node:assert/strict'
import type { ChainedEntry } from '../../../src/core/domain/journal/chain.ts'
import { ChainWalk } from '../../../src/modules/operations/domain/chain-walk.ts'
import type { Sql } from '../../../src/core/store/db/database.ts'
import { getHead, listJournal } from '../../../src/core/store/journal/journal.ts'
import { findRedacted } from '../../../src/core/store/repair/redactions.ts'

/**
 * Checks the numbers, links and hashes of the journal against each other and against its head. Resolves to its entries.
 */
async function assertJournal(sql: Sql, locationId: string): Promise<ChainedEntry[]> {
  const entries: ChainedEntry[] = []
  const last = new Map<string, number>()
  const walk = new ChainWalk(await findRedacted(sql, locationId))
  for (;;) {
    const page = await listJournal(sql, locationId, walk.seq, 1000)
    for (const entry of page) {
      assert.ok(entry.seq === walk.expected || entry.kind === 'resumed', `the journal has a gap before ${entry.seq}`)
      const resource = `${entry.kind} ${entry.id}`
      assert.equal(entry.prevSeq, last.get(resource) ?? null, `entry ${entry.seq} names another entry before it`)
      last.set(resource, entry.seq)
      assert.equal(walk.fault(entry), undefined, `the chain breaks at ${entry.seq}`)
      assert.ok(entry.acceptedAt >= (entries.at(-1)?.acceptedAt ?? ''), `time goes back at ${entry.seq}`)
      entries.push(entry)
    }
    if (page.length < 1000) break
  }
  const { seq, hash, acceptedAt } = await getHead(sql, locationId)
  assert.deepEqual([seq, hash, acceptedAt], [walk.seq, walk.hash, entries.at(-1)?.acceptedAt ?? null])
  return entries
}

type CountRow = { kind: string; day: string; n: number }

const toLines = (rows: readonly CountRow[]) => rows.map(({ kind, day, n }) => `${kind} ${day} ${n}`).toSorted()

/** Checks that the day counts match the rows. */
async function assertCounts(sql: Sql, locationId: string): Promise<void> {
  const counted = await sql<CountRow[]>`
    select kind, day::text as day, n from day_counts where location_id = ${locationId} and n > 0`
  const actual = await sql<CountRow[]>`
    select case when closed then 'order.closed' else 'order.open' end as kind,
      (created_at at time zone 'UTC')::date::text as day, count(*) as n
    from orders where location_id = ${locationId} group by 1, 2
    union all
    select 'report', (created_at at time zone 'UTC')::date::text, count(*)
    from reports where location_id = ${locationId} group by 2`
  assert.deepEqual(toLines(counted), toLines(actual))
}

/** Checks that the stored state is the last version of each resource in the journal. */
async function assertState(sql: Sql, locationId: string, entries: readonly ChainedEntry[]): Promise<void> {
  const latest = new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry]))
  for (const [kind, table] of [['order', 'orders'] as const, ['report', 'reports'] as const]) {
    const rows = await sql<{ id: string; seq: number; document: string }[]>`
      select id, seq, document from ${sql(table)} where location_id = ${locationId}`
    const expected = [...latest.values()].filter((entry) => entry.kind === kind)
    assert.equal(rows.length, expected.length)
    for (const { id, seq, document } of rows) {
      const entry = latest.get(`${kind} ${id}`)
      assert.deepEqual([entry?.seq, entry?.document], [seq, document], `${kind} ${id} is not its last version`)
    }
  }
  const lists = await sql<{ list: string; seq: number; document: string }[]>`
    select list, seq, document from catalog where location_id = ${locationId}`
  for (const { list, seq, document } of lists) {
    const entry = latest.get(`catalog.${list} ${locationId}`)
    assert.deepEqual([entry?.seq, entry?.document], [seq, document])
  }
}

/** Checks that state, day counts and journal of a location agree and nothing is missing. Returns the journal. */
export async function assertSound(sql: Sql, locationId: string): Promise<ChainedEntry[]> {
  const entries = await assertJournal(sql, locationId)
  await assertCounts(sql, locationId)
  await assertState(sql, locationId, entries)
  return entries
}
