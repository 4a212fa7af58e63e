import { readJson, type WrittenNumber } from '../domain/json-text.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import { isUuid } from '../schemas/scalars.ts'
import type { Outcome } from './apply.ts'
import { lineLimit, LineNeverEnds, splitLines, type Line } from './lines.ts'
import type { LocationRecord } from './locations.ts'
import { isRejection, prepareRecord, readRecord, type Incoming, type Rejection } from './records.ts'
import { Tally } from './tally.ts'
import { batchSize, type Writer } from './writer.ts'

/** Text of one transaction's records, at most: a few large records do not make a large transaction. */
const batchBytes = 4 * 1024 * 1024

/** A body with more bad records than this is not what its sender thinks it is: reading stops. */
const rejectedLimit = 10_000

/** Who pushes: the location of the key, and the key (null for the command line). */
export type Pusher = { locationId: string; keyId: string | null }

/** What a stream of several locations begins with: no location, so that nothing belongs to it. */
export const nowhere = '00000000-0000-0000-0000-000000000000'

export type IngestOptions = {
  /** Called after each commit with the number of lines read so far. */
  onProgress?: (lines: number) => void
  /**
   * Lets the stream go from location to location: each location record begins one, and this makes it when there is
   * none. Resolves to the outcome when it did. Without it every record must be of the pusher's location.
   */
  enter?: (record: LocationRecord) => Promise<Outcome | undefined>
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

/** The location that a location record is about, valid or not. */
function locationNamed({ type, id }: Incoming | Rejection): string | undefined {
  return type === 'location' && id !== undefined && isUuid(id) ? id.toLowerCase() : undefined
}

function noPlace(record: Incoming | Rejection): string {
  if (record.type !== 'location') return 'a record comes before any location record that says where it belongs'
  return `the location record is not valid, and what follows belongs to it: ${isRejection(record) ? record.detail : ''}`
}

function tooLong({ line, bytes }: Line): Rejection {
  const detail = `the line is longer than ${lineLimit} bytes`
  const errors = [{ in: 'body', pointer: '', code: 'line_too_long', detail } as const]
  return { line, code: 'line_too_long', detail, errors, record: bytes.toString('utf8') }
}

function read(next: Line, locationId: string): Incoming | Rejection {
  return next.tooLong ? tooLong(next) : readRecord(next.bytes, next.line, locationId)
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
  { onProgress, enter }: IngestOptions = {},
): Promise<IngestAnswer> {
  const tally = new Tally()
  let { locationId } = pusher
  let batch: Prepared = []
  let bytes = 0
  let line = 0
  let committing: Promise<void> = Promise.resolve()

  const flush = async () => {
    const [records, lines] = [batch, line]
    batch = []
    bytes = 0
    await committing
    committing = store(writer, { ...pusher, locationId }, records, tally).then(() => onProgress?.(lines))
    // A failure is met at the next await; until then it must not count as unhandled.
    committing.catch(() => {})
  }

  let stopped: IngestAnswer['stopped']
  try {
    for await (const next of splitLines(source)) {
      line = next.line
      let record = read(next, locationId)
      const named = enter && locationNamed(record)
      if (enter && named !== undefined && named !== locationId) {
        await flush()
        await committing
        locationId = named
        record = read(next, named)
        if (isRejection(record) || record.type !== 'location') {
          stopped = { line, code: 'location_invalid', detail: noPlace(record) }
          break
        }
        const outcome = await enter(record)
        if (outcome) {
          tally.add([record], [outcome])
          continue
        }
      }
      if (locationId === nowhere) {
        stopped = { line, code: 'location_missing', detail: noPlace(record) }
        break
      }
      batch.push(record)
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
