import { dirname } from 'node:path'
import { poolerOf, type Pool } from '../database.ts'
import { OwnConnection } from './connection.ts'
import type { Query as AnyQuery } from './groups.ts'
import type { ServerAddress } from './socket.ts'

export type { Led, RowHandler } from './groups.ts'

/** A read, whose parameters are texts. */
export type Query = AnyQuery & { parameters: readonly string[] }

/** `deadlineMs`: how long a query waits for its answer, connecting included. */
export type ReaderOptions = { connections: number; pipelining: boolean; deadlineMs: number }

/**
 * The connections that documents of one location are read over, one by one, at most: on fewer of them more share a transaction
 * (measured, see docs/performance.md). Pages may use all but the one that is left to others.
 */
const documentConnections = 2

/** The queries of one location that are under way on each connection, and on how many connections there are any. */
type Load = { on: number[]; connections: number }

/** Reads of stored documents as bytes, beside the pool that does everything else. */
export class Reader {
  readonly #connections: readonly OwnConnection[]
  /** Queries under way by location. */
  readonly #loads = new Map<string, Load>()

  constructor(pool: Pool, { connections, pipelining, deadlineMs }: ReaderOptions) {
    const targets = targetsOf(pool, pipelining, deadlineMs)
    const named = poolerOf(pool) !== 'plain'
    const connect = () => new OwnConnection(targets, { pipelining, named, deadlineMs })
    this.#connections = Array.from({ length: connections }, connect)
  }

  /**
   * Sends queries together on one connection, each answered after the one before. The first parameter of each is its
   * location. Rejects with what the server or the network said; `isUnavailable` tells the latter.
   */
  async query(...queries: readonly Query[]): Promise<void> {
    const location = queries[0]?.parameters[0] ?? ''
    let load = this.#loads.get(location)
    if (!load) this.#loads.set(location, (load = { on: this.#connections.map(() => 0), connections: 0 }))
    const at = this.#choose(load, queries[0]?.led ? documentConnections : this.#connections.length)
    if ((load.on[at] as number)++ === 0) load.connections += 1
    try {
      await (this.#connections[at] as OwnConnection).query(queries)
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

/**
 * Where the pool connects to, in the words of `pg`: the pool has read the URL and the environment already, and both
 * must end up at one server with one set of settings.
 */
export function targetsOf(pool: Pool, pipelining: boolean, deadlineMs: number): ServerAddress[] {
  const options = pool.options as unknown as ParsedOptions
  const { host: hosts, port: ports, path, user, pass, database, connection } = options
  const { application_name: name, options: startup, ...others } = connection
  // Else PostgreSQL weighs planning each page anew, which costs it more than reading it. A pooler would hand such a
  // setting on to whoever gets the server connection next, and nothing that is read here depends on any.
  const plans = { ...others, ...(pipelining ? { plan_cache_mode: 'force_generic_plan' } : {}) }
  const settings = poolerOf(pool) === 'none' ? plans : {}
  const time = { connectionTimeoutMillis: deadlineMs, keepAlive: true, keepAliveInitialDelayMillis: 60_000 }
  const common = { user, password: pass, database, application_name: name, ...time }
  const places = path ? [{ host: dirname(path), port: ports[0] }] : hosts.map((host, i) => ({ host, port: ports[i] }))
  return places.flatMap((place) =>
    tlsOf(path ? false : pool.ssl).map((tls) => ({
      config: { ...common, ...place, ...(startup ? { options: startup } : {}), ssl: tls },
      settings,
    })),
  )
}

type ParsedOptions = Omit<Pool['options'], 'connection' | 'pass' | 'path'> & {
  pass: string | (() => string | Promise<string>)
  path: string | false
  connection: Record<string, string>
}

/** What the pool means by its `ssl`, in the order to try. */
function tlsOf(ssl: boolean | string | object): (boolean | object)[] {
  const unverified = { rejectUnauthorized: false }
  if (ssl === 'prefer') return [unverified, false]
  if (ssl === 'require' || ssl === 'allow') return [unverified]
  if (typeof ssl === 'object') return [ssl]
  return [ssl !== false]
}
