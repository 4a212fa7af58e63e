import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PulledDocument } from '../adapters/pull.ts'
import { hourMs } from '../../../core/domain/days/time-units.ts'

/** Maximum sources whose documents are remembered, and maximum documents that are remembered of each source. */
const sourcesKept = 500
const documentsKept = 5_000

const digestOf = ({ document }: PulledDocument) => hash('sha1', JSON.stringify(document), 'base64')

const stampOf = (key: string) => `stamp of ${key}`

/**
 * Remembers which documents this process has stored, so that reading a system repeatedly costs little while nothing
 * changes. It is only a cache: documents that it does not know are stored again, and found unchanged.
 */
export class SeenDocuments {
  readonly #readAtMs = new LRUCache<string, number>({ max: sourcesKept })
  readonly #seen = new LRUCache<string, LRUCache<string, string>>({ max: sourcesKept })

  /** Returns the documents that are not stored in their current version. */
  fresh(sourceId: string, documents: readonly PulledDocument[]): PulledDocument[] {
    const known = this.#seen.get(sourceId)
    return documents.filter((one) => known?.get(one.key) !== digestOf(one))
  }

  /** Whether the version of a document with this stamp is stored. */
  isStored(sourceId: string, key: string, stamp: string): boolean {
    return this.#seen.get(sourceId)?.get(stampOf(key)) === stamp
  }

  /** Whether it is time to read as far back as once an hour (`overlapMs.hourly`). */
  isHourDue(sourceId: string, nowMs: number): boolean {
    return nowMs - (this.#readAtMs.get(sourceId) ?? -Infinity) >= hourMs
  }

  /** Records a read as far back as once an hour. */
  readHour(sourceId: string, nowMs: number): void {
    this.#readAtMs.set(sourceId, nowMs)
  }

  /** Remembers documents that are stored; call it after the commit. */
  remember(sourceId: string, documents: readonly PulledDocument[]): void {
    const known = this.#seen.get(sourceId) ?? new LRUCache<string, string>({ max: documentsKept })
    this.#seen.set(sourceId, known)
    for (const one of documents) {
      known.set(one.key, digestOf(one))
      if (one.stamp !== undefined) known.set(stampOf(one.key), one.stamp)
    }
  }
}
