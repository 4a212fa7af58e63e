import type { GetOwnKeyUsageQuery, KeyErrorList, KeyUsage, ListOwnKeyErrorsQuery, OwnKey } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Tells about the key that the client has. */
export class OwnKeyOperations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Gets what the key may do, and where. */
  get(options: Options = {}): Promise<OwnKey> {
    return this.#transport.json({ path: '/v1/keys/own', ...options })
  }

  /** Requests of the key by steps of time, and how many of them were refused. */
  usage({ signal, ...query }: GetOwnKeyUsageQuery & Options = {}): Promise<KeyUsage> {
    return this.#transport.json({ path: '/v1/keys/own/usage', query, signal })
  }

  /** Lists what its requests were refused for, counted by code and operation. */
  errors({ signal, ...query }: ListOwnKeyErrorsQuery & Options = {}): Promise<KeyErrorList> {
    return this.#transport.json({ path: '/v1/keys/own/errors', query, signal })
  }
}
