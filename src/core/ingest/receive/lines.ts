import { withoutMark } from '../../domain/documents/json-text.ts'
import { Gathered } from './gathered.ts'
import { isTooLong, keptOfRejected, listLimit } from '../record-limits.ts'

/** Maximum bytes of a line: a longer one cannot be a record, so reading stops without looking for its end. */
const hopelessLine = 64 * 1024 * 1024

/** A body may have this many more blank lines than lines with text; beyond that it is not NDJSON, and reading stops. */
const blankLimit = 10_000

export type Line = { line: number; bytes: Buffer; tooLong: boolean }

/** Thrown if further reading makes no sense. The response has the reason in `stopped`. */
export class StreamSenseless extends Error {
  readonly code: 'line_too_long' | 'too_many_blank_lines'
  readonly line: number

  constructor(code: StreamSenseless['code'], line: number, detail: string) {
    super(`${detail}: reading stopped there`)
    this.code = code
    this.line = line
  }
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0d

const isBlank = (bytes: Buffer) => bytes.length === 0 || (isSpace(bytes[0]) && bytes.every(isSpace))

/** Splits one stream into lines, keeping the incomplete line from piece to piece. */
class LineCutter {
  readonly #rest = new Gathered(listLimit)
  readonly #onHeld: (bytes: number) => void
  #line = 1
  #blank = 0
  #records = 0
  #held = 0

  constructor(onHeld: (bytes: number) => void) {
    this.#onHeld = onHeld
  }

  /** Yields the lines that end in this piece. A line that is completely inside it is not copied. */
  *cut(piece: Buffer): Generator<Line> {
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      const part = piece.subarray(start, end)
      start = end + 1
      if (this.#rest.length > 0) this.#keep(part)
      const line = this.#rest.length > 0 ? this.#takeRest() : this.#toLine(part, isTooLong(part))
      if (line) yield line
    }
    if (start < piece.length) this.#keep(piece.subarray(start))
  }

  /** Returns the last line, if the stream ends without a line feed. */
  end(): Line | undefined {
    return this.#rest.length > 0 ? this.#takeRest() : undefined
  }

  /** Discards the incomplete line. */
  drop(): void {
    this.#rest.drop()
  }

  #keep(part: Buffer): void {
    const more = this.#rest.append(part)
    this.#held += more
    if (more > 0) this.#onHeld(more)
    if (this.#rest.length <= hopelessLine) return
    const detail = `line ${this.#line} is longer than ${hopelessLine / 1024 / 1024} MiB`
    throw new StreamSenseless('line_too_long', this.#line, detail)
  }

  #takeRest(): Line | undefined {
    const isOver = this.#rest.isOver
    const bytes = this.#rest.take()
    const tooLong = isOver || isTooLong(bytes)
    this.#onHeld(-this.#held)
    this.#held = 0
    return this.#toLine(bytes, tooLong)
  }

  #toLine(given: Buffer, tooLong: boolean): Line | undefined {
    const line = this.#line
    this.#line += 1
    const bytes = line === 1 ? withoutMark(given) : given
    if (tooLong || !isBlank(bytes)) {
      this.#records += 1
      return { line, bytes: tooLong ? bytes.subarray(0, keptOfRejected) : bytes, tooLong }
    }
    this.#blank += 1
    if (this.#blank <= this.#records + blankLimit) return undefined
    throw new StreamSenseless('too_many_blank_lines', line, `${this.#blank} lines were blank`)
  }
}

/**
 * Splits a byte stream at line feeds, in memory bounded by `listLimit`; each step yields the lines that one piece
 * completes. Blank lines are skipped and counted. A line over the limit is truncated, with `tooLong`. `onHeld`
 * receives changes of the memory for an incomplete line. Throws `StreamSenseless`, and errors of the stream or
 * `onHeld`.
 */
export async function* splitLines(
  stream: AsyncIterable<Buffer>,
  onHeld: (bytes: number) => void = () => {},
): AsyncGenerator<Iterable<Line>> {
  const cutter = new LineCutter(onHeld)
  try {
    for await (const piece of stream) yield cutter.cut(piece)
    const last = cutter.end()
    if (last) yield [last]
  } finally {
    cutter.drop()
  }
}
