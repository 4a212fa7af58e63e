import type { IngestAnswer, IngestRecord, RecordResult } from './api.ts'
import { TillgateError } from './errors.ts'
import { isTransient, pause, type Transport, waitBeforeRetry } from './transport.ts'

/** A record to push, in the shape in which it is read; nullable fields, `createdAt` and `updatedAt` are optional. */
export type PushedRecord = IngestRecord

/** The verdict on a record, with the record. */
export type IngestVerdict<Given extends PushedRecord | string = PushedRecord> = RecordResult & { record: Given }

export type IngestOptions = {
  /** Records per request, 1 to 1,000; 500 by default. A request has at most about 2 MB. */
  batch?: number
  /** Compress the requests; on by default. */
  gzip?: boolean
  /** Return verdicts and warnings, but store nothing. */
  dryRun?: boolean
  /** The records are history: they cause no events and no webhook deliveries. */
  history?: boolean
  /** Milliseconds without a server after which the push fails; by default never. */
  patienceMs?: number
  signal?: AbortSignal
}

const batchBytes = 2_000_000

const longestCallMs = 120_000

type Records<Given> = AsyncIterable<Given> | Iterable<Given>

type Batch<Given> = { records: Given[]; lines: string[]; bytes: number }

async function* toBatches<Given>(records: Records<Given>, most: number): AsyncGenerator<Batch<Given>> {
  let batch: Batch<Given> = { records: [], lines: [], bytes: 0 }
  for await (const record of records) {
    const line = `${typeof record === 'string' ? record : JSON.stringify(record)}\n`
    if (batch.records.length > 0 && (batch.records.length >= most || batch.bytes + line.length > batchBytes)) {
      yield batch
      batch = { records: [], lines: [], bytes: 0 }
    }
    batch.records.push(record)
    batch.lines.push(line)
    batch.bytes += line.length
  }
  if (batch.records.length > 0) yield batch
}

async function pack(lines: readonly string[], gzip: boolean): Promise<Uint8Array<ArrayBuffer>> {
  const plain = new TextEncoder().encode(lines.join(''))
  if (!gzip) return plain
  const packed = new Blob([plain]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/**
 * Pushes records in order, or lines of NDJSON unchanged, and yields a verdict for each. Takes further records from the
 * source only when earlier ones were answered, so memory stays flat and a slow server slows the source down. A request
 * without a response is sent again completely. Throws `TillgateError` for errors that repeating does not resolve: a
 * wrong key, a missing scope, a refused body.
 */
export async function* pushRecords<Given extends PushedRecord | string>(
  transport: Transport,
  records: Records<Given>,
  options: IngestOptions = {},
): AsyncGenerator<IngestVerdict<Given>> {
  const most = Math.min(Math.max(options.batch ?? 500, 1), 1000)
  for await (const batch of toBatches(records, most)) {
    const { results } = await pushBatch(transport, batch, options)
    for (const result of results) {
      const record = batch.records[result.line - 1]
      if (record !== undefined) yield { ...result, record }
    }
  }
}

async function pushBatch(transport: Transport, batch: Batch<unknown>, options: IngestOptions): Promise<IngestAnswer> {
  const { signal, gzip = true, patienceMs = Infinity } = options
  const body = await pack(batch.lines, gzip)
  const headers = { 'content-type': 'application/x-ndjson', ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
  const query = { dryRun: options.dryRun || undefined, history: options.history || undefined }
  const until = Date.now() + patienceMs
  for (let attempt = 0; ; attempt++) {
    try {
      const call = { path: '/v1/ingest/', method: 'POST' as const, query, headers, body, repeatable: true, signal }
      // The time limit is checked between calls, and within each call.
      const deadlineMs = Math.min(longestCallMs, Math.max(until - Date.now(), 1))
      const answer = await transport.json<IngestAnswer>({ ...call, deadlineMs })
      if (!answer.stopped) return answer
      throw new TillgateError(
        'unexpected_answer',
        `the server stopped at record ${answer.stopped.line}: ${answer.stopped.detail}`,
      )
    } catch (error) {
      const refused = refusedAnswer(error)
      if (refused) return refused
      const passes = error instanceof TillgateError && isTransient(error.status)
      if (!passes || Date.now() >= until) throw error
      await pause(waitBeforeRetry(error, attempt), signal)
    }
  }
}

/** Returns the verdicts in a 400, which is a valid response if none of the records could be stored. */
function refusedAnswer(error: unknown): IngestAnswer | undefined {
  if (!(error instanceof TillgateError) || error.code !== 'nothing_usable') return undefined
  const answer = error.problem as unknown as Partial<IngestAnswer> | null
  return answer?.results ? (answer as IngestAnswer) : undefined
}
