import { readJson, type WrittenNumber } from '../domain/json-text.ts'
import type { IngestAnswer } from '../schemas/ingest.ts'
import { lineLimit, LineNeverEnds, splitLines, type Line } from './lines.ts'
import { prepareRecord, readRecord, toRecord, type Incoming, type Rejection } from './records.ts'
import { Intake, type Pusher, type Stopped } from './intake.ts'
import type { Writer } from './writer.ts'

/** Why a stream broke before its end, in words for the sender; thrown by a source and told in the answer. */
export class SourceBroken extends Error {
  readonly code: string

  constructor(code: string, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.code = code
  }
}

function tooLong({ line, bytes }: Line): Rejection {
  const detail = `the line is longer than ${lineLimit} bytes`
  const errors = [{ in: 'body', pointer: '', code: 'line_too_long', detail } as const]
  return { line, code: 'line_too_long', detail, errors, record: bytes.toString('utf8') }
}

/** One line of a body as a record of the location, valid or not. */
export function readLine(next: Line, locationId: string): Incoming | Rejection {
  return next.tooLong ? tooLong(next) : readRecord(next.bytes, { line: next.line, locationId })
}

/** What ended the reading, in words for the sender; undefined for what the sender cannot mend. */
export function stoppedBy(error: unknown, line: number): Stopped | undefined {
  if (error instanceof LineNeverEnds) return { line: error.line, code: 'line_too_long', detail: error.message }
  if (error instanceof SourceBroken) return { line, code: error.code, detail: error.message }
  return undefined
}

/**
 * Stores a stream of NDJSON records of one location. While one batch commits the next is read and checked, and no
 * further: the source is read no faster than it commits. A source that breaks ends the answer with `stopped`; what was
 * read whole before is stored. Throws what the database throws; batches before that stay stored.
 */
export async function ingestLines(
  writer: Writer,
  pusher: Pusher,
  source: AsyncIterable<Buffer>,
  onProgress?: (lines: number) => void,
): Promise<IngestAnswer> {
  const intake = new Intake(writer, pusher, onProgress)
  let line = 0
  let stopped: Stopped | undefined
  try {
    for await (const next of splitLines(source)) {
      line = next.line
      stopped = await intake.take(readLine(next, pusher.locationId), next.bytes.length)
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
    await intake.take(toRecord(whole, body, { line: 1, locationId }), 0)
    return intake.finish()
  }
  const elements: unknown[] = whole.value
  const written = Map.groupBy(whole.written, ({ path }) => path[0])
  for (const [i, value] of elements.entries()) {
    const numbers = (written.get(i) ?? []).map(({ path, text }): WrittenNumber => ({ path: path.slice(1), text }))
    const place = { line: i + 1, locationId }
    const record = prepareRecord({ value, written: numbers }, place, () => JSON.stringify(value))
    const stopped = await intake.take(record, 0)
    if (stopped) return intake.finish(stopped)
  }
  return intake.finish()
}
