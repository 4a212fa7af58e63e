import type { Checkpoint, CheckpointKeys, CheckpointPage, ListCheckpointsQuery, ProveGrowthQuery } from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

type ProofOptions = Options & { size?: number }

const textOf = (response: Response): Promise<string> => response.text()

/** Checkpoints of the journal, and proofs that data is in it. `make` needs the scope `books`. */
export class Checkpoints {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Signs the current journal; returns the last checkpoint if nothing has changed. */
  make({ signal }: Options = {}): Promise<Checkpoint> {
    return this.#transport.json({ method: 'POST', path: '/v1/checkpoints/', signal })
  }

  /** Lists checkpoints, newest first. */
  list({ signal, ...query }: ListCheckpointsQuery & Options = {}): Promise<CheckpointPage> {
    return this.#transport.json({ path: '/v1/checkpoints/', query, signal })
  }

  /** Lists the keys that signed, newest first. */
  keys({ signal }: Options = {}): Promise<CheckpointKeys> {
    return this.#transport.json({ path: '/v1/checkpoints/keys', signal })
  }

  /** Gets the last checkpoint as text: store it where the server cannot write. */
  async latest({ signal }: Options = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: '/v1/checkpoints/latest', signal }))
  }

  /** Gets the checkpoint of a tree size as text. */
  async get(size: number, { signal }: Options = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/checkpoints/${size}`, signal }))
  }

  /** Gets the proof that the journal only grew since the checkpoint of the size `from`. */
  async growth({ signal, ...query }: ProveGrowthQuery & Options): Promise<string> {
    return textOf(await this.#transport.send({ path: '/v1/checkpoints/consistency', query, signal }))
  }

  /** Gets the proof that the latest version of an order is in the journal, for `verify.mjs`. */
  async proveOrder(id: string, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/orders/${encodeURIComponent(id)}/proof`, query, signal }))
  }

  /** Gets the proof that the latest version of a Z report is in the journal. */
  async proveReport(id: string, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/reports/${encodeURIComponent(id)}/proof`, query, signal }))
  }

  /** Gets the proof that an entry is in the journal. */
  async proveEntry(sequence: number, { signal, ...query }: ProofOptions = {}): Promise<string> {
    return textOf(await this.#transport.send({ path: `/v1/events/${sequence}/proof`, query, signal }))
  }
}
