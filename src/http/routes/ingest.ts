import type { Readable } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { ingestJson, ingestLines, SourceBroken } from '../../ingest/ingest.ts'
import type { Pusher } from '../../ingest/intake.ts'
import type { IngestAnswer } from '../../schemas/ingest.ts'
import type { ApiKey } from '../../store/api-keys.ts'
import type { App, Context } from '../context.ts'
import { named, operation } from '../route-schema.ts'

/** A JSON body is read whole: longer pushes come as NDJSON, which has no limit of length. */
const jsonLimit = 8 * 1024 * 1024

const ndjson = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

/** deflate cannot pass 1032:1 and real records reach about 15:1; past this a body is made to harm. */
const bomb = { ratio: 200, freeBytes: 16 * 1024 * 1024 }

function broken(code: string, detail: string, cause?: unknown): SourceBroken {
  return new SourceBroken(code, `the body broke off: ${detail}`, cause)
}

/**
 * The decompressed bytes of a body, whatever its length, in flat memory. Who stops early leaves the rest to be thrown
 * away after the answer: a socket that is closed on a sender in full flow takes the answer with it. Throws
 * `SourceBroken`.
 */
async function* readBody(body: Readable, gzipped: boolean): AsyncGenerator<Buffer> {
  let received = 0
  let read = 0
  const source = gzipped ? createGunzip() : body
  if (gzipped) {
    body.on('data', (chunk: Buffer) => (received += chunk.length))
    body.once('error', (error) => source.destroy(broken('body_interrupted', error.message, error)))
    body.pipe(source as Gunzip)
  }
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      read += chunk.length
      if (gzipped && read > bomb.freeBytes && read > received * bomb.ratio) {
        throw new SourceBroken(
          'gzip_bomb',
          `the body unpacks to more than ${bomb.ratio} times its size: reading stopped`,
        )
      }
      yield chunk
    }
  } catch (error) {
    if (error instanceof SourceBroken) throw error
    throw broken(gzipped ? 'gzip_invalid' : 'body_interrupted', (error as Error).message, error)
  } finally {
    if (gzipped) {
      body.unpipe()
      source.destroy()
    }
    body.resume()
  }
}

async function readWhole(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    chunks.push(chunk)
    length += chunk.length
    if (length > jsonLimit) {
      throw new AppError('body_too_large', `a JSON body has ${jsonLimit} bytes at most here: send NDJSON instead`)
    }
  }
  return Buffer.concat(chunks)
}

function isGzipped(request: FastifyRequest): boolean {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return false
  if (encoding === 'gzip' || encoding === 'x-gzip') return true
  throw new AppError('media_type_unsupported', `content-encoding ${encoding} is not read here: send gzip or none`)
}

async function ingest(context: Context, request: FastifyRequest, pusher: Pusher): Promise<IngestAnswer> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const source = readBody(request.body as Readable, isGzipped(request))
  if (ndjson.includes(type)) return ingestLines(context.writer, pusher, source)
  try {
    return await ingestJson(context.writer, pusher, await readWhole(source))
  } catch (error) {
    if (error instanceof SourceBroken) throw new AppError('body_invalid', error.message, { cause: error })
    throw error
  }
}

/** A key that ends while its push is under way ends the push: what was stored before stays, the rest is not taken. */
function pusherOf({ keys }: Context, key: ApiKey): Pusher {
  const recheck = async () => {
    try {
      await keys.confirm(key)
      return undefined
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { code: error.code, detail: error.message }
    }
  }
  return { locationId: key.locationId, keyId: key.id, recheck }
}

/** 200 all stored, 207 some not, 400 nothing usable (decision 0004). */
function statusOf(answer: IngestAnswer): 200 | 207 | 400 {
  const usable = answer.accepted + answer.unchanged + answer.stale
  if (usable === 0) return 400
  return answer.rejected === 0 && !answer.stopped ? 200 : 207
}

export async function ingestRoutes(parent: App, context: Context): Promise<void> {
  // A scope of its own: here bodies are streams.
  await parent.register(async (app: App) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(['application/json', ...ndjson], (_request, body, done) => done(null, body))

    app.post(
      '/v1/ingest/',
      {
        config: { scope: 'ingest' },
        schema: {
          ...operation({
            tags: ['Ingest'],
            operationId: 'ingest',
            summary: 'Push records from a till',
            description:
              'NDJSON (`application/x-ndjson`, one record a line, 1 MiB per line, any length) or a JSON array or object ' +
              '(8 MiB at most); gzip is accepted. Each record stands alone. The answer comes after commit: what is ' +
              'accepted is durable. Sending the same again is harmless. 200: all stored or known; 207: some were not; ' +
              '400: nothing usable.',
            answers: { 200: named('IngestAnswer'), 207: named('IngestAnswer') },
            problems: [
              'nothing_usable',
              'body_invalid',
              'scope_missing',
              'body_too_large',
              'media_type_unsupported',
              'journal_rewound',
            ],
          }),
          consumes: ['application/x-ndjson', 'application/json'],
        },
        preValidation: (request, _reply, done) => {
          if (request.body) return done()
          const detail = 'send records as application/x-ndjson or application/json'
          done(new AppError('media_type_unsupported', detail))
        },
      },
      async (request, reply) => {
        const answer = await ingest(context, request, pusherOf(context, request.key))
        const status = statusOf(answer)
        if (status !== 400) return reply.code(status).send(answer)
        const empty = answer.rejected === 0 && !answer.stopped
        const first = answer.stopped ?? answer.results[0]
        const detail = empty ? 'the body holds no records' : `line ${first?.line}: ${first?.detail}`
        const errors = answer.results.flatMap((result) => result.errors ?? []).slice(0, 20)
        throw new AppError('nothing_usable', detail, { errors, members: { ...answer } })
      },
    )
  })
}
