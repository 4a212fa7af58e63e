import { Type } from 'typebox'
import { epochAt } from '../../domain/journal/lineage.ts'
import { messageId } from '../../domain/journal/messages.ts'
import { AppError } from '../../contract/errors/errors.ts'
import { closed } from '../../contract/scalars.ts'
import { findHead, findLinkedEntry, type LinkedEntry } from '../../store/journal/journal.ts'
import { baseUrl } from '../base-url.ts'
import type { Reading, Process, Shown } from '../context.ts'
import type { App } from '../server-types.ts'
import { readHeadWithLineage } from '../parameters/feed-cursor.ts'
import { reachNumber, readFresh } from '../answers/freshness.ts'
import { sendDocument } from '../answers/replies.ts'
import { named, operation } from '../reference/route-schema.ts'

const SequenceParams = Type.Object(
  {
    sequence: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Sequence of the entry in the journal of the location.',
      examples: [42],
    }),
  },
  closed,
)

/** Returns the path of a resource's latest state; null for entries about the journal itself. */
function resourcePath({ kind, id }: Pick<LinkedEntry, 'kind' | 'id'>): string | null {
  if (kind === 'order') return `/v1/orders/${id}`
  if (kind === 'report') return `/v1/reports/${id}`
  if (kind === 'location') return '/v1/locations/own'
  if (kind === 'catalog.products') return '/v1/catalog/'
  return kind.startsWith('catalog.') ? `/v1/catalog/${kind.slice('catalog.'.length)}/` : null
}

/** Formats the entry as JSON with its stored document unchanged. */
function toBytes(entry: LinkedEntry, base: string): Buffer {
  const { seq, epoch, firstEpoch, acceptedAt, locationId, kind, id, types, prevSeq, nextSeq, document } = entry
  const { commitment, previousHash, hash } = entry
  const at = (path: string | null) => (path === null ? null : base + path)
  const entryAt = (other: number | null) => at(other === null ? null : `/v1/events/${other}`)
  const head = JSON.stringify({
    sequence: seq,
    epoch,
    firstEpoch,
    timestamp: acceptedAt,
    locationId,
    kind,
    resourceId: id,
    types,
    events: types.map((type) => ({ id: messageId(entry, type), type })),
    previousSequence: prevSeq,
    commitment,
    previousHash,
    hash,
    links: {
      self: entryAt(seq),
      previous: entryAt(prevSeq),
      next: entryAt(nextSeq),
      resource: at(resourcePath(entry)),
      history: at(kind === 'order' ? `/v1/orders/${id}/history` : null),
    },
  })
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"data":`), document, Buffer.from('}')])
}

function entryMissing(wanted: number, head: number): AppError {
  const why = wanted > head ? `use a number up to ${head}, the head` : 'the journal skipped this number'
  return new AppError('entry_not_found', `entry ${wanted} does not exist: ${why}`)
}

/**
 * Adds the operations that return the head of the journal, and one entry by its sequence (docs/contract/journal.md):
 * for a caller who keeps a copy of the chain, or looks up the event that a receiver got.
 */
export function journalRoutes(app: App, context: Reading & Process & Shown): void {
  app.get(
    '/v1/journal/head',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Events'],
        operationId: 'getJournalHead',
        headers: ['ETag'],
        answer: 'Head of the journal.',
        summary: 'Read the head of the journal',
        description:
          'Returns sequence, hash and time of the last entry: the cheapest way to detect changes, with one lookup by primary key ' +
          'and 304 for `If-None-Match`. The hash covers all earlier entries.',
        isNumbered: true,
        answers: { 200: named('JournalHead') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      await reachNumber(context, request)
      const { seq, hash, acceptedAt, lineage } = await readHeadWithLineage(context, request)
      const epoch = epochAt(lineage, seq)
      reply.header('tillgate-sequence', seq)
      const document = Buffer.from(JSON.stringify({ sequence: seq, hash, epoch, acceptedAt }))
      return sendDocument(request, reply, document, { documents: 0 })
    },
  )

  app.get(
    '/v1/events/:sequence',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Events'],
        operationId: 'getEvent',
        headers: ['ETag'],
        answer: 'The entry with its hashes.',
        summary: 'Read one journal entry',
        description:
          'Also returns entries without events, such as training orders: what changed and when, the events of the change, and ' +
          'its hashes in the chain.',
        params: SequenceParams,
        isNumbered: true,
        answers: { 200: named('JournalEntry') },
        problems: ['scope_missing', 'entry_not_found', 'documents_aside'],
      }),
    },
    async (request, reply) => {
      const { sequence: wanted } = request.params
      const { locationId } = request.key
      const { entry, sequence } = await readFresh({ ...context, replica: null }, request, reply, async () => {
        const head = (await findHead(context.pool, locationId))?.seq ?? 0
        return { sequence: head, entry: await findLinkedEntry(context.pool, locationId, wanted) }
      })
      if (!entry) throw entryMissing(wanted, sequence)
      const handedOut = { documents: 1, from: wanted, to: wanted }
      return sendDocument(request, reply, toBytes(entry, baseUrl(context, request)), handedOut)
    },
  )
}
