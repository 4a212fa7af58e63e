import type { FastifyReply, FastifyRequest } from 'fastify'
import { SharedFile, type FileOptions } from './shared-file.ts'

/** Maximum number of addresses of this server with files of their own. */
const addressesKept = 8

/** Minimum milliseconds between replacements of an address, since its files are rendered and compressed again. */
const exchangeMs = 60_000

/**
 * The addresses by which clients recently reached the server, each with its files. Clients can invent addresses, so
 * their number is limited: a new address replaces the least recently used one, at most once in `exchangeMs`.
 */
export class KnownAddresses {
  readonly #monotonic: () => number
  /** In order of last use, the latest last. */
  readonly #known = new Set<string>()
  #exchangedAt = -Infinity

  constructor(monotonic: () => number = () => performance.now()) {
    this.#monotonic = monotonic
  }

  has(base: string): boolean {
    return this.#known.has(base)
  }

  /** Returns the address itself, or null if there is no room for it. */
  keep(base: string): string | null {
    const isKnown = this.#known.delete(base)
    if (!isKnown && this.#known.size >= addressesKept && !this.#exchange()) return null
    this.#known.add(base)
    return base
  }

  /** Removes the least recently used address. Returns false, and removes none, within `exchangeMs` of the last removal. */
  #exchange(): boolean {
    const now = this.#monotonic()
    if (now - this.#exchangedAt < exchangeMs) return false
    this.#exchangedAt = now
    const [oldest] = this.#known
    return oldest !== undefined && this.#known.delete(oldest)
  }
}

/** A file that contains the address of the request. Rendered once per address; caches vary it by host. */
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
