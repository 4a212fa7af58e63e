import { dayIndex, type DayIndex } from '../../domain/days/day-index.ts'
import { mayHaveResumed } from '../../domain/journal/chain.ts'
import type { Sql } from '../../store/db/database.ts'
import { insertRows } from '../../store/db/rows.ts'

/** Name of a counter; the resource descriptors define the names. */
export type CountKind = string

export type DayChange = { kind: CountKind; day: string; n: number }

/** Adds to the counts of the days. The caller holds the head's lock and passes the sequence of the change. */
export async function addDayCounts(
  sql: Sql,
  locationId: string,
  changes: readonly DayChange[],
  seq: number,
): Promise<void> {
  const rows = changes.map(({ kind, day, n }) => ({ location_id: locationId, kind, day, n: Math.max(n, 0), seq }))
  const moved = changes.filter(({ n }) => n < 0)
  await Promise.all([
    insertRows(
      sql,
      'day_counts as c',
      rows,
      'on conflict (location_id, kind, day) do update set n = c.n + excluded.n, seq = excluded.seq',
    ),
    // An upsert refuses a negative number even if the row exists, so decreases are updates.
    ...moved.map(
      ({ kind, day, n }) => sql`
        update day_counts set n = n + ${n} where location_id = ${locationId} and kind = ${kind} and day = ${day}`,
    ),
  ])
}

type Counts = { seq: number; byKind: Map<CountKind, Map<string, number>>; indexes: Map<string, DayIndex> }

/** The running sums of a location, and the journal head when they were read. */
export type Sums = { seq: number; index: (kinds: readonly CountKind[]) => DayIndex }

const locationsKept = 1_000

/**
 * Caches the day counts of recently read locations as running sums. Each read compares the current journal head with
 * the head of the sums, so an answer includes every change committed before the read began.
 */
export class DayCountCache {
  readonly #kept = new Map<string, Counts>()

  /** Returns the cached sums without a query; undefined if the location was not read yet. */
  peek(locationId: string): Sums | undefined {
    const counts = this.#kept.get(locationId)
    return counts && this.#sums(counts)
  }

  /** Reads the days that changed after the cached sums, and returns the new sums. */
  async refresh(sql: Sql, locationId: string): Promise<Sums> {
    const kept = this.#kept.get(locationId)
    const since = kept?.seq ?? -1
    // One statement, so one snapshot: counts older than the head stored with them would stay wrong until the next push.
    const rows = await sql<(Partial<DayChange> & { head: number })[]>`
      select s.last_seq as head, c.kind, c.day::text as day, c.n
      from location_seq s left join day_counts c on c.location_id = s.location_id and c.seq > ${since}
      where s.location_id = ${locationId}`
    const head = rows[0]?.head ?? 0
    const current = this.#kept.get(locationId)
    // The database may have been restored to an earlier state, whose rows are older than the cached counts.
    if (kept && mayHaveResumed(kept.seq, head)) {
      if (current === kept) this.#kept.delete(locationId)
      return this.refresh(sql, locationId)
    }
    // Another read finished first with later counts, which must not be overwritten.
    if (current && current.seq > head) return this.#sums(current)
    // The counts that this read continues were dropped in the meantime.
    if (!current && kept) return this.refresh(sql, locationId)
    const byKind = kept?.byKind ?? new Map<CountKind, Map<string, number>>()
    for (const { kind, day, n } of rows) {
      if (!kind || !day || n === undefined) continue
      const days = byKind.get(kind) ?? new Map<string, number>()
      byKind.set(kind, days.set(day, n))
    }
    const counts: Counts = { seq: head, byKind, indexes: new Map() }
    this.#keep(locationId, counts)
    return this.#sums(counts)
  }

  #sums(counts: Counts): Sums {
    return { seq: counts.seq, index: (kinds) => this.#index(counts, kinds) }
  }

  #keep(locationId: string, counts: Counts): void {
    this.#kept.delete(locationId)
    this.#kept.set(locationId, counts)
    const oldest = this.#kept.keys().next()
    if (this.#kept.size > locationsKept && !oldest.done) this.#kept.delete(oldest.value)
  }

  #index(counts: Counts, kinds: readonly CountKind[]): DayIndex {
    const name = kinds.join()
    const made = counts.indexes.get(name)
    if (made) return made
    const sums = new Map<string, number>()
    for (const kind of kinds) {
      for (const [day, n] of counts.byKind.get(kind) ?? []) sums.set(day, (sums.get(day) ?? 0) + n)
    }
    const index = dayIndex(sums)
    counts.indexes.set(name, index)
    return index
  }
}

/** Lists the stored counts of a location; days with a count of 0 are left out. */
export async function listDayCounts(sql: Sql, locationId: string): Promise<DayChange[]> {
  return sql<DayChange[]>`
    select kind, day::text as day, n from day_counts where location_id = ${locationId} and n > 0 order by kind, day`
}
