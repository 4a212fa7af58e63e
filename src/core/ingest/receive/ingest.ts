import { parseJson, withoutMark } from '../../domain/documents/json-text.ts'
import type { StopCode } from '../../contract/errors/faults.ts'
import type { IngestAnswer } from '../../schemas/ingest.ts'
import { ArrayBroken, checkArray, cutArray, isArrayText, pauseEvery } from './array-elements.ts'
import { BudgetSpent, type Share } from './body-budget.ts'
import { Intake, type IntakeOptions, type Pusher, type Stopped } from './intake.ts'
import { splitLines, StreamSenseless, type Line } from './lines.ts'
import { isTooLong, listLimit, recordLimit, tooLongDetail } from '../record-limits.ts'
import {
  isRejection,
  readRecord,
  recordParts,
  reject,
  type Incoming,
  type Circumstances,
  type Rejection,
} from '../records.ts'
import { workPerTurn, type EventLoopShare } from '../event-loop-share.ts'
import type { WriteQueue } from '../write/queue.ts'

export type IngestOptions = IntakeOptions & {
  /** Counts the memory of an incomplete line. */
  share?: Share
}

/** Thrown by a source when a stream ends early; its message is part of the answer to the sender. */
export class SourceBroken extends Error {
  readonly code: StopCode

  constructor(code: StopCode, detail: string, cause?: unknown) {
    super(detail, { cause })
    this.code = code
  }
}

/** Adds a hint about the form of the body to a fault in parsing, since the parser's message does not mention it. */
function hinted(record: Incoming | Rejection, hintOf: () => string | undefined): Incoming | Rejection {
  if (!isRejection(record) || record.errors[0]?.pointer !== '') return record
  const hint = hintOf()
  if (hint === undefined) return record
  const detail = `${record.detail}; ${hint}`
  return { ...record, detail, errors: record.errors.map((fault) => ({ ...fault, detail })) }
}

/** Detects several records without line breaks between them, as `curl -d @file` sends the lines of a file. */
function joinedHint(text: Buffer): string | undefined {
  const isJoined = text.includes('}{"type"')
  return isJoined
    ? 'records must be on separate lines; curl --data-binary keeps the line breaks, -d removes them'
    : undefined
}

/** Detects a line of JSON that was written over several lines, or a line of an array. */
function lineHint(line: Buffer): string | undefined {
  const text = line.toString('latin1', 0, 100).trim()
  if (text.startsWith('[{')) return 'send an array of records as application/json'
  const isPart = text === '{' || text === '[' || text === ']' || text === '}' || /^"(\\.|[^"\\])*": ?[{[]$/.test(text)
  return isPart ? 'a line must be a complete record; send multi-line JSON as application/json' : joinedHint(line)
}

/** Detects several lines, the first of which is complete JSON or empty, or several records in one line. */
function bodyHint(body: Buffer): string | undefined {
  if (body.every((byte) => byte <= 32)) return 'the body is empty: send one record, or an array of them'
  const end = body.indexOf(10)
  const isLines = end > 0 && end < recordLimit && parseJson(body.subarray(0, end)).ok
  return isLines ? 'send records with one line each as application/x-ndjson' : joinedHint(body)
}

function tooLong(bytes: Buffer, line: number): Rejection {
  return reject(bytes, line, [{ in: 'body', pointer: '', code: 'line_too_long', detail: tooLongDetail }])
}

/** Reads one line of a body as a record of the location, valid or not. */
export function readLine(next: Line, circumstances: Omit<Circumstances, 'line'>): Incoming | Rejection {
  const { bytes, line } = next
  return next.tooLong ? tooLong(bytes, line) : readRecord(bytes, { line, ...circumstances })
}

/** Reads a line as `readLine` does, in a later turn if this one did enough. A long record takes several turns. */
function readInTurn(
  turns: EventLoopShare,
  sent: Line,
  circumstances: Omit<Circumstances, 'line'>,
): Incoming | Rejection | Promise<Incoming | Rejection> {
  const { bytes, line, tooLong: isCut } = sent
  const turn = turns.spend(1, bytes.length)
  if (!turn) return readLine(sent, circumstances)
  if (isCut || bytes.length <= workPerTurn.bytes) return turn.then(() => readLine(sent, circumstances))
  return turn.then(() => turns.divide(recordParts(bytes, { line, ...circumstances })))
}

/** Returns why reading ended, in words for the sender; undefined if the sender cannot do anything about it. */
function stoppedBy(error: unknown, line: number): Stopped | undefined {
  if (error instanceof StreamSenseless) return { line: error.line, code: error.code, detail: error.message }
  if (error instanceof SourceBroken) return { line, code: error.code, detail: error.message }
  if (error instanceof BudgetSpent) return { line, code: error.code, detail: error.message }
  return undefined
}

/** Takes a line. Returns a promise only if something must be awaited; its value is the reason to stop reading. */
type TakeLine = (next: Line) => Promise<Stopped | undefined> | undefined

/**
 * Takes the lines of a body until one stops the reading or the source fails, and ends the intake. `hold` receives the
 * memory of an incomplete line.
 */
export async function takeLines(
  intake: Intake,
  source: AsyncIterable<Buffer>,
  take: TakeLine,
  hold?: (bytes: number) => void,
): Promise<IngestAnswer> {
  let line = 0
  let stopped: Stopped | undefined
  try {
    for await (const lines of splitLines(source, hold)) {
      for (const next of lines) {
        line = next.line
        const wait = take(next)
        if (wait) stopped = await wait
        if (stopped) break
      }
      if (stopped) break
    }
  } catch (error) {
    stopped = stoppedBy(error, line + 1)
    if (!stopped) intake.abandon()
    if (!stopped) throw error
  }
  return intake.finish(stopped)
}

/**
 * Stores a stream of NDJSON records of one location. At most two batches commit while the next is read and checked: the
 * source is read no faster than batches commit. If a source breaks, the answer ends with `stopped`, and the complete
 * records before it are stored. Throws the errors of the database; earlier batches stay stored.
 */
export async function ingestLines(
  writer: WriteQueue,
  pusher: Pusher,
  source: AsyncIterable<Buffer>,
  { share, ...options }: IngestOptions = {},
): Promise<IngestAnswer> {
  const intake = new Intake(writer, pusher, options)
  const circumstances = await intake.circumstances()
  const take: TakeLine = (next) => {
    const { bytes } = next
    const taken = (read: Incoming | Rejection) =>
      intake.take(
        hinted(read, () => lineHint(bytes)),
        bytes.length,
      )
    const read = readInTurn(intake.turns, next, circumstances)
    return read instanceof Promise ? read.then(taken) : taken(read)
  }
  return takeLines(intake, source, take, (bytes) => share?.hold(bytes))
}

/** Returns why the text is not one complete array; undefined if it is. */
async function findBreak(body: readonly Buffer[], turns: EventLoopShare): Promise<ArrayBroken | undefined> {
  try {
    for (const _ of checkArray(body)) await turns.spend(0, pauseEvery)
    return undefined
  } catch (error) {
    if (error instanceof ArrayBroken) return error
    throw error
  }
}

/** Returns the first bytes of a body: all of them if the body is one record that can be stored. */
function beginningOf(parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts, Math.min(length, listLimit + 1))
}

/**
 * Stores a JSON body, given in parts: one record, or an array of records, each of which is read like a line of NDJSON.
 * A body that is not valid JSON from beginning to end counts as one rejected record, and nothing of it is stored.
 */
export async function ingestJson(
  writer: WriteQueue,
  pusher: Pusher,
  body: readonly Buffer[],
  options: IntakeOptions = {},
): Promise<IngestAnswer> {
  const parts = body.map((part, i) => (i === 0 ? withoutMark(part) : part))
  const intake = new Intake(writer, pusher, options)
  const circumstances = await intake.circumstances()
  const read = async (bytes: Buffer, line: number) =>
    readInTurn(intake.turns, { bytes, line, tooLong: isTooLong(bytes) }, circumstances)
  if (!isArrayText(parts)) {
    const beginning = beginningOf(parts)
    const record = hinted(await read(beginning, 1), () => bodyHint(beginning))
    await intake.take(record, beginning.length)
    return intake.finish()
  }
  const broken = await findBreak(parts, intake.turns)
  if (broken) {
    const beginning = beginningOf(parts)
    const detail = `the text is not valid JSON: ${broken.message}`
    await intake.take(reject(beginning, 1, [{ in: 'body', pointer: '', code: 'invalid_json', detail }]), 0)
    return intake.finish()
  }
  let place = 0
  for (const element of cutArray(parts)) {
    if (element === undefined) {
      await intake.turns.spend(0, pauseEvery)
      continue
    }
    place += 1
    const stopped = await intake.take(await read(element, place), element.length)
    if (stopped) return intake.finish(stopped)
  }
  return intake.finish()
}
