import type { Checkpoint, CheckpointKeys, CheckpointPage, ListCheckpointsQuery, ProveGrowthQuery } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

type ProofOptions = Options & { size?: number }

const textOf = (response: Response): Promise<string> => response.text()

/** Signed heads of the journal, and proofs from them; who signs needs a key with the scope `books`. */
export class Checkpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Signs the journal as it stands; the last checkpoint where nothing came after it. */
  make({ signal }: Options = {}): Promise<Checkpoint> {
    return this.#transport.json({ method: 'POST', path: '/v1/checkpoints/', signal })
  }

  /** Lists checkpoints, the newest first. */
  list({ signal, ...query }: ListCheckpointsQuery & Options = {}): Promise<CheckpointPage> {
    return this.#transport.json({ path: '/v1/checkpoints/', query, signal })
  }

  /** Lists the keys that signed, the newest first. */
  keys({ signal }: Options = {}): Promise<CheckpointKeys> {
    return this.#transport.json({ path: '/v1/checkpoints/keys', signal })
  }

  /** Gets the last checkpoint as text: keep it where the server cannot write. */
  async latest({ signal }: Options = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: '/v1/checkpoints/latest', signal }))
  }

  /** Gets the checkpoint of a size as text. */
  async get(size: number, { signal }: Options = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/checkpoints/${size}`, signal }))
  }

  /** Proves that the journal only grew since the checkpoint of the size `from`. */
  async growth({ signal, ...query }: ProveGrowthQuery & Options): Promise<string> {
    return textOf(await this.#transport.send({ path: '/v1/checkpoints/consistency', query, signal }))
  }

  /** Proves that the latest version of an order is in the journal: a file for `verify.mjs`. */
  async proveOrder(id: string, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/orders/${encodeURIComponent(id)}/proof`, query, signal }))
  }

  /** Proves that the latest version of a Z report is in the journal. */
  async proveReport(id: string, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/reports/${encodeURIComponent(id)}/proof`, query, signal }))
  }

  /** Proves that an entry is in the journal, by its number. */
  async proveEntry(sequence: number, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/events/${sequence}/proof`, query, signal }))
  }
}
