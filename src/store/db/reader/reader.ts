import { poolerOf, type Pool } from '../database.ts'
import { OwnConnection } from './connection.ts'
import { isWanted, type Asked, type Query, type Wanted } from './groups.ts'

export type { ByKey, Query, RowHandler, Wanted } from './groups.ts'

/** `deadlineMs`: how long a query waits for its answer, connecting included. */
export type ReaderOptions = { connections: number; pipelining: boolean; deadlineMs: number }

/**
 * The connections that documents of one location are read over, one by one, at most: on fewer of them more share a transaction
 * (measured, see docs/internals/limits.md). Pages may use all but the one that is left to others.
 */
const documentConnections = 2

const readSettings = { plan_cache_mode: 'force_generic_plan' }

/** The queries of one location that are under way on each connection, and on how many connections there are any. */
type Load = { on: number[]; connections: number }

/** Reads of stored documents as bytes, beside the pool that does everything else. */
export class Reader {
  readonly #connections: readonly OwnConnection[]
  /** Queries under way by location. */
  readonly #loads = new Map<string, Load>()

  constructor(pool: Pool, { connections, pipelining, deadlineMs }: ReaderOptions) {
    const named = poolerOf(pool) !== 'plain'
    // Else PostgreSQL weighs planning each page anew, which costs it more than reading it. A pooler would hand such a
    // setting on to whoever gets the server connection next, and nothing that is read here depends on any.
    const settings: Record<string, string> = poolerOf(pool) === 'none' && pipelining ? readSettings : {}
    const connect = () => new OwnConnection(pool.opener, { pipelining, named, deadlineMs, opening: { settings } })
    this.#connections = Array.from({ length: connections }, connect)
  }

  /**
   * Sends queries together on one connection, each answered after the one before. The first parameter of each is its
   * location. Rejects with what the server or the network said; `isUnavailable` tells the latter.
   */
  query(...queries: readonly Query[]): Promise<void> {
    return this.#ask(queries[0]?.parameters[0] ?? '', queries)
  }

  /** Finds one thing of a location, together with others that are wanted at the same moment; rejects as `query`. */
  find(wanted: Wanted): Promise<void> {
    return this.#ask(wanted.location, wanted)
  }

  async #ask(location: string, asked: Asked): Promise<void> {
    let load = this.#loads.get(location)
    if (!load) this.#loads.set(location, (load = { on: this.#connections.map(() => 0), connections: 0 }))
    const at = this.#choose(load, isWanted(asked) ? documentConnections : this.#connections.length)
    if ((load.on[at] as number)++ === 0) load.connections += 1
    try {
      await (this.#connections[at] as OwnConnection).ask(asked)
    } finally {
      if (--(load.on[at] as number) === 0) load.connections -= 1
      if (load.connections === 0) this.#loads.delete(location)
    }
  }

  /**
   * The connection with the fewest queries, of at most so many for this location. One is always left to others: pages of 25 MiB
   * must not lie before all of them.
   */
  #choose({ on, connections }: Load, most: number): number {
    const all = this.#connections
    const mayHaveAnother = all.length === 1 || connections < Math.min(most, all.length - 1)
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

  /** The first column of the first row; undefined when there is none. */
  async first(text: string, parameters: readonly string[]): Promise<Buffer | undefined> {
    let found: Buffer | undefined
    await this.query({ text, parameters, row: (chunk, from, to) => (found ??= Buffer.from(chunk.subarray(from, to))) })
    return found
  }

  end(): void {
    for (const connection of this.#connections) connection.end()
  }
}
