import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../contract/errors/errors.ts'
import { stopCodes, type StopCode } from '../../contract/errors/faults.ts'
import { isSpentCode } from '../../ingest/receive/body-budget.ts'
import type { Gathered } from '../../ingest/receive/gathered.ts'
import { ingestJson, ingestLines, SourceBroken } from '../../ingest/receive/ingest.ts'
import type { Pusher } from '../../ingest/receive/intake.ts'
import type { IngestAnswer } from '../../schemas/ingest.ts'
import { closed } from '../../contract/scalars.ts'
import { WrittenRanges } from '../guard/written-ranges.ts'
import type { Writing, Guarding } from '../context.ts'
import type { App } from '../server-types.ts'
import { wrongType } from '../answers/problems.ts'
import { Arrivals, BodyCrumbled } from '../guard/arrivals.ts'
import { charsetRefusal } from '../guard/charset.ts'
import { endedKey } from '../guard/key-ring.ts'
import { BodyLate, spentProblem, type RequestBodies } from '../guard/request-bodies.ts'
import { named, operation } from '../reference/route-schema.ts'

/** Maximum size of a JSON body, which is read as a whole. Longer pushes use NDJSON, which has no limit of length. */
const jsonLimit = 8 * 1024 * 1024

/** The detail of the 413, with the alternative. */
const tooLarge = `a JSON body must be at most ${jsonLimit / 1024 / 1024} MiB: send NDJSON instead`

/** The registered media type of NDJSON, and others in use. */
const ndjson = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** deflate reaches at most 1032:1 and real records about 15:1; a body beyond this ratio is refused. */
const bomb = { ratio: 200, freeBytes: 16 * 1024 * 1024 }

/** Makes the error of a body that ended early, in the words of the answer's `stopped`. */
function broken(code: StopCode, error: Error): SourceBroken {
  return new SourceBroken(code, `the body was cut off: ${error.message}`, error)
}

/** Yields the bytes of a body as sent. Throws `SourceBroken`. */
async function* readSent(bodies: RequestBodies, body: Arrivals): AsyncGenerator<Buffer> {
  try {
    yield* bodies.pieces(body)
  } catch (error) {
    throw broken(error instanceof BodyCrumbled ? 'pieces_too_small' : 'body_interrupted', error as Error)
  }
}

/** Explains a body that cannot be decompressed, without zlib's own terms. */
function notUnpacked(error: NodeJS.ErrnoException): SourceBroken {
  const { code, message } = error
  if (message === 'incorrect header check' || message === 'unknown compression method')
    return new SourceBroken('gzip_invalid', 'the body is not gzip, although Content-Encoding says so', error)
  if (code === 'Z_BUF_ERROR') return new SourceBroken('gzip_invalid', 'the gzip data of the body is incomplete', error)
  return new SourceBroken('gzip_invalid', `the gzip data of the body is damaged: ${message}`, error)
}

/** Yields the decompressed bytes of a gzipped body. Throws `SourceBroken`. */
async function* unpack(sent: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  let read = 0
  // Errors surface at the end of the pipeline.
  pipeline(sent, gunzip).catch(() => {})
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      read += chunk.length
      if (read > bomb.freeBytes && read > gunzip.bytesWritten * bomb.ratio) {
        throw new SourceBroken(
          'gzip_bomb',
          `the body decompresses to more than ${bomb.ratio} times its size: reading stopped`,
        )
      }
      yield chunk
    }
  } catch (error) {
    throw error instanceof SourceBroken ? error : notUnpacked(error as NodeJS.ErrnoException)
  }
}

/** Yields the decompressed bytes of a body of any length, in constant memory. Throws `SourceBroken`. */
function readBody(bodies: RequestBodies, body: Arrivals, gzipped: boolean): AsyncGenerator<Buffer> {
  const sent = readSent(bodies, body)
  return gzipped ? unpack(sent) : sent
}

/** Returns whether the body is compressed. Throws 415 for any other encoding, which would be stored as garbage. */
function isGzipped(request: FastifyRequest): boolean {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return false
  if (encoding === 'gzip' || encoding === 'x-gzip') return true
  throw new AppError(
    'media_type_unsupported',
    `content-encoding ${encoding} is not supported: send gzip, or omit the header`,
  )
}

/** Reads the body in the format of its content type, within the memory budget of all bodies. */
async function ingest(
  context: Writing,
  request: FastifyRequest,
  pusher: Pusher,
  { dryRun = false, history = false }: { dryRun?: boolean; history?: boolean },
): Promise<IngestAnswer> {
  const { bodies, writer, warner, pushes, rejected } = context
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const gzipped = isGzipped(request)
  const arrivals = new Arrivals(request.body as Readable)
  const source = readBody(bodies, arrivals, gzipped)
  const share = bodies.budget.open(pusher.keyId ?? '')
  const options = { warner, pushes, rejected, dryRun, isHistory: history }
  let gathered: Gathered | undefined
  try {
    if (ndjson.includes(type)) return await ingestLines(writer, pusher, source, { share, ...options })
    gathered = await bodies.gather(source, jsonLimit, share, tooLarge)
    return await ingestJson(writer, pusher, gathered.parts, options)
  } catch (error) {
    if (!(error instanceof SourceBroken)) throw error
    const isLate = error.cause instanceof BodyLate
    throw new AppError(isLate ? 'request_timeout' : 'body_invalid', error.message, { cause: error })
  } finally {
    arrivals.stop()
    gathered?.drop()
    share.close()
  }
}

const dataGone = () =>
  new AppError('database_unavailable', 'the database files are missing: the operator must check the server', {
    headers: { 'retry-after': '30' },
  })

/** Makes the error of a push that stored nothing because too little disk space is free. */
const diskLow = (members: Record<string, unknown> = {}) =>
  new AppError('disk_low', undefined, { headers: { 'retry-after': '30' }, members })

/**
 * Rechecks the key of a push while it is running. A key that ends during the push ends the push: what was stored stays,
 * the rest is refused.
 */
function pusherOf({ keys, diskIsLow }: Writing & Guarding, request: FastifyRequest): Pusher {
  const { key } = request
  const recheck = async () => {
    if (diskIsLow()) return { code: 'disk_low' as const, detail: diskLow().message }
    try {
      await keys.confirm(key)
      return undefined
    } catch (error) {
      const code = error instanceof AppError ? stopCodes.find((one) => one === error.code) : undefined
      if (code === undefined) throw error
      return { code, detail: (error as AppError).message }
    }
  }
  const wrote = (sequence: number) => (request.written ??= new WrittenRanges()).add(sequence)
  return { locationId: key.locationId, keyId: key.id, recheck, wrote }
}

/** Returns 200 if no record was rejected, 207 if some were or reading stopped, 400 if none was usable. */
function statusOf(answer: IngestAnswer): 200 | 207 | 400 {
  const usable = answer.accepted + answer.unchanged + answer.stale
  if (usable === 0) return 400
  return answer.rejected === 0 && !answer.stopped ? 200 : 207
}

const ingestOperation = operation({
  tags: ['Ingest'],
  operationId: 'ingest',
  answer: {
    200: 'No record was rejected: each was stored, or the stored version was the same or newer.',
    207: 'Some records were rejected, or reading stopped before the end of the body (`stopped`).',
  },
  summary: 'Push records from a till',
  description:
    'Accepts NDJSON (`application/x-ndjson`, one record per line, any length), or a JSON array or object ' +
    '(at most 8 MiB), optionally with gzip. A record may be at most 1 MiB, an order or a report 1,000 KiB, and a catalog list ' +
    '4,000 KiB. Each record is decided separately. The response is sent after the commit: accepted ' +
    'records are durable. Repeating the latest push is harmless. 200: no record was rejected; 207: some were, or ' +
    'reading stopped early; 400: no record could be used.',
  query: Type.Object(
    {
      dryRun: Type.Optional(
        Type.Literal(true, {
          description: 'Return verdicts and warnings without storing anything. Records are checked in groups of 300.',
        }),
      ),
      history: Type.Optional(
        Type.Literal(true, {
          description:
            'Import historical records: they are journaled, readable and counted in figures, but cause no webhook or event.',
        }),
      ),
    },
    closed,
  ),
  answers: { 200: named('IngestAnswer'), 207: named('IngestAnswer') },
  problems: [
    'nothing_usable',
    'body_invalid',
    'scope_missing',
    'request_timeout',
    'body_too_large',
    'media_type_unsupported',
    'too_much_at_once',
    'overloaded',
    'journal_rewound',
    'disk_low',
  ],
})

/** Makes the answer to a push without a usable record. */
function nothingUsable(answer: IngestAnswer): AppError {
  const { stopped } = answer
  if (answer.rejected === 0 && isSpentCode(stopped?.code)) {
    return spentProblem(stopped.code, stopped.detail, { ...answer })
  }
  if (answer.rejected === 0 && stopped?.code === 'disk_low') return diskLow({ ...answer })
  // The answer is the same as if the key had ended before the push.
  const ended = answer.rejected === 0 ? endedKey(stopped?.code, { ...answer }) : undefined
  if (ended) return ended
  const empty = answer.rejected === 0 && !answer.stopped
  const first = answer.stopped ?? answer.results[0]
  const detail = empty
    ? 'the body contains no records: send one JSON object per line'
    : `line ${first?.line}: ${first?.detail}`
  const errors = answer.results.flatMap((result) => result.errors ?? []).slice(0, 20)
  return new AppError('nothing_usable', detail, { errors, members: { ...answer } })
}

/**
 * Adds `POST /v1/ingest/`, where tills push records (docs/contract/ingest.md). The body is read as a stream, no faster
 * than it is stored; the answer comes after the last commit and has a verdict per record.
 */
export async function ingestRoutes(parent: App, context: Writing & Guarding): Promise<void> {
  // A Fastify scope of its own: here bodies are streams.
  await parent.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(['application/json', ...ndjson], (request, body, done) =>
      done(charsetRefusal(request), body),
    )
    // For any other declared type the answer lists the types that are read here.
    app.addContentTypeParser('*', (request, _body, done) => done(wrongType(request)))

    app.post(
      '/v1/ingest/',
      {
        config: { scope: 'ingest' },
        schema: {
          ...ingestOperation,
          consumes: ['application/x-ndjson', 'application/json'],
        },
        preValidation: (request, _reply, done) => {
          if (context.dataIsGone()) return done(dataGone())
          if (context.diskIsLow()) return done(diskLow())
          done(request.body ? undefined : wrongType(request))
        },
      },
      async (request, reply) => {
        const answer = await ingest(context, request, pusherOf(context, request), request.query)
        // Commits to deleted database files are lost.
        if (context.dataIsGone()) throw dataGone()
        const status = statusOf(answer)
        if (status !== 400) return reply.code(status).send(answer)
        throw nothingUsable(answer)
      },
    )
  })
}
