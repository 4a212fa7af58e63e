/** 1 MiB per line (decision 0013). */
export const lineLimit = 1024 * 1024

/** Of a longer line this much is kept, to recognise it. */
const keptOfLongLine = 64 * 1024

/** A line that goes on for this long is not one: reading stops. */
const hopelessLine = 64 * 1024 * 1024

export type Line = { line: number; bytes: Buffer; tooLong: boolean }

export class LineNeverEnds extends Error {
  readonly line: number

  constructor(line: number) {
    super(`line ${line} is longer than ${hopelessLine / 1024 / 1024} MiB: reading stopped there`)
    this.line = line
  }
}

const isSpace = (byte: number | undefined) => byte === 0x20 || byte === 0x09 || byte === 0x0d

const isBlank = (bytes: Buffer) => bytes.length === 0 || (isSpace(bytes[0]) && bytes.every(isSpace))

/**
 * Splits a byte stream at line feeds, in memory bounded by `lineLimit`. Blank lines are passed over and counted. A line
 * over the limit comes cut, with `tooLong`. Throws `LineNeverEnds`, and whatever the stream throws.
 */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let line = 1
  let parts: Buffer[] = []
  let length = 0
  const take = (): Line | undefined => {
    const tooLong = length > lineLimit
    let bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (line === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes = bytes.subarray(3)
    parts = []
    length = 0
    const number = line++
    if (!tooLong && isBlank(bytes)) return undefined
    return { line: number, bytes: tooLong ? bytes.subarray(0, keptOfLongLine) : bytes, tooLong }
  }
  const add = (bytes: Buffer) => {
    if (length <= lineLimit && bytes.length > 0) parts.push(bytes)
    length += bytes.length
    if (length > hopelessLine) throw new LineNeverEnds(line)
  }
  for await (const chunk of stream) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const taken = take()
      if (taken) yield taken
    }
    add(chunk.subarray(start))
  }
  if (length > 0) {
    const taken = take()
    if (taken) yield taken
  }
}
