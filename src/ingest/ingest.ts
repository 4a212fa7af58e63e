import { readJson, type WrittenNumber } from '../domain/json-text.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import { lineLimit, LineNeverEnds, splitLines, type Line } from './lines.ts'
import { isRejection, prepareRecord, readRecord, type Incoming, type Rejection } from './records.ts'
import { Tally } from './tally.ts'
import { batchSize, type Writer } from './writer.ts'

/** Text of one transaction's records, at most: a few large records do not make a large transaction. */
const batchBytes = 4 * 1024 * 1024

/** A body with more bad records than this is not what its sender thinks it is: reading stops. */
const rejectedLimit = 10_000

/** Who pushes: the location of the key, and the key (null for the command line). */
export type Pusher = { locationId: string; keyId: string | null }

export type IngestOptions = {
  /** Called after each commit with the number of lines read so far. */
  onProgress?: (lines: number) => void
}

/** Why a stream broke before its end, in words for the sender; thrown by a source and told in the answer. */
export class SourceBroken extends Error {
  readonly code: string

  constructor(code: string, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.code = code
  }
}

type Prepared = (Incoming | Rejection)[]

function tooLong({ line, bytes }: Line): Rejection {
  const detail = `the line is longer than ${lineLimit} bytes`
  const errors = [{ in: 'body', pointer: '', code: 'line_too_long', detail } as const]
  return { line, code: 'line_too_long', detail, errors, record: bytes.toString('utf8') }
}

function stoppedBy(error: unknown, line: number): NonNullable<IngestAnswer['stopped']> | undefined {
  if (error instanceof LineNeverEnds) return { line: error.line, code: 'line_too_long', detail: error.message }
  if (error instanceof SourceBroken) return { line, code: error.code, detail: error.message }
  return undefined
}

/**
 * Stores a stream of NDJSON records. While one batch commits the next is read and checked, and no further: the source
 * is read no faster than it commits. A source that breaks ends the answer with `stopped`; what was read whole before
 * is stored. Throws what the database throws; batches before that stay stored.
 */
export async function ingestLines(
  writer: Writer,
  pusher: Pusher,
  source: AsyncIterable<Buffer>,
  { onProgress }: IngestOptions = {},
): Promise<IngestAnswer> {
  const tally = new Tally()
  let batch: Prepared = []
  let bytes = 0
  let line = 0
  let committing: Promise<void> = Promise.resolve()

  const flush = async () => {
    const [records, lines] = [batch, line]
    batch = []
    bytes = 0
    await committing
    committing = store(writer, pusher, records, tally).then(() => onProgress?.(lines))
    // A failure is met at the next await; until then it must not count as unhandled.
    committing.catch(() => {})
  }

  let stopped: IngestAnswer['stopped']
  try {
    for await (const next of splitLines(source)) {
      line = next.line
      batch.push(next.tooLong ? tooLong(next) : readRecord(next.bytes, line, pusher.locationId))
      bytes += next.bytes.length
      if (batch.length >= batchSize || bytes >= batchBytes) {
        await flush()
        if (tally.rejected >= rejectedLimit) {
          stopped = {
            line,
            code: 'too_many_rejected',
            detail: `${rejectedLimit} records were rejected: reading stopped`,
          }
          break
        }
      }
    }
  } catch (error) {
    stopped = stoppedBy(error, line + 1)
    if (!stopped) throw error
  }
  await flush()
  await committing
  return tally.answer(stopped)
}

async function store(writer: Writer, { locationId, keyId }: Pusher, records: Prepared, tally: Tally): Promise<void> {
  const rejected = records.filter((record) => isRejection(record))
  const incoming = records.filter((record): record is Incoming => !isRejection(record))
  tally.add(records, await writer.write(locationId, incoming, rejected, keyId))
}

/** Numbers written inside element `i` of an array, with paths inside that element. */
function writtenIn(written: readonly WrittenNumber[], i: number): WrittenNumber[] {
  return written.filter(({ path }) => path[0] === i).map(({ path, text }) => ({ path: path.slice(1), text }))
}

/** Stores a JSON body: one record or an array of them. A body that is no JSON is one rejected record. */
export async function ingestJson(writer: Writer, pusher: Pusher, body: Buffer): Promise<IngestAnswer> {
  const tally = new Tally()
  const read = readJson(body)
  const { locationId } = pusher
  const isList = read.ok && Array.isArray(read.value)
  const records = !isList
    ? [readRecord(body, 1, locationId)]
    : (read.value as unknown[]).map((value, i) =>
        prepareRecord(value, writtenIn(read.written, i), i + 1, locationId, () => JSON.stringify(value)),
      )
  for (let at = 0; at < records.length; at += batchSize) {
    await store(writer, pusher, records.slice(at, at + batchSize), tally)
  }
  return tally.answer()
}
