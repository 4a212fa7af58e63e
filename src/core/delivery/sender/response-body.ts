import { createBrotliDecompress, createGunzip, createInflate, constants } from 'node:zlib'
import { Buffer } from 'node:buffer'

/** Collects the beginning of a response body. Every limit is in bytes, both before and after decompression. */
export class ResponseBody {
  readonly #maximum: number
  readonly #chunks: Buffer[] = []
  #length = 0

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Returns false beyond the maximum: stop reading. */
  add(chunk: Buffer): boolean {
    const room = this.#maximum - this.#length
    if (chunk.length > room) {
      if (room > 0) this.#chunks.push(chunk.subarray(0, room))
      this.#length = this.#maximum
      return false
    }
    this.#chunks.push(chunk)
    this.#length += chunk.length
    return true
  }

  /** Returns the body as text. Bytes that are not UTF-8, and NUL, which PostgreSQL cannot store, become U+FFFD. */
  text(): string {
    return this.#length === 0 ? '' : toText(this.#bytes(), this.#maximum)
  }

  /**
   * Returns the body as text, decompressed if the receiver used a coding although `identity` was requested. Empty if
   * the coding is unknown or stacked, or decompression fails. Longer content is cut at the maximum, so a bomb costs no
   * more than a body of that length.
   */
  async unpackedText(coding: string): Promise<string> {
    const unpacked = await unpack(this.#bytes(), coding.trim().toLowerCase(), this.#maximum)
    return toText(unpacked, this.#maximum)
  }

  #bytes(): Buffer {
    const [first] = this.#chunks
    return this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
  }
}

function toText(bytes: Buffer, maximum: number): string {
  // As a stream, so that a character cut by the limit is left out.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
  // U+FFFD has three bytes and may replace a single byte.
  if (text.length * 3 <= maximum || Buffer.byteLength(text) <= maximum) return text
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, maximum), { stream: true })
}

function unpacker(coding: string) {
  const zlib = { finishFlush: constants.Z_SYNC_FLUSH }
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(zlib)
  if (coding === 'deflate') return createInflate(zlib)
  if (coding === 'br') return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
  return null
}

/** Resolves to the first `maximum` decompressed bytes of `packed`, which may be cut. */
function unpack(packed: Buffer, coding: string, maximum: number): Promise<Buffer> {
  const stream = unpacker(coding)
  if (stream === null) return Promise.resolve(Buffer.alloc(0))
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length >= maximum) stream.destroy()
    })
    stream.on('error', () => stream.destroy())
    stream.on('close', () => resolve(Buffer.concat(chunks, Math.min(length, maximum))))
    stream.end(packed)
  })
}
