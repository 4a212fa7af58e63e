import { open, type FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SourceBroken } from '../ingest/receive/ingest.ts'
import { CliError } from '../server/errors.ts'

export type RecordFile = {
  /** Bytes on disk; null for standard input. */
  size: number | null
  /** The bytes of the records, decompressed if they are gzip; `onRead` receives the number of bytes read. */
  read(onRead?: (bytes: number) => void): AsyncGenerator<Buffer>
  close(): Promise<void>
}

/** Makes a record file of unknown size from lines of another source. */
export const recordFileOf = (lines: Iterable<Buffer>): RecordFile => ({
  size: null,
  async *read(onRead = () => {}) {
    const step = 256 * 1024
    let chunk: Buffer[] = []
    let length = 0
    for (const line of lines) {
      chunk.push(line)
      length += line.length
      if (length < step) continue
      onRead(length)
      yield Buffer.concat(chunk)
      chunk = []
      length = 0
    }
    if (length > 0) yield Buffer.concat(chunk)
  },
  close: async () => {},
})

/** Recognizes by its first bytes a file that does not contain records, and returns its format; undefined otherwise. */
export type Look = (head: Buffer) => string | undefined

/**
 * Opens a file of records, or standard input for `-`. Throws `CliError` if it cannot be read, or if `look` recognizes
 * another format: immediately for a file, on the first read for standard input.
 */
export async function openRecordFile(path: string, look: Look = () => undefined): Promise<RecordFile> {
  const file = await openFile(path)
  const assertRecords = (head: Buffer) => {
    const what = look(head)
    if (what === undefined) return
    const name = path === '-' ? 'standard input' : path
    throw new CliError('usage', `${name} does not contain records: ${what}. Nothing was stored`)
  }
  async function* looked(source: AsyncGenerator<Buffer>) {
    const first = await source.next()
    if (first.done) return
    assertRecords(first.value)
    yield first.value
    yield* source
  }
  if (file.size === null) return { ...file, read: (onRead) => looked(file.read(onRead)) }
  // The file is opened a second time, because ending the read of a compressed file early closes it.
  const glance = await openFile(path)
  try {
    for await (const head of glance.read()) {
      assertRecords(head)
      break
    }
  } catch (error) {
    // Other errors, such as incomplete data, occur again when the records are read.
    if (error instanceof CliError) {
      await file.close()
      throw error
    }
  } finally {
    await glance.close().catch(() => {})
  }
  return file
}

async function openFile(path: string): Promise<RecordFile> {
  if (path === '-') {
    if (process.stdin.isTTY) throw new CliError('usage', 'standard input is a terminal: pipe the records to it')
    return { size: null, read: (onRead) => unpack(readChunks(process.stdin, onRead)), close: async () => {} }
  }
  let file: FileHandle | undefined
  try {
    file = await open(path)
    const stat = await file.stat()
    if (stat.isDirectory()) throw new Error('it is a directory')
    const handle = file
    return {
      size: stat.isFile() ? stat.size : null,
      read: (onRead) =>
        unpack(
          readChunks(
            handle.createReadStream({
              highWaterMark: 256 * 1024,
              autoClose: false,
              // A file is read from its beginning each time; a pipe can only be read once.
              ...(stat.isFile() ? { start: 0 } : {}),
            }),
            onRead,
          ),
        ),
      close: () => handle.close(),
    }
  } catch (error) {
    await file?.close()
    throw new CliError('file_unreadable', `${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

async function* readChunks(input: Readable, onRead: (bytes: number) => void = () => {}): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      onRead(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw new SourceBroken('file_unreadable', `the file cannot be read any further: ${(error as Error).message}`, error)
  }
}

/** Decompresses gzip, recognized by its first two bytes and not by the name of the file. */
async function* unpack(source: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0)
  while (head.length < 2) {
    const next = await source.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  async function* allBytes() {
    yield head
    yield* source
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* allBytes()
    return
  }
  try {
    yield* pipeline(Readable.from(allBytes()), createGunzip({ chunkSize: 256 * 1024 }), () => {})
  } catch (error) {
    if (error instanceof SourceBroken) throw error
    throw new SourceBroken('gzip_invalid', `the gzip data is incomplete: ${(error as Error).message}`, error)
  }
}
