import type { GetOwnKeyUsageQuery, KeyErrorList, KeyUsage, ListOwnKeyErrorsQuery, OwnKey } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

export class OwnKeyOperations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Gets the scopes and location of the key. */
  get(options: Options = {}): Promise<OwnKey> {
    return this.#transport.json({ path: '/v1/keys/own', ...options })
  }

  /** Counts requests of the key by time, and how many were refused. */
  usage({ signal, ...query }: GetOwnKeyUsageQuery & Options = {}): Promise<KeyUsage> {
    return this.#transport.json({ path: '/v1/keys/own/usage', query, signal })
  }

  /** Counts refused requests by code and operation. */
  errors({ signal, ...query }: ListOwnKeyErrorsQuery & Options = {}): Promise<KeyErrorList> {
    return this.#transport.json({ path: '/v1/keys/own/errors', query, signal })
  }
}
