import type { Sql } from './database.ts'

/** A stored resource whose document is not what its journal entry says. */
export type Divergence = { table: string; id: string; seq: number }

/** `document` of each table as the journal has it; a location's journal entry carries its devices. */
const tables = [
  ['orders', 'id', 'document'],
  ['reports', 'id', 'document'],
  ['catalog', 'list', 'document'],
] as const

/** The first resource, by sequence, that was changed behind the journal's back. Reads the whole location. */
export async function findDivergence(sql: Sql, locationId: string): Promise<Divergence | undefined> {
  const found: Divergence[] = []
  for (const [table, id, document] of tables) {
    const rows = await sql<Divergence[]>`
      select ${table} as table, s.${sql(id)}::text as id, s.seq from ${sql(table)} s
      left join journal j on j.location_id = s.location_id and j.seq = s.seq
      where s.location_id = ${locationId} and j.document is distinct from s.${sql(document)}
      order by s.seq limit 1`
    found.push(...rows)
  }
  const rows = await sql<Divergence[]>`
    select 'locations' as table, l.id::text as id, l.seq from locations l
    left join journal j on j.location_id = l.id and j.seq = l.seq
    where l.id = ${locationId} and l.seq > 0
      and j.document is distinct from left(l.document, -1) || ',"deviceList":' || l.devices || '}'`
  return [...found, ...rows].toSorted((a, b) => a.seq - b.seq)[0]
}
