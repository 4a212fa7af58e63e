/**
 * The part of PostgreSQL's protocol (3.0, "Message Formats") that reading needs of what comes back. What is sent is written by
 * `pg-protocol`.
 */

/** The first byte of a message of the server. Others tell nothing that a reader needs. */
export const answerKinds = { row: 0x44, complete: 0x43, ready: 0x5a, error: 0x45 }

/** Kind and length, which counts itself. */
const headerBytes = 5

/** PostgreSQL sends no message longer than a value can be: 1 GiB. */
const longestBytes = 2 ** 30

/** The peer does not keep to the protocol: it is no PostgreSQL, or somebody stands between. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
  readonly code = '08P01'
}

/** A message between `start`, its first byte, and `end`. Valid only during the call: its place is used again. */
export type AnswerHandler = (kind: number, bytes: Buffer, start: number, end: number) => void

/** What arrives, in one place that is used again and again, so that reading makes no garbage. */
export class ReceivedBytes {
  #bytes: Buffer
  #length = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  clear(): void {
    this.#length = 0
  }

  /** Where the next bytes go. */
  free(): Buffer {
    return this.#bytes.subarray(this.#length)
  }

  /** Tells of each message that is complete once `count` bytes more have been put there. */
  arrived(count: number, handle: AnswerHandler): void {
    const bytes = this.#bytes
    this.#length += count
    let start = 0
    let needed = headerBytes
    while (start + headerBytes <= this.#length) {
      needed = 1 + bytes.readInt32BE(start + 1)
      if (needed < headerBytes || needed > longestBytes) {
        throw new BrokenAnswer(`the database announced a message of ${needed - 1} bytes`)
      }
      if (start + needed > this.#length) break
      handle(bytes[start] as number, bytes, start, start + needed)
      start += needed
      needed = headerBytes
    }
    const left = this.#length - start
    // A message longer than the place needs a larger one.
    if (needed > bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * needed)
    if (left > 0 && (start > 0 || this.#bytes !== bytes)) bytes.copy(this.#bytes, 0, start, this.#length)
    this.#length = left
  }
}

/** How the server calls what it has done: `UPDATE 1`. */
export function tagIn(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start + headerBytes, end - 1)
}

/** The bytes of the first column of a row between `start` and `end`; null when it is null. Throws `BrokenAnswer`. */
export function firstColumn(bytes: Buffer, start: number, end: number): { from: number; to: number } | null {
  const from = start + headerBytes + 6
  // The bytes behind the row are those of other answers.
  if (from > end) throw new BrokenAnswer('the database sent a row without a column')
  const size = bytes.readInt32BE(from - 4)
  if (from + size > end) throw new BrokenAnswer(`the database sent a column of ${size} bytes in a shorter row`)
  return size < 0 ? null : { from, to: from + size }
}

/** An error of the server. `code` is its SQLSTATE. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string

  constructor(bytes: Buffer, start: number, end: number) {
    const fields = new Map<string, string>()
    for (const field of bytes.toString('utf8', start + headerBytes, end).split('\0')) {
      if (field !== '') fields.set(field.slice(0, 1), field.slice(1))
    }
    super(fields.get('M') ?? 'the database gave no reason')
    this.code = fields.get('C') ?? 'XX000'
  }
}
