import type { Pool } from './database.ts'

const channel = 'tillgate_commits'

/** At most one NOTIFY per location in this time: a hint says "look", not what. */
const quietMs = 20

/**
 * Tells who waits for a location's journal that it has grown: at once in this process, by NOTIFY in others. Hints may
 * be lost and are never needed: whoever waits also looks by itself now and then (sql-rules Q11).
 */
export class Hints {
  readonly #pool: Pool
  readonly #listeners = new Set<(locationId: string) => void>()
  readonly #pending = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #unlisten: (() => Promise<void>) | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: (locationId: string) => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Called after a commit. */
  committed(locationId: string): void {
    this.#tell(locationId)
    this.#pending.add(locationId)
    this.#timer ??= setTimeout(() => this.#notify(), quietMs).unref()
  }

  /** Hears the other processes too; a connection of its own is kept for it. Does nothing where NOTIFY is missing. */
  async listen(): Promise<void> {
    try {
      const listening = await this.#pool.listen(channel, (payload) => {
        for (const id of payload.split(',')) this.#tell(id)
      })
      this.#unlisten = () => listening.unlisten()
    } catch {
      this.#unlisten = undefined
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#unlisten?.().catch(() => {})
  }

  #tell(locationId: string): void {
    for (const listener of this.#listeners) listener(locationId)
  }

  #notify(): void {
    this.#timer = undefined
    const ids = [...this.#pending]
    this.#pending.clear()
    // A payload has 8,000 bytes at most; a location's id has 36.
    for (let at = 0; at < ids.length; at += 200) {
      const payload = ids.slice(at, at + 200).join(',')
      this.#pool`select pg_notify(${channel}, ${payload})`.catch(() => {})
    }
  }
}
