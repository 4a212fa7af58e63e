import type { FastifyReply, FastifyRequest } from 'fastify'
import { SharedFile, type FileOptions } from './shared-file.ts'

/** How many addresses of this server get files of their own. */
const addressesKept = 8

/**
 * The addresses that files may name, of one server: the first that it is asked at. A client can invent further ones, and gets what
 * is written for any.
 */
export class KnownAddresses {
  readonly #known = new Set<string>()

  /** The address itself, or null for one too many. */
  keep(base: string): string | null {
    if (this.#known.size < addressesKept) this.#known.add(base)
    return this.#known.has(base) ? base : null
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
      file = new SharedFile({ ...this.#options, vary }, () => this.#make(address))
      this.#files.set(address, file)
    }
    return file.send(request, reply)
  }
}
