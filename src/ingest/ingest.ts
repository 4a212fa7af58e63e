import { readJson, type WrittenNumber } from '../domain/json-text.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import { isUuid } from '../schemas/scalars.ts'
import type { Outcome } from './apply.ts'
import { lineLimit, LineNeverEnds, splitLines, type Line } from './lines.ts'
import type { LocationRecord } from './locations.ts'
import { isRejection, prepareRecord, readRecord, toRecord, type Incoming, type Rejection } from './records.ts'
import { Intake, type Pusher, type Stopped } from './intake.ts'
import type { Writer } from './writer.ts'

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

function stoppedBy(error: unknown, line: number): Stopped | undefined {
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
  const intake = new Intake(writer, pusher, onProgress)
  let line = 0
  let stopped: Stopped | undefined
  try {
    for await (const next of splitLines(source)) {
      line = next.line
      let record = read(next, intake.locationId)
      const named = enter && locationNamed(record)
      if (enter && named !== undefined && named !== intake.locationId) {
        await intake.moveTo(named)
        record = read(next, named)
        if (isRejection(record) || record.type !== 'location') {
          stopped = { line, code: 'location_invalid', detail: noPlace(record) }
          break
        }
        const outcome = await enter(record)
        if (outcome) {
          intake.note(record, outcome)
          continue
        }
      }
      if (intake.locationId === nowhere) stopped = { line, code: 'location_missing', detail: noPlace(record) }
      else stopped = await intake.take(record, next.bytes.length)
      if (stopped) break
    }
  } catch (error) {
    stopped = stoppedBy(error, line + 1)
    if (!stopped) throw error
  }
  return intake.finish(stopped)
}

/** Stores a JSON body: one record or an array of them. A body that is no JSON is one rejected record. */
export async function ingestJson(writer: Writer, pusher: Pusher, body: Buffer): Promise<IngestAnswer> {
  const intake = new Intake(writer, pusher)
  const { locationId } = pusher
  const whole = readJson(body)
  if (!whole.ok || !Array.isArray(whole.value)) {
    await intake.take(toRecord(whole, body, 1, locationId), 0)
    return intake.finish()
  }
  const elements: unknown[] = whole.value
  const written = Map.groupBy(whole.written, ({ path }) => path[0])
  for (const [i, value] of elements.entries()) {
    const numbers = (written.get(i) ?? []).map(({ path, text }): WrittenNumber => ({ path: path.slice(1), text }))
    const record = prepareRecord(value, numbers, i + 1, locationId, () => JSON.stringify(value))
    const stopped = await intake.take(record, 0)
    if (stopped) return intake.finish(stopped)
  }
  return intake.finish()
}
