import type { Sql } from './database.ts'
import type { DayChange } from './day-counts.ts'
import { resources } from './resources/all.ts'

/** A stored resource whose document is not what its journal entry says. */
export type Divergence = { table: string; id: string; seq: number }

const tables = new Map(resources.map(({ table }) => [table.name, table]))

/** The first resource, by sequence, that was changed behind the journal's back. Reads the whole location. */
export async function findDivergence(sql: Sql, locationId: string): Promise<Divergence | undefined> {
  const found: Divergence[] = []
  for (const { name, key, location } of tables.values()) {
    const rows = await sql<Divergence[]>`
      select ${name} as table, s.${sql(key)}::text as id, s.seq from ${sql(name)} s
      left join journal j on j.location_id = s.${sql(location)} and j.seq = s.seq
      where s.${sql(location)} = ${locationId} and s.seq > 0 and j.document is distinct from s.document
      order by s.seq limit 1`
    found.push(...rows)
  }
  return found.toSorted((a, b) => a.seq - b.seq)[0]
}

/** The day counts computed from the rows themselves: what the kept counts must say. Reads the whole location. */
export async function countRowsByDay(sql: Sql, locationId: string): Promise<DayChange[]> {
  const parts = resources.flatMap(({ table, counts }) =>
    counts
      ? [
          `select ${counts.kindSql} as kind, (created_at at time zone 'UTC')::date::text as day, count(*) as n
          from ${table.name} where ${table.location} = $1 group by 1, 2`,
        ]
      : [],
  )
  return sql.unsafe<DayChange[]>(`${parts.join(' union all ')} order by 1, 2`, [locationId], { prepare: true })
}
