import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../contract/errors/errors.ts'
import { atEnd } from './request-end.ts'

export type GateLimits = {
  /** Maximum for one key; 0 sets no limit. */
  perKey: number
  /** Maximum for all keys together; 0 sets no limit. */
  perProcess: number
}

/** Counts concurrent requests, per key and in total, and refuses those above its limits. */
export class Gate {
  readonly #what: string
  readonly #limits: GateLimits
  readonly #ofKey = new Map<string, number>()
  #all = 0

  /** Makes a gate; `what` names the counted requests in refusals. */
  constructor(what: string, limits: GateLimits) {
    this.#what = what
    this.#limits = limits
  }

  /**
   * Admits a request of the key. Returns the function to call at its end; a second call does nothing. Throws 429
   * `too_many_under_way` for the key, and 503 `overloaded` for the process, each with `Retry-After`.
   */
  enter(keyId: string): () => void {
    const { perKey, perProcess } = this.#limits
    const headers = { 'retry-after': '1' }
    const own = this.#ofKey.get(keyId) ?? 0
    if (perKey > 0 && own >= perKey) {
      const detail = `${this.#what}: at most ${perKey} at once; wait until one has ended`
      throw new AppError('too_many_under_way', detail, { headers })
    }
    if (perProcess > 0 && this.#all >= perProcess) {
      throw new AppError('overloaded', 'this server has reached its limit of concurrent requests: try again', {
        headers,
      })
    }
    this.#ofKey.set(keyId, own + 1)
    this.#all += 1
    let isIn = true
    return () => {
      if (isIn) this.#leave(keyId)
      isIn = false
    }
  }

  get underWay(): number {
    return this.#all
  }

  /** Counts a request until its answer is sent or its client has disconnected. Throws like `enter`. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    atEnd(request, reply, this.enter(request.key.id))
  }

  #leave(keyId: string): void {
    this.#all -= 1
    const left = (this.#ofKey.get(keyId) ?? 1) - 1
    if (left === 0) this.#ofKey.delete(keyId)
    else this.#ofKey.set(keyId, left)
  }
}
