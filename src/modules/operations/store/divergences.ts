import { isUuid } from '../../../core/contract/scalars.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { walkRows } from '../../../core/store/db/walk.ts'
import type { DayChange } from '../../../core/contract/paging/day-counts.ts'
import { listResources } from '../../../core/contract/all-resources.ts'
import type { Resource } from '../../../core/contract/resource.ts'

/** A stored resource whose document differs from its journal entry. */
export type Divergence = { table: string; id: string; seq: number }

// A location that PostgreSQL's statistics do not know yet is planned as one row, and a join over its rows may take a time
// that grows with their square. So whole locations are compared by set operations and by look-ups of keys.

/**
 * Finds the first resource, by sequence, that was changed without the journal, or is not stored as its latest entry has
 * it. Reads the whole location.
 */
export async function findDivergence(sql: Sql, locationId: string): Promise<Divergence | undefined> {
  const found: Divergence[] = []
  const journaled = listResources().filter((one) => one.journaled !== false)
  const tables = new Map(journaled.map(({ table }) => [table.name, table]))
  const stored = [...tables.values()].map(({ name, location }) => `select seq from ${name} where ${location} = $1`)
  const [unstored] = await sql.unsafe<{ kind: string; id: string; seq: number }[]>(
    `select kind, id::text as id, seq from journal where location_id = $1 and seq = (
      select min(seq) from (
        select seq from journal where location_id = $1 and kind = any($2)
        except (select prev_seq from journal where location_id = $1 union all ${stored.join(' union all ')})
      ) unstored)`,
    [locationId, journaled.map(({ type }) => type)],
  )
  const ofKind = journaled.find(({ type }) => type === unstored?.kind)
  if (unstored && ofKind) found.push({ table: ofKind.table.name, id: unstored.id, seq: unstored.seq })
  for (const { name, key, location } of new Map(listResources().map(({ table }) => [table.name, table])).values()) {
    // The document of an order whose entry is archived is checked by the walk along the chain.
    const isAlone = name === 'orders' ? sql`and not (s.alone and journaled is null)` : sql``
    const rows = await sql<Divergence[]>`
      select ${name} as table, ${sql(key)}::text as id, seq from (
        select s.*, (select j.document from journal j where j.location_id = ${locationId} and j.seq = s.seq) as journaled
        from ${sql(name)} s where s.${sql(location)} = ${locationId} and s.seq > 0
      ) s where journaled is distinct from document ${isAlone}
      order by seq limit 1`
    found.push(...rows)
  }
  return found.toSorted((a, b) => a.seq - b.seq)[0]
}

/**
 * Finds the first resource whose row does not match the latest of these entries about it: the row is missing, of an
 * earlier version, or of that version with another document. Reads only the rows of these resources.
 */
export async function findDivergenceOf(
  sql: Sql,
  locationId: string,
  entries: readonly { kind: string; id: string; seq: number; document: string | null }[],
): Promise<Divergence | undefined> {
  const latest = new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry]))
  const byKind = Map.groupBy(latest.values(), ({ kind }) => kind)
  for (const { type, table, find, journaled } of listResources()) {
    const of = byKind.get(type)
    if (!of || journaled === false) continue
    const rows = await find(
      sql,
      locationId,
      of.map(({ id }) => id),
    )
    for (const { id, seq, document } of of) {
      const row = rows.get(id) as Kept | undefined
      const isSame = row !== undefined && (row.seq > seq || (row.seq === seq && row.document === document))
      if (!isSame) return { table: table.name, id, seq }
    }
  }
  return undefined
}

/** Computes the day counts from the rows themselves: the stored counts must equal them. Reads the whole location. */
export async function countRowsByDay(sql: Sql, locationId: string): Promise<DayChange[]> {
  const parts = listResources().flatMap(({ table, counts }) =>
    counts
      ? [
          `select ${counts.kindSql} as kind, (created_at at time zone 'UTC')::date::text as day, count(*) as n
          from ${table.name} where ${table.location} = $1 group by 1, 2`,
        ]
      : [],
  )
  return sql.unsafe<DayChange[]>(`${parts.join(' union all ')} order by 1, 2`, [locationId], { prepare: true })
}

const isMoment = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)

/**
 * Compares a stored value with that of a document. Ids are stored in lower case and times in UTC with milliseconds, in
 * whatever form a till wrote them.
 */
function isSame(kept: unknown, made: unknown): boolean {
  if (isMoment(kept) && isMoment(made)) return Date.parse(kept) === Date.parse(made)
  if (typeof kept === 'string' && typeof made === 'string' && isUuid(made)) return kept === made.toLowerCase()
  return kept === made
}

/** Describes the first column of a row that differs from its document; undefined if all agree. */
function columnFault({ facts, row: toRow, inherited = [], dated }: Resource, row: Kept): string | undefined {
  const data = JSON.parse(row.document) as { createdAt: string; updatedAt: string }
  const { createdAt, updatedAt } = dated ? data : { createdAt: '', updatedAt: '' }
  const version = { id: row.id, seq: row.seq, document: row.document, createdAt, updatedAt }
  const made = toRow(version, { facts: facts(data), types: [], before: row }) as Record<string, unknown>
  const names = Object.keys(made).filter((name) => name in row && !inherited.includes(name))
  const isPlain = (value: unknown) => value === null || typeof value !== 'object'
  const wrong = names.find((name) => isPlain(made[name]) && !isSame(row[name], made[name]))
  return wrong && `has ${wrong} ${String(row[wrong])} instead of ${String(made[wrong])}`
}

type Kept = { id: string; seq: number; document: string } & Record<string, unknown>

async function* walkTable(sql: Sql, locationId: string, { table, find }: Resource): AsyncGenerator<Kept[]> {
  const { name, key, location } = table
  const ids = walkRows(
    '00000000-0000-0000-0000-000000000000',
    (after, batch) => sql<{ id: string }[]>`
      select ${sql(key)}::text as id from ${sql(name)}
      where ${sql(location)} = ${locationId} and ${sql(key)} > ${after} order by ${sql(key)} limit ${batch}`,
    ({ id }) => id,
  )
  for await (const batch of ids) {
    const rows = await find(
      sql,
      locationId,
      batch.map(({ id }) => id),
    )
    yield [...rows.values()] as Kept[]
  }
}

/**
 * Describes the first row with an index column that does not follow from its document or, for an order, from its past
 * events. Reads the whole location.
 */
export async function findColumnFault(sql: Sql, locationId: string): Promise<string | undefined> {
  // A list of the catalog is stored only as its document.
  for (const resource of listResources().filter(({ table }) => table.name !== 'catalog')) {
    for await (const rows of walkTable(sql, locationId, resource)) {
      for (const row of rows) {
        const fault = columnFault(resource, row)
        if (fault !== undefined) return `${row.id} in ${resource.table.name} ${fault}`
      }
    }
  }
  // The table itself ensures that a row with a closing time is closed.
  const [wrong] = await sql<{ id: string; paid: boolean }[]>`
    (select id, paid from orders where location_id = ${locationId} and paid except
      select id, true from journal where location_id = ${locationId} and kind = 'order' and 'order.paid' = any(types))
    union all
    (select id, paid from orders where location_id = ${locationId} and not paid intersect
      select id, false from journal where location_id = ${locationId} and kind = 'order' and 'order.paid' = any(types))
    order by id limit 1`
  return wrong && `${wrong.id} in orders is wrongly recorded as ${wrong.paid ? '' : 'not '}paid`
}
