import type {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
  IngestAnswer,
  Location,
  Order,
  Report,
} from './api.ts'
import { TillgateError } from './errors.ts'
import { isTransient, pause, type Transport, waitBeforeRetry } from './transport.ts'

/** A record as the read shape has it; nullable fields, `createdAt` and `updatedAt` may be left out (docs/ingest.md). */
type Pushed<Resource> = Partial<Resource> & { id: string }

/** What a till can push. */
export type PushedRecord =
  | { type: 'order'; data: Pushed<Order> }
  | { type: 'report'; data: Pushed<Report> }
  | { type: 'location'; data: Pushed<Location> }
  | { type: 'catalog.products'; data: CatalogProduct[] }
  | { type: 'catalog.modifiers'; data: CatalogModifierGroup[] }
  | { type: 'catalog.payments'; data: CatalogPayment[] }
  | { type: 'catalog.taxes'; data: CatalogTax[] }

/** The verdict on one record, beside the record that it is about. */
export type IngestVerdict = IngestAnswer['results'][number] & { record: PushedRecord }

export type IngestOptions = {
  /** Records per request, 1 to 1,000; 500 by default. A request also ends at some 2 MB. */
  batch?: number
  /** Compress the requests; on by default. */
  gzip?: boolean
  /**
   * How long the server may be away before the push gives up, in milliseconds. By default it is asked for ever, which is
   * always safe: the same record again is `unchanged`.
   */
  patienceMs?: number
  signal?: AbortSignal
}

const batchBytes = 2_000_000

type Batch = { records: PushedRecord[]; lines: string[]; bytes: number }

async function* toBatches(
  records: AsyncIterable<PushedRecord> | Iterable<PushedRecord>,
  most: number,
): AsyncGenerator<Batch> {
  let batch: Batch = { records: [], lines: [], bytes: 0 }
  for await (const record of records) {
    const line = `${JSON.stringify(record)}\n`
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
 * Pushes records in order and yields a verdict for each. The next records are taken from the source only when the ones
 * before were answered, so memory stays flat and a slow server holds the source back. A request that got no answer is sent
 * again as a whole. Throws `TillgateError` for what repeating does not mend: a wrong key, a missing scope, a refused body.
 */
export async function* pushRecords(
  transport: Transport,
  records: AsyncIterable<PushedRecord> | Iterable<PushedRecord>,
  options: IngestOptions = {},
): AsyncGenerator<IngestVerdict> {
  const most = Math.min(Math.max(options.batch ?? 500, 1), 1000)
  for await (const batch of toBatches(records, most)) {
    const { results } = await pushBatch(transport, batch, options)
    for (const result of results) {
      const record = batch.records[result.line - 1]
      if (record) yield { ...result, record }
    }
  }
}

async function pushBatch(transport: Transport, batch: Batch, options: IngestOptions): Promise<IngestAnswer> {
  const { signal, gzip = true, patienceMs = Infinity } = options
  const body = await pack(batch.lines, gzip)
  const headers = { 'content-type': 'application/x-ndjson', ...(gzip ? { 'content-encoding': 'gzip' } : {}) }
  const until = Date.now() + patienceMs
  for (let attempt = 0; ; attempt++) {
    try {
      const call = { path: '/v1/ingest/', method: 'POST' as const, headers, body }
      const answer = await transport.json<IngestAnswer>({ ...call, repeatable: true, deadlineMs: 120_000, signal })
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

/** A 400 with a verdict for each record is an answer too: none of them could be stored. */
function refusedAnswer(error: unknown): IngestAnswer | undefined {
  if (!(error instanceof TillgateError) || error.code !== 'nothing_usable') return undefined
  const answer = error.problem as unknown as Partial<IngestAnswer> | null
  return answer?.results ? (answer as IngestAnswer) : undefined
}
