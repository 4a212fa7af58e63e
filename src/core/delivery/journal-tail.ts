import type { Entry } from '../domain/journal/messages.ts'
import type { Pool } from '../store/db/database.ts'
import { readEntries } from '../store/journal/journal.ts'

/** Maximum entries read per statement. */
const chunk = 128

/** Maximum bytes of documents kept per location: about two hundred orders, and 100 MiB for all locations. */
const keptBytes = 512 * 1024

const locationsKept = 200

/** Returns the newest entries whose documents have at most this many bytes together; at least the newest entry. */
function newestWithin(entries: readonly Entry[], bytes: number): Entry[] {
  let from = entries.length
  for (let left = bytes; from > 0; from--) {
    left -= entries[from - 1]?.document.length ?? 0
    if (left < 0) break
  }
  return entries.slice(Math.min(from, entries.length - 1))
}

/**
 * Reads journals for many webhooks: entries that one webhook recently read come from memory for the other webhooks of
 * the location, so a new entry is read once for two hundred webhooks. Webhooks far behind bypass the memory.
 */
export class JournalTail {
  readonly #pool: Pool
  readonly #tails = new Map<string, Entry[]>()
  readonly #reading = new Map<string, Promise<Entry[]>>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Resolves to the next entries after a sequence, in order; empty at the head. */
  read(locationId: string, after: number): Promise<Entry[]> {
    const tail = this.#tails.get(locationId)
    const first = tail?.[0]
    if (tail && first && after >= first.seq - 1) {
      const from = after - first.seq + 1
      if (from < tail.length) return Promise.resolve(tail.slice(from, from + chunk))
    }
    const name = `${locationId} ${after}`
    const reading = this.#reading.get(name)
    if (reading) return reading
    const entries = readEntries(this.#pool, locationId, after, chunk)
      .then((read) => {
        this.#keep(locationId, after, read)
        return read
      })
      .finally(() => this.#reading.delete(name))
    this.#reading.set(name, entries)
    return entries
  }

  /** Keeps the entries up to the newest one read, without gaps, from the last `resumed` or `redaction` entry on. */
  #keep(locationId: string, after: number, all: readonly Entry[]): void {
    const newest = all.at(-1)
    if (!newest) return
    // Entries read before a redaction contain what it blanked; those read before a `resumed` entry may be gone.
    const mark = all.findLastIndex(({ kind }) => kind === 'resumed' || kind === 'redaction')
    const read = mark > 0 ? all.slice(mark) : all
    const tail = this.#tails.get(locationId) ?? []
    const last = tail.at(-1)
    if (last && newest.seq <= last.seq) return
    const joined = last && last.seq === after && mark < 0 ? [...tail, ...read] : [...read]
    this.#tails.delete(locationId)
    this.#tails.set(locationId, newestWithin(joined, keptBytes))
    const oldest = this.#tails.keys().next()
    if (this.#tails.size > locationsKept && !oldest.done) this.#tails.delete(oldest.value)
  }
}
