import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { preferredCoding } from './negotiation.ts'
import { TurnQueue } from '../../ingest/event-loop-share.ts'
import { isKnown } from './replies.ts'

/** Compresses the bytes of a file, by content coding. */
const packers = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
}

/** Shared by all files: one answer at a time hands its bytes to the network, since anyone may open many connections. */
const turns = new TurnQueue()

/** A content coding that we can send; `identity` is the file itself. */
type Coding = keyof typeof packers | 'identity'

/** `isPacked`: the file is already compressed. `vary`: what the answer depends on, in addition to its coding. */
export type FileOptions = { type: string; isPacked?: boolean; vary?: string }

/**
 * Serves a file that needs no key. Its bytes are made once, compressed once per coding, and shared by all answers: a
 * thousand slow clients hold a thousand references and no copy.
 */
export class SharedFile {
  readonly #options: FileOptions
  readonly #make: () => Promise<Buffer>
  readonly #packed = new Map<Coding, Promise<Buffer>>()
  #etag = ''

  constructor(options: FileOptions, make: () => Promise<Buffer>) {
    this.#options = options
    this.#make = make
  }

  /** Sends the bytes, or a 304 if the client has them. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { type, isPacked, vary = 'Accept-Encoding' } = this.#options
    const coding = isPacked ? 'identity' : preferredCoding(request, ['br', 'gzip'])
    const bytes = await this.#bytes(coding)
    await turns.next()
    // Each coding has bytes of its own, so a strong tag must name it.
    const etag = `"${this.#etag}-${coding}"`
    reply.headers({ etag, 'cache-control': 'public, max-age=3600', vary })
    if (isKnown(request, etag)) return reply.code(304).send()
    if (coding !== 'identity') reply.header('content-encoding', coding)
    return reply.header('content-type', type).send(bytes)
  }

  #bytes(coding: Coding): Promise<Buffer> {
    let packed = this.#packed.get(coding)
    if (!packed) {
      packed = coding === 'identity' ? this.#original() : this.#bytes('identity').then(packers[coding])
      this.#packed.set(coding, packed)
      // The next caller tries again.
      packed.catch(() => this.#packed.delete(coding))
    }
    return packed
  }

  async #original(): Promise<Buffer> {
    const bytes = await this.#make()
    this.#etag = hash('sha1', bytes, 'base64url')
    return bytes
  }
}
