import { toText } from '../../domain/documents/document-text.ts'
import { idOfEntry } from '../../contract/catalog/list-entries.ts'
import type { Resource, StoredRow } from '../../contract/resource.ts'
import type { PartialChange } from '../partials.ts'
import { listLimit } from '../record-limits.ts'

/**
 * A list in which a batch adds, changes or removes single entries. All changes make one version of the list. An
 * existing entry keeps its place; a new one comes last.
 */
export class OpenList {
  readonly #resource: Resource
  readonly #before: string | undefined
  /** Null for a removed entry. */
  readonly #entries: (string | null)[]
  /** If an id occurs twice, the last one counts. */
  readonly #places: Map<string, number>
  #bytes: number

  constructor(resource: Resource, before: StoredRow | undefined) {
    this.#resource = resource
    this.#before = before && toText(before.document)
    const entries = this.#lists.read(this.#before)
    this.#entries = entries
    this.#places = new Map(entries.map((entry, at) => [idOfEntry(entry), at]))
    this.#bytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry) + 1, 0)
  }

  get #lists(): NonNullable<Resource['entries']> {
    const { entries, type } = this.#resource
    if (!entries) throw new Error(`${type} has no entries`)
    return entries
  }

  /** Changes an entry; `too_long`: the list would exceed the limit of a push, and stays unchanged. */
  change({ key, text }: PartialChange): 'changed' | 'unchanged' | 'too_long' {
    const at = this.#places.get(key)
    const known = at === undefined ? undefined : this.#entries[at]
    if (text === null) return this.#remove(key, known)
    if (known === text) return 'unchanged'
    const grown = this.#bytes + Buffer.byteLength(text) + 1 - (known ? Buffer.byteLength(known) + 1 : 0)
    if (grown > listLimit && grown > this.#bytes) return 'too_long'
    this.#bytes = grown
    if (at === undefined) this.#places.set(key, this.#entries.push(text) - 1)
    else this.#entries[at] = text
    return 'changed'
  }

  #remove(key: string, known: string | null | undefined): 'changed' | 'unchanged' {
    if (known === undefined || known === null) return 'unchanged'
    // All entries with the id: none of them may remain.
    for (const [at, entry] of this.#entries.entries()) {
      if (entry === null || idOfEntry(entry) !== key) continue
      this.#entries[at] = null
      this.#bytes -= Buffer.byteLength(entry) + 1
    }
    this.#places.delete(key)
    return 'changed'
  }

  /** Returns the current document of the list. */
  document(): string {
    const entries = this.#entries.filter((entry) => entry !== null)
    return this.#lists.write(entries, this.#before)
  }
}
