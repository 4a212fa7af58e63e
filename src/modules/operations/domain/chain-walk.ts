import { chainHash, commits, genesis, isSalt, type ChainedEntry } from '../../../core/domain/journal/chain.ts'
import { readResumed } from '../../../core/domain/journal/marks.ts'

/**
 * Walks the entries of one journal in order, and finds why the first invalid entry is invalid. `redacted` has, by
 * sequence, the commitment of the replacement document in the latest redaction; a redaction is an entry itself, so a
 * false one breaks the chain there. An archived document (`isAside`) is proved by its archive; here only its
 * commitment is part of the chain.
 */
export class ChainWalk {
  /** The number of the last valid entry; `hash` is its hash. */
  seq: number
  hash: string
  entries = 0
  /** Number of entries whose document was redacted. */
  redactions = 0
  /** Number of entries whose document is archived. */
  aside = 0
  readonly #redacted: ReadonlyMap<number, string>
  readonly #isAside: (seq: number) => boolean

  /** Begins after the entry `from`, which the caller has verified. */
  constructor(
    redacted: ReadonlyMap<number, string> = new Map(),
    from: { seq: number; hash: string } = { seq: 0, hash: genesis },
    isAside: (seq: number) => boolean = () => false,
  ) {
    this.#redacted = redacted
    this.#isAside = isAside
    this.seq = from.seq
    this.hash = from.hash
  }

  /** The number under which a fault of the next entry is reported. */
  get expected(): number {
    return this.seq + 1
  }

  /** Returns why the entry is invalid. If it is valid, moves the walk to it and returns undefined. */
  fault(entry: ChainedEntry): string | undefined {
    const follows = entry.seq === this.expected || (entry.seq > this.seq && readResumed(entry)?.after === this.seq)
    if (!follows) return 'the entry is missing'
    if (chainHash(this.hash, entry) !== entry.hash) return 'the entry was changed: its hash differs'
    if (!isSalt(entry.salt)) return 'the salt is not 32 hex digits'
    if (entry.document === null) return this.#withoutDocument(entry)
    const isAccepted = commits(entry.commitment, entry.salt, entry.document)
    if (!isAccepted && !commits(this.#redacted.get(entry.seq), entry.salt, entry.document)) {
      return 'the document was changed, and not by a redaction'
    }
    this.#stand(entry)
    if (!isAccepted) this.redactions += 1
    return undefined
  }

  #withoutDocument(entry: ChainedEntry): string | undefined {
    if (!this.#isAside(entry.seq)) return 'the document is missing and was not archived'
    this.#stand(entry)
    this.aside += 1
    return undefined
  }

  #stand({ seq, hash }: ChainedEntry): void {
    this.seq = seq
    this.hash = hash
    this.entries += 1
  }
}
