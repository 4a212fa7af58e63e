import { poolerOf, type Pool } from '../database.ts'
import { OwnConnection } from './connection.ts'
import type { Query } from './groups.ts'

export type { Query, RowHandler } from './groups.ts'

/** `deadlineMs`: how long a query waits for its answer, including connecting. */
export type ReaderOptions = { connections: number; pipelining: boolean; deadlineMs: number }

/**
 * Maximum number of connections for one location. On fewer connections, more queries share a transaction (measured, see
 * docs/inside/12-limits.md).
 */
const ofLocation = 2

const readSettings = { plan_cache_mode: 'force_generic_plan' }

/** The queries of one location in progress on each connection, and the number of connections with any. */
type Load = { on: number[]; connections: number }

/** Reads stored documents as bytes; the pool does everything else. */
export class Reader {
  readonly #connections: readonly OwnConnection[]
  /** Queries in progress by location. */
  readonly #loads = new Map<string, Load>()

  constructor(pool: Pool, { connections, pipelining, deadlineMs }: ReaderOptions) {
    const named = poolerOf(pool) !== 'plain'
    // Without this setting PostgreSQL plans each page again, which costs more than reading it. A pooler would pass such
    // a setting on to the next user of the server connection, and nothing read here depends on it.
    const settings: Record<string, string> = poolerOf(pool) === 'none' && pipelining ? readSettings : {}
    const connect = () => new OwnConnection(pool.opener, { pipelining, named, deadlineMs, opening: { settings } })
    this.#connections = Array.from({ length: connections }, connect)
  }

  /**
   * Sends queries of one location together over one connection, answered one after the other. Rejects with the error of
   * the server or the network; `isUnavailable` recognizes an unavailable database.
   */
  async query(...queries: readonly Query[]): Promise<void> {
    const location = queries[0]?.parameters[0] ?? ''
    let load = this.#loads.get(location)
    if (!load) this.#loads.set(location, (load = { on: this.#connections.map(() => 0), connections: 0 }))
    const at = this.#choose(load)
    if ((load.on[at] as number)++ === 0) load.connections += 1
    try {
      await (this.#connections[at] as OwnConnection).ask(queries)
    } finally {
      if (--(load.on[at] as number) === 0) load.connections -= 1
      if (load.connections === 0) this.#loads.delete(location)
    }
  }

  /** Returns the least busy connection that the location may use: at most `ofLocation`, and never all of several. */
  #choose({ on, connections }: Load): number {
    const all = this.#connections
    const mayHaveAnother = all.length === 1 || connections < Math.min(ofLocation, all.length - 1)
    let chosen = 0
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < all.length; at += 1) {
      const { load } = all[at] as OwnConnection
      if (load >= least || (!mayHaveAnother && on[at] === 0)) continue
      chosen = at
      least = load
    }
    return chosen
  }

  /** Resolves to the first column of the first row; undefined if there is no row. */
  async first(text: string, parameters: readonly string[]): Promise<Buffer | undefined> {
    let found: Buffer | undefined
    await this.query({
      text,
      parameters,
      limit: 1,
      row: (chunk, from, to) => (found ??= Buffer.from(chunk.subarray(from, to))),
    })
    return found
  }

  end(): void {
    for (const connection of this.#connections) connection.end()
  }
}
