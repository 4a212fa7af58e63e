import { getHeapStatistics } from 'node:v8'
import { foreign, Profile, Unreadable, type Adapter, type Mapped, type SourceFile } from './adapter.ts'

/** A parsed JSON document of unknown shape. */
export type Json = any

/**
 * Returns the maximum size of all documents in bytes. Mapped documents take some seven times as much memory as their
 * text, and V8 limits the length of a string.
 */
const textLimit = (): number => Math.min(getHeapStatistics().heap_size_limit / 8, 500 * 1024 ** 2)

/** Reads files into memory, up to a total number of bytes. Throws `Unreadable` for more. */
class Reader {
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async read({ name, read }: SourceFile): Promise<string> {
    const chunks: Buffer[] = []
    for await (const chunk of read()) {
      chunks.push(chunk)
      this.#bytes += chunk.length
      if (this.#bytes <= this.#limit) continue
      throw new Unreadable(
        `the JSON files up to ${name} exceed ${Math.floor(this.#limit / 1024 ** 2)} MiB, the memory limit of this process: ` +
          'import them in parts, and keep refunds with their sales',
      )
    }
    return new TextDecoder('utf-8', { fatal: false }).decode(Buffer.concat(chunks))
  }
}

/** Parses a file of JSON, or of one JSON document per line. Throws `Unreadable`, which says where. */
function parseJson(name: string, text: string): Json[] {
  try {
    return [JSON.parse(text)]
  } catch (error) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    try {
      if (lines.length > 1) return lines.map((line) => JSON.parse(line))
    } catch {
      // The error for the whole text reports where it breaks off.
    }
    throw new Unreadable(`${name} is not JSON: ${(error as Error).message}`)
  }
}

/** Matches files of a folder that are not documents, such as the script that downloaded them. */
const isOtherFile = /\.(?!json$|ndjson$|jsonl$|txt$)[a-z]\w*$/i

/** Makes the adapter of a source of JSON documents. They are mapped all at once: related data may be in any of them. */
export const jsonAdapter = (
  name: string,
  expects: string,
  map: (documents: Json[], profile: Profile) => Mapped,
): Adapter => ({
  name,
  expects,
  profile: Profile,
  async map(files, profile, { hand }) {
    const documents: Json[] = []
    const reader = new Reader(textLimit())
    const others = files.length === 1 ? [] : files.filter(({ name }) => isOtherFile.test(name))
    for (const file of files.filter((one) => !others.includes(one)))
      for (const one of parseJson(file.name, await reader.read(file))) documents.push(one)
    const mapped = map(documents, profile)
    mapped.left.push(...others.map((one) => ({ key: one.name, reason: foreign('JSON file, by its name') })))
    hand(mapped)
  },
})

/** Records which members of documents were read, so that unknown ones can be counted. */
export class Reading {
  readonly #read = new Set<string>()

  /** Returns the document; each member that is read from it is recorded by its path, such as `line_items[].name`. */
  of<T extends Json>(document: T, path = ''): T {
    if (typeof document !== 'object' || document === null) return document
    const remember = this.#read
    return new Proxy(document, {
      get: (target, key, receiver) => {
        const value: unknown = Reflect.get(target, key, receiver)
        if (typeof key !== 'string' || typeof value === 'function') return value
        const at = Array.isArray(target) ? `${path}[]` : `${path}.${key}`
        remember.add(at)
        return this.of(value, at)
      },
    })
  }

  /**
   * Counts the members that were never read; of nested members, only the outermost. `known` are names of members that
   * the mapping skips: their data comes from elsewhere, or no record has a place for it.
   */
  unread(documents: readonly Json[], into: Map<string, number>, known: ReadonlySet<string>): void {
    for (const document of documents) this.#count(document, { path: '', known }, into)
  }

  #count(value: Json, { path, known }: { path: string; known: ReadonlySet<string> }, into: Map<string, number>): void {
    if (Array.isArray(value)) for (const one of value) this.#count(one, { path: `${path}[]`, known }, into)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [key, child] of Object.entries(value)) {
      const at = `${path}.${key}`
      if (known.has(key) && !this.#read.has(at)) continue
      if (!this.#read.has(at)) into.set(at.slice(1), (into.get(at.slice(1)) ?? 0) + 1)
      else this.#count(child, { path: at, known }, into)
    }
  }
}
