import type { Call, Transport } from './transport.ts'

/** Stores responses with their `ETag`: a `Map`, or any object with these two methods. */
export type CacheStore = {
  get(key: string): { etag: string; text: string } | undefined
  set(key: string, entry: { etag: string; text: string }): unknown
}

/**
 * Reads single resources and catalog lists. With a store, a response is revalidated by its `ETag`: a 304 costs the
 * server one look-up and no body. Without one, every read returns a complete response.
 */
export class Caching {
  readonly #transport: Transport
  readonly #store: CacheStore | undefined

  constructor(transport: Transport, store?: CacheStore) {
    this.#transport = transport
    this.#store = store
  }

  async json<T>(call: Call): Promise<T> {
    const store = this.#store
    if (!store) return this.#transport.json<T>(call)
    const url = this.#transport.url(call.path, call.query)
    const known = store.get(url)
    const headers = known ? { ...call.headers, 'if-none-match': known.etag } : (call.headers ?? {})
    const response = await this.#transport.send({ ...call, headers })
    if (response.status === 304 && known) return JSON.parse(known.text) as T
    const text = await response.text()
    const etag = response.headers.get('etag')
    if (etag !== null) store.set(url, { etag, text })
    return JSON.parse(text) as T
  }
}
