import type { FastifyReply, FastifyRequest } from 'fastify'
import { SharedFile, type FileOptions } from './shared-file.ts'

/** How many addresses of this server get files of their own. */
const addressesKept = 8

/** Another address takes the place of one at most so often: its files are made and packed anew. */
const exchangeMs = 60_000

/**
 * The addresses that files may name, of one server: those that it was asked at last. A client can invent further ones, and gets what is
 * written for any; one that is asked for takes, after a while, the place of the one that nobody asked for the longest.
 */
export class KnownAddresses {
  readonly #monotonic: () => number
  /** The one that was asked for last is the last. */
  readonly #known = new Set<string>()
  #exchangedAt = -Infinity

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  has(base: string): boolean {
    return this.#known.has(base)
  }

  /** The address itself, or null for one too many. */
  keep(base: string): string | null {
    const isKnown = this.#known.delete(base)
    if (!isKnown && this.#known.size >= addressesKept && !this.#exchange()) return null
    this.#known.add(base)
    return base
  }

  /** Forgets the address that was not asked for the longest. False where another was exchanged a moment ago. */
  #exchange(): boolean {
    const now = this.#monotonic()
    if (now - this.#exchangedAt < exchangeMs) return false
    this.#exchangedAt = now
    const [oldest] = this.#known
    return oldest !== undefined && this.#known.delete(oldest)
  }
}

/** A file that names the address at which it is asked for. Made once for each; caches are told that it differs by host. */
export class AddressedFile {
  readonly #addresses: KnownAddresses
  readonly #options: FileOptions
  readonly #make: (base: string | null) => Promise<Buffer>
  readonly #files = new Map<string | null, SharedFile>()

  constructor(addresses: KnownAddresses, options: FileOptions, make: (base: string | null) => Promise<Buffer>) {
    this.#addresses = addresses
    this.#options = options
    this.#make = make
  }

  send(base: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = this.#addresses.keep(base)
    let file = this.#files.get(address)
    if (!file) {
      const vary = 'Accept-Encoding, Host, X-Forwarded-Host, X-Forwarded-Proto'
      for (const of of this.#files.keys()) if (of !== null && !this.#addresses.has(of)) this.#files.delete(of)
      file = new SharedFile({ ...this.#options, vary }, () => this.#make(address))
      this.#files.set(address, file)
    }
    return file.send(request, reply)
  }
}
