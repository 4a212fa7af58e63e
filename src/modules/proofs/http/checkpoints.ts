import type { Pool } from '../../../core/store/db/database.ts'
import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageMeta, requestedPage } from '../../../core/contract/paging/paging.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import { makeCheckpoint } from '../projections/checkpoints.ts'
import { listKeys } from '../projections/checkpoint-keys.ts'
import { getCheckpoint, proveEntry, proveGrowth } from '../projections/proofs.ts'
import type { CheckpointKeys, CheckpointPage } from '../schemas/checkpoints.ts'
import { PageQuery } from '../../../core/contract/paging/schema.ts'
import { closed, Uuid } from '../../../core/contract/scalars.ts'
import { listCheckpoints, readCheckpoints } from '../store/checkpoints.ts'
import { findSequenceOf } from '../../../core/store/journal/journal.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import type { Signing } from '../context.ts'
import type { App } from '../../../core/http/server-types.ts'
import { sendBooks } from '../../books/http/book-files.ts'
import { jsonType } from '../../../core/http/answers/json-frame.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'

const textType = 'text/plain; charset=utf-8'

/** Describes a text answer by its media type, because it is not JSON. */
const text = (description: string) =>
  Type.Unsafe({ description, content: { 'text/plain': { schema: { type: 'string' } } } })

const size = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

const SizeParams = Type.Object(
  { size: Type.Integer({ ...size('Number of entries that the checkpoint covers.'), examples: [48211] }) },
  closed,
)

const ProofQuery = Type.Object(
  { size: Type.Optional(size('Size of an older checkpoint; the last one by default.')) },
  closed,
)

const GrowthQuery = Type.Object(
  {
    from: size('Size of your checkpoint; 0 for none.'),
    to: Type.Optional(size('Size of a later checkpoint; the last one by default.')),
  },
  closed,
)

const SequenceParams = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Sequence of the entry.',
      examples: [42],
    }),
  },
  closed,
)

const Covered = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Only the first checkpoint that covers this entry of the journal.',
  examples: [42],
})

const tags: [string] = ['Books']

const sendNote = async (
  { pool }: Pick<Process, 'pool'>,
  request: FastifyRequest,
  reply: FastifyReply,
  of: number | undefined,
) => {
  const { note } = await getCheckpoint(pool, request.key.locationId, of)
  return sendBooks(request, reply, { bytes: Buffer.from(note), type: textType, documents: 1 })
}

function makeCheckpointRoute(
  app: App,
  { pool, clock, hints, seenHeads, access, signing, checkpointRate }: Guarding & Signing & Process,
): void {
  app.post(
    '/v1/checkpoints/',
    {
      config: { scope: 'books' },
      schema: operation({
        tags,
        operationId: 'makeCheckpoint',
        answer: { 200: 'The last checkpoint; there are no later entries.', 201: 'The new checkpoint.' },
        summary: 'Create a checkpoint',
        description:
          'Signs the head of the hash tree over all journal entries: anyone who keeps the checkpoint can prove later that none of them ' +
          'was changed. The server also creates one with every closing. At most six per hour.',
        answers: { 200: named('Checkpoint'), 201: named('Checkpoint') },
        problems: ['scope_missing', 'signing_off', 'journal_rewound', 'checkpoint_not_found'],
      }),
    },
    async (request, reply) => {
      const { locationId } = request.key
      if (!signing) throw new AppError('signing_off')
      checkpointRate?.take(locationId, clock().getTime())
      const made = await makeCheckpoint(pool, locationId, {
        ...signing,
        now: clock(),
        seen: seenHeads.of(locationId),
        along: (tx, of) => access.actIn(tx, request.key, 'checkpoint.made', String(of.size)),
      })
      if (!made)
        throw new AppError(
          'checkpoint_not_found',
          'the journal of this location is empty: create a checkpoint after the first push',
        )
      if (made.isNew) {
        seenHeads.raise(locationId, made.seq)
        hints.committed(locationId)
      }
      request.handedOut = { documents: 1 }
      reply
        .code(made.isNew ? 201 : 200)
        .header('content-type', jsonType)
        .header('tillgate-sequence', made.seq)
      return reply.send(made.document)
    },
  )
}

function listCheckpointsRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/checkpoints/',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'listCheckpoints',
        answer: 'Checkpoints, newest first.',
        summary: 'List checkpoints',
        description: 'Returns the signed heads of the hash tree over the journal, with their keys.',
        query: Type.Object({ ...PageQuery, covers: Type.Optional(Covered) }, closed),
        answers: { 200: named('CheckpointPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<CheckpointPage> => {
      const { locationId } = request.key
      const page = requestedPage(request.query)
      const { rows, total } = await listCheckpoints(pool, locationId, {
        offset: Math.min(page.index * page.size, 2 ** 31),
        limit: page.size,
        covers: request.query.covers,
      })
      const data = await readCheckpoints(pool, locationId, rows)
      request.handedOut = { documents: data.length }
      return { data, meta: pageMeta(page, total) }
    },
  )
}

function listCheckpointKeysRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/checkpoints/keys',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'listCheckpointKeys',
        answer: 'Keys that signed checkpoints of the location.',
        summary: 'List checkpoint keys',
        description:
          'Returns verifier keys, with the note in which each key signed its successor. Get the first key from ' +
          'a source other than this server.',
        answers: { 200: named('CheckpointKeys') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<CheckpointKeys> => {
      const data = await listKeys(pool, request.key.locationId)
      request.handedOut = { documents: data.length }
      return { data }
    },
  )
}

function getLatestCheckpointRoute(app: App, context: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/checkpoints/latest',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'getLatestCheckpoint',
        headers: ['ETag'],
        answer: 'The last checkpoint.',
        summary: 'Read the last checkpoint',
        description:
          'Returns the checkpoint as text (c2sp.org/tlog-checkpoint). Keep it where this server cannot write.',
        answers: { 200: text('c2sp.org/tlog-checkpoint') },
        problems: ['scope_missing', 'checkpoint_not_found'],
      }),
    },
    (request, reply) => sendNote(context, request, reply, undefined),
  )
}

function proveGrowthRoute(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/checkpoints/consistency',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'proveGrowth',
        headers: ['ETag'],
        answer: 'The proof, followed by the later checkpoint.',
        summary: 'Prove that the journal only grew',
        description:
          'Proves that the tree of a later checkpoint extends the tree of an earlier one. The text is in the format for witnesses ' +
          '(c2sp.org/tlog-witness, add-checkpoint).',
        query: GrowthQuery,
        answers: { 200: text('`old`, hashes in base64, an empty line, the later checkpoint.') },
        problems: ['scope_missing', 'checkpoint_not_found'],
      }),
    },
    async (request, reply) => {
      const bytes = Buffer.from(await proveGrowth(pool, request.key.locationId, request.query))
      return sendBooks(request, reply, { bytes, type: textType, documents: 1 })
    },
  )
}

function getCheckpointRoute(app: App, context: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/checkpoints/:size',
    {
      config: { scope: 'read' },
      schema: operation({
        tags,
        operationId: 'getCheckpoint',
        headers: ['ETag'],
        answer: 'The checkpoint with this size.',
        summary: 'Read a checkpoint',
        description: 'Returns a checkpoint as text, by the number of entries that it covers.',
        params: SizeParams,
        answers: { 200: text('c2sp.org/tlog-checkpoint') },
        problems: ['scope_missing', 'checkpoint_not_found'],
      }),
    },
    (request, reply) => sendNote(context, request, reply, request.params.size),
  )
}

/** Adds the routes for checkpoints, the signed heads of the tree over the journal. */
export function checkpointRoutes(app: App, context: Guarding & Signing & Process): void {
  makeCheckpointRoute(app, context)
  listCheckpointsRoute(app, context)
  listCheckpointKeysRoute(app, context)
  getLatestCheckpointRoute(app, context)
  proveGrowthRoute(app, context)
  getCheckpointRoute(app, context)
}

const described = (operationId: string, of: string) => ({
  operationId,
  headers: ['ETag' as const],
  answer: `The proof of ${of}.`,
  summary: `Prove that ${of} is in the journal`,
  description:
    'Returns a c2sp.org/tlog-proof file: the entry with its document, the hashes and the checkpoint. `/docs/verify` and ' +
    'the script `verify.mjs` verify it without this server.',
  query: ProofQuery,
  answers: { 200: text('c2sp.org/tlog-proof') },
})

const sendProof = async (
  pool: Pool,
  request: FastifyRequest,
  reply: FastifyReply,
  { seq, size: of, name }: { seq: number; size: number | undefined; name: string },
) => {
  const bytes = Buffer.from(await proveEntry(pool, request.key.locationId, { seq, size: of }))
  return sendBooks(request, reply, { bytes, type: textType, name: `${name}.tlog-proof`, documents: 1 })
}

/** Adds the operations that prove that an order, a Z report or an entry is in the signed journal. */
export function proofRoutes(app: App, { pool }: Pick<Process, 'pool'>): void {
  for (const [of, name, code] of [
    ['orders', 'Order', 'order_not_found'],
    ['reports', 'Report', 'report_not_found'],
  ] as const) {
    const one = of === 'orders' ? 'an order' : 'a Z report'
    app.get(
      `/v1/${of}/:id/proof`,
      {
        config: { scope: 'read' },
        schema: operation({
          tags: [of === 'orders' ? 'Orders' : 'Reports'],
          ...described(`prove${name}`, one),
          params: Type.Object({ id: Uuid() }, closed),
          problems: ['scope_missing', code, 'checkpoint_not_found', 'not_checkpointed'],
        }),
      },
      async (request, reply) => {
        const { id } = request.params
        const seq = await findSequenceOf(pool, request.key.locationId, { of, id: id.toLowerCase() })
        if (seq === undefined) throw new AppError(code)
        return sendProof(pool, request, reply, { seq, size: request.query.size, name: `${of}-${id.toLowerCase()}` })
      },
    )
  }

  app.get(
    '/v1/events/:sequence/proof',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Events'],
        ...described('proveEvent', 'an entry'),
        params: SequenceParams,
        problems: ['scope_missing', 'entry_not_found', 'checkpoint_not_found', 'not_checkpointed', 'documents_aside'],
      }),
    },
    async (request, reply) => {
      const { sequence: seq } = request.params
      return sendProof(pool, request, reply, { seq, size: request.query.size, name: `entry-${seq}` })
    },
  )
}
