/** Message types of the PostgreSQL protocol that a proxy between driver and server needs. */
export const kinds = {
  query: 0x51,
  parse: 0x50,
  bind: 0x42,
  complete: 0x43,
  row: 0x44,
  sync: 0x53,
  ready: 0x5a,
  parsed: 0x31,
} as const

/** Splits a stream into messages; the first ones of a client have no type. */
export class Messages {
  #bytes: Buffer = Buffer.alloc(0)
  #kindBytes: 0 | 1

  constructor(from: 'client' | 'server') {
    this.#kindBytes = from === 'client' ? 0 : 1
  }

  /** Ends the start-up: every message from here on has a type. */
  started(): void {
    this.#kindBytes = 1
  }

  get isStarting(): boolean {
    return this.#kindBytes === 0
  }

  /** Yields the messages that are complete with this chunk. */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#bytes = Buffer.concat([this.#bytes, chunk])
    for (;;) {
      if (this.#bytes.length < this.#kindBytes + 4) return
      const length = this.#kindBytes + this.#bytes.readInt32BE(this.#kindBytes)
      if (this.#bytes.length < length) return
      const message = this.#bytes.subarray(0, length)
      this.#bytes = this.#bytes.subarray(length)
      yield message
    }
  }
}

/** Returns the text at `from`, up to its zero byte. */
export function textAt(message: Buffer, from: number): string {
  return message.toString('utf8', from, message.indexOf(0, from))
}

function toMessage(kind: number, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head[0] = kind
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

export const simpleQuery = (text: string) => toMessage(kinds.query, Buffer.from(`${text}\0`))

/** Returns a Parse and a Bind of this text as the unnamed statement, in place of the Bind of another statement. */
export function parseAndBind(text: string): Buffer {
  const parse = toMessage(kinds.parse, Buffer.from(`\0${text}\0\0\0`))
  return Buffer.concat([parse, toMessage(kinds.bind, Buffer.alloc(8))])
}

/** Returns the name of the statement in a Parse or a Bind, and the text of a Parse. */
export function statementOf(message: Buffer): { name: string; text: string } {
  const first = textAt(message, 5)
  const second = textAt(message, 5 + Buffer.byteLength(first) + 1)
  return message[0] === kinds.parse ? { name: first, text: second } : { name: second, text: '' }
}
