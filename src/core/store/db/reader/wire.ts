/**
 * The part of PostgreSQL's protocol (3.0, "Message Formats") that reading needs: parse, bind and execute prepared
 * statements, and walk over the answers.
 */

const [parse, bind, execute, sync, terminate] = [0x50, 0x42, 0x45, 0x53, 0x58]

/** The first byte of a server message. A reader ignores other messages. */
export const answerKinds = { row: 0x44, complete: 0x43, ready: 0x5a, error: 0x45 }

/** Bytes of a message's header: one for the kind, and four for the length, which includes itself. */
const headerBytes = 5

/** Initial size of the buffer for outgoing messages, and the largest that is reused. */
const [firstBytes, keptBytes] = [4096, 64 * 1024]

/** Maximum bytes of a message: PostgreSQL sends no message longer than a value can be, 1 GiB. */
const longestBytes = 2 ** 30

/** The peer violates the protocol: it is not PostgreSQL, or something is in between. */
export class BrokenAnswer extends Error {
  override readonly name = 'BrokenAnswer'
  readonly code = '08P01'
}

/**
 * Messages to the server, collected in one buffer and written at once: `pg-protocol` allocates a buffer for each, which
 * costs a tenth of a read.
 */
export class QueryBytes {
  #bytes = Buffer.allocUnsafeSlow(firstBytes)
  #length = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  /** Prepares a statement under a name on this connection. */
  parse(name: string, text: string): void {
    const start = this.#begin(parse)
    this.#text(name)
    this.#text(text)
    this.#int16(0)
    this.#end(start)
  }

  /** Parameters as text, results as bytes: for text they are the same, but PostgreSQL need not copy them. */
  bind(name: string, parameters: readonly string[]): void {
    const start = this.#begin(bind)
    this.#text('')
    this.#text(name)
    this.#texts(parameters)
    this.#int16(1)
    this.#int16(1)
    this.#end(start)
  }

  /** Runs the bound statement to its last row. */
  execute(): void {
    const start = this.#begin(execute)
    this.#text('')
    this.#int32(0)
    this.#end(start)
  }

  /** Ends the transaction of the statements since the last call; the server then reports that it is ready. */
  sync(): void {
    this.#end(this.#begin(sync))
  }

  terminate(): void {
    this.#end(this.#begin(terminate))
  }

  clear(): void {
    this.#length = 0
  }

  /** Takes everything collected, to be sent. A long buffer is not copied but handed over. */
  take(): Buffer {
    const gathered = this.#bytes.subarray(0, this.#length)
    const isLong = this.#bytes.length > keptBytes
    this.#length = 0
    if (!isLong) return Buffer.from(gathered)
    this.#bytes = Buffer.allocUnsafeSlow(firstBytes)
    return gathered
  }

  #begin(kind: number): number {
    this.#room(headerBytes)
    const start = this.#length
    this.#bytes[start] = kind
    this.#length += headerBytes
    return start
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#length - start - 1, start + 1)
  }

  #text(value: string): void {
    this.#room(Buffer.byteLength(value) + 1)
    this.#length += this.#bytes.write(value, this.#length)
    this.#bytes[this.#length] = 0
    this.#length += 1
  }

  #texts(parameters: readonly string[]): void {
    this.#int16(0)
    this.#int16(parameters.length)
    for (const parameter of parameters) {
      const size = Buffer.byteLength(parameter)
      this.#int32(size)
      this.#room(size)
      this.#length += this.#bytes.write(parameter, this.#length)
    }
  }

  #int16(value: number): void {
    this.#room(2)
    this.#length = this.#bytes.writeInt16BE(value, this.#length)
  }

  #int32(value: number): void {
    this.#room(4)
    this.#length = this.#bytes.writeInt32BE(value, this.#length)
  }

  #room(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(2 * (this.#length + size))
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Receives a message between `start`, its first byte, and `end`. Valid only during the call, since the buffer is reused. */
export type AnswerHandler = (kind: number, bytes: Buffer, start: number, end: number) => void

/** Received bytes, in one reused buffer, so that reading produces no garbage. */
export class ReceivedBytes {
  #bytes: Buffer
  #length = 0

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  clear(): void {
    this.#length = 0
  }

  /** Returns the part of the buffer where the next bytes go. */
  free(): Buffer {
    return this.#bytes.subarray(this.#length)
  }

  /** Handles each message that is complete once `count` more bytes are in the buffer. */
  arrived(count: number, handle: AnswerHandler): void {
    const bytes = this.#bytes
    this.#length += count
    let start = 0
    let needed = headerBytes
    while (start + headerBytes <= this.#length) {
      needed = 1 + bytes.readInt32BE(start + 1)
      if (needed < headerBytes || needed > longestBytes) {
        throw new BrokenAnswer(`the database announced a message of ${needed - 1} bytes, which is not a valid length`)
      }
      if (start + needed > this.#length) break
      handle(bytes[start] as number, bytes, start, start + needed)
      start += needed
      needed = headerBytes
    }
    const left = this.#length - start
    // A message longer than the buffer needs a larger buffer.
    if (needed > bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * needed)
    if (left > 0 && (start > 0 || this.#bytes !== bytes)) bytes.copy(this.#bytes, 0, start, this.#length)
    this.#length = left
  }
}

/** Returns the command tag of an answer: `UPDATE 1`. */
export function tagIn(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start + headerBytes, end - 1)
}

/** Returns the byte range of the first column of a row; null if the column is null. Throws `BrokenAnswer`. */
export function firstColumn(bytes: Buffer, start: number, end: number): { from: number; to: number } | null {
  const from = start + headerBytes + 6
  // The bytes after the row belong to other answers.
  if (from > end) throw new BrokenAnswer('the database sent a row without a column')
  const size = bytes.readInt32BE(from - 4)
  if (from + size > end) throw new BrokenAnswer(`the database sent a column of ${size} bytes in a shorter row`)
  return size < 0 ? null : { from, to: from + size }
}

const [zero, nine] = [0x30, 0x39]

/** Returns the integer at the beginning of a column, 0 if there is none, and where its digits end. */
export function numberAt(chunk: Buffer, from: number, to: number): { number: number; end: number } {
  let number = 0
  let end = from
  for (; end < to; end += 1) {
    const byte = chunk[end] as number
    if (byte < zero || byte > nine) break
    number = 10 * number + byte - zero
  }
  return { number, end }
}

/** An error that the server reported. `code` is its SQLSTATE, `routine` the function of PostgreSQL that raised it. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: string
  readonly routine: string | undefined

  constructor(bytes: Buffer, start: number, end: number) {
    const fields = new Map<string, string>()
    for (const field of bytes.toString('utf8', start + headerBytes, end).split('\0')) {
      if (field !== '') fields.set(field.slice(0, 1), field.slice(1))
    }
    super(fields.get('M') ?? 'the database gave no reason')
    this.code = fields.get('C') ?? 'XX000'
    this.routine = fields.get('R')
  }
}
