import type { Client } from 'pg'

/** PostgreSQL raises the timeline at each promotion and recovery. Eight hex digits, so that texts sort like numbers. */
type TimelineKey = { system: string; timeline: string }

/**
 * The server is on an older timeline than one that this installation has used: a former primary that returned, or an
 * older base backup. What is stored on it is in no other database.
 */
export class DatabaseWentBack extends Error {
  override readonly name = 'DatabaseWentBack'
  readonly code = 'DATABASE_WENT_BACK'

  constructor(at: string, timeline: string, highest: string) {
    super(
      `the database server ${at} is on timeline ${timeline}, but this installation has used timeline ${highest}: the server is a former primary ` +
        'or was recovered without the history of the other server. Tillgate does not read or write this server. Stop the server and set it up again ' +
        'as a replica; or, to continue with this server, stop Tillgate and run: tillgate resume',
    )
  }
}

/** Reads the cluster and its timeline; nothing for standbys and for roles that may not read it. */
const placeText = `
  select system_identifier::text as system,
    case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline
  from pg_control_system()`

/** The highest known timeline of each cluster, by system identifier, and the connections to each. */
class Timelines {
  readonly #highest = new Map<string, string>()
  readonly #open = new Map<Client, TimelineKey & { at: string }>()
  #isWatching = true

  /** Accepts servers on older timelines from now on, after the operator decided to continue with one. */
  acceptAll(): void {
    this.#isWatching = false
  }

  /** The known timelines, by system identifier. */
  get all(): ReadonlyMap<string, string> {
    return this.#highest
  }

  /** Records a newer timeline, and ends the connections to servers of the same cluster on older timelines. */
  raise(system: string, timeline: string): void {
    if ((this.#highest.get(system) ?? '') >= timeline) return
    this.#highest.set(system, timeline)
    for (const [client, place] of this.#open) {
      if (place.system !== system || place.timeline >= timeline || !this.#isWatching) continue
      const { stream } = (client as unknown as { connection: { stream: { destroy(reason: Error): void } } }).connection
      stream.destroy(new DatabaseWentBack(place.at, place.timeline, timeline))
    }
  }

  /** Checks the timeline of a server after connecting. Throws `DatabaseWentBack`. */
  async admit(client: Client, at: string): Promise<void> {
    const place = await client
      .query<{ system: string; timeline: string | null }>(placeText)
      .then(({ rows: [row] }) => row)
      .catch((error: { code?: string }) => {
        // The role may not read the timeline, or the server has no such function.
        if (/^(42|0A)/.test(error.code ?? '')) return undefined
        throw error
      })
    if (place?.timeline == null) return
    const { system, timeline } = place
    const highest = this.#highest.get(system) ?? ''
    if (timeline < highest && this.#isWatching) throw new DatabaseWentBack(at, timeline, highest)
    this.raise(system, timeline)
    this.#open.set(client, { system, timeline, at })
    client.once('end', () => this.#open.delete(client))
  }
}

/** Shared by all connections of this process. */
export const timelines = new Timelines()
