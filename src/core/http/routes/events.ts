import { Type } from 'typebox'
import type { Head } from '../../domain/journal/chain.ts'
import { epochAt } from '../../domain/journal/lineage.ts'
import { messageParts } from '../../domain/journal/messages.ts'
import { validationFailed } from '../../contract/errors/errors.ts'
import { eventTypes, type EventType } from '../../schemas/events.ts'
import { closed } from '../../contract/scalars.ts'
import { readPage } from '../../store/journal/journal.ts'
import { AtOnce } from '../../projections/at-once.ts'
import { confirmCaller } from '../guard/auth.ts'
import type { Reading, Guarding, ConsoleParts, Process, Shown } from '../context.ts'
import { offSentence } from '../../modules.ts'
import type { App } from '../server-types.ts'
import { reachNumber } from '../answers/freshness.ts'
import { streamEvents, streamType } from '../answers/event-stream.ts'
import { varyByForm } from '../answers/headers.ts'
import { jsonType } from '../answers/json-frame.ts'
import {
  assertPosition,
  getHeadWithLineage,
  readFeedCursor,
  readHead,
  readHeadWithLineage,
} from '../parameters/feed-cursor.ts'
import { preferredType } from '../answers/negotiation.ts'
import { openBody, sendBody } from '../answers/replies.ts'
import { named, operation } from '../reference/route-schema.ts'
import { waitForNews } from '../answers/wait-for-commit.ts'

/** Maximum changes on a page. */
const maximumLimit = 1_000

/** Maximum wait in milliseconds; a larger value is capped (docs/contract/limits.md). */
const maximumWaitMs = 60_000

/** Maximum concurrent page reads of one location, of 8 MiB each; a hundred would occupy every connection and core. */
const pagesAtOnce = 2

/** The beginning of the page, its event types, and how long to wait for the first event. */
const FeedQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Continue after this sequence.',
      }),
    ),
    epoch: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{8}$',
        'x-must': 'eight hexadecimal digits from `meta.epoch`',
        description:
          'The `meta.epoch` that `after` comes from. A position that this journal left or never had is refused with 409, which names ' +
          'the position to continue from.',
        examples: ['5f0c21ab'],
      }),
    ),
    lastEventId: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'Same as the header `Last-Event-ID`, for clients that resume by URL: pages and streams begin after this event. The ' +
          'header takes precedence over this parameter, which takes precedence over `after`.',
      }),
    ),
    'Last-Event-ID': Type.Optional(
      Type.String({ maxLength: 40, description: 'Alias of `lastEventId`, which takes precedence.' }),
    ),
    types: Type.Optional(
      Type.String({
        description: 'Event names separated by commas; all events if absent.',
        examples: ['order.paid,report.created'],
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        default: 100,
        minimum: 1,
        maximum: maximumLimit,
        'x-capped': true,
        description: 'Changes per page, at most 1,000. A page ends early at 8 MiB; continue from `meta.next`.',
      }),
    ),
    data: Type.Optional(
      Type.Literal('id', {
        description:
          'For a stream: reduces the `data` of each event to the `id` of the resource, for clients that only need to know what changed.',
      }),
    ),
    wait: Type.Optional(
      Type.Integer({
        default: 0,
        minimum: 0,
        maximum: maximumWaitMs / 1_000,
        'x-capped': true,
        description: 'Seconds to wait for new events if there are none, at most 60.',
      }),
    ),
  },
  closed,
)

/**
 * How long to search for matching events, in milliseconds. A page may be empty although more events exist; `meta` has
 * the position to continue from.
 */
const lookThroughMs = 1_000

/** Reads the requested event types; all if none is given. Throws 400 with the known types for an unknown one. */
function readTypes(text: string | undefined): ReadonlySet<EventType> {
  if (text === undefined) return new Set(eventTypes)
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !eventTypes.some((type) => type === name))
  if (unknown.length > 0) {
    const given = unknown.filter((name) => name !== '')
    const fault =
      given.length > 0
        ? `event type ${given.join(', ')} does not exist`
        : 'an event name is empty: separate names by one comma, or omit types for all'
    const off = given.flatMap((name) => offSentence(name) ?? [])
    const detail = `types: ${[fault, ...off].join('; ')}; the event types are ${eventTypes.join(', ')}`
    throw validationFailed([{ in: 'query', pointer: '/types', code: 'unknown_event', detail }])
  }
  return new Set(names as EventType[])
}

/** Throws 400 if a page is requested with ids alone. */
function refuseLightPage({ data }: { data?: 'id' }): void {
  if (data === undefined) return
  const detail = 'data: pages always contain the full data; omit it, or request a stream with Accept: text/event-stream'
  throw validationFailed([{ in: 'query', pointer: '/data', code: 'unknown_parameter', detail }])
}

const eventsOperation = operation({
  tags: ['Events'],
  operationId: 'listEvents',
  answer: 'Events after the given position, oldest first; as `text/event-stream` an endless stream.',
  forms: { 'text/event-stream': 'Each `data` is one Event; `id` is `<epoch>_<sequence>`.' },
  summary: 'Read the event feed',
  description:
    'Returns the journal of the location as events. A client that continues from `meta.next` misses nothing; entries without ' +
    'events are skipped. Pass `meta.epoch` as `epoch`: if the database was restored to an earlier state, a client beyond that state gets 409 with ' +
    'the position to continue from. With `Accept: text/event-stream`, the response is a live ' +
    'stream whose `id` is `<epoch>_<sequence>`; it resumes with `Last-Event-ID`.',
  query: FeedQuery,
  isNumbered: true,
  answers: { 200: named('EventPage') },
  problems: ['scope_missing', 'sequence_ahead', 'epoch_changed', 'documents_aside'],
})

/**
 * Adds the operations that read the journal as events: in pages, with waiting, or as a stream. All read the journal by
 * sequence, so a reader that continues from the last sequence misses nothing and gets nothing twice.
 */
export function eventRoutes(app: App, context: Reading & Guarding & ConsoleParts & Process & Shown): void {
  const pages = new AtOnce(pagesAtOnce)
  const { pool } = context
  const { pageBytes } = context.limits
  app.get(
    '/v1/events/',
    {
      config: { scope: 'read', mayWait: true },
      schema: eventsOperation,
    },
    async (request, reply) => {
      const { query, key } = request
      const types = readTypes(query.types)
      const cursor = readFeedCursor(query, request.headers['last-event-id'])
      varyByForm(reply)
      const isStream = request.method === 'GET' && preferredType(request, [jsonType, streamType]) === streamType
      const gate = isStream || (query.wait ?? 0) > 0 ? context.streams : context.requests
      gate.hold(request, reply)
      await reachNumber(context, request)
      if (isStream) return streamEvents(context, request, reply, { types, cursor, isLight: query.data === 'id' })
      refuseLightPage(query)
      const { lineage, ...shown } = await pages.run(key.locationId, () => readHeadWithLineage(context, request))
      let head: Head = shown
      const start = cursor ?? { epoch: query.epoch, after: 0 }
      const known = head.seq
      assertPosition(lineage, known, start)
      const limit = query.limit ?? 100
      const isGone = () => request.raw.destroyed || context.closing.aborted
      const started = Date.now()
      const deadline = started + (query.wait ?? 0) * 1000
      let { after } = start
      let first = after
      let messages: (readonly (Buffer | string)[])[] = []
      for (;;) {
        const news = waitForNews(context.hints, key.locationId, deadline)
        const limits = { entries: limit, bytes: pageBytes }
        const { entries, isFull } = await pages.run(key.locationId, () => readPage(pool, key.locationId, after, limits))
        messages = entries.flatMap((entry) =>
          entry.types.filter((type) => types.has(type)).map((type) => messageParts(entry, type).parts),
        )
        first = entries[0]?.seq ?? after
        after = entries.at(-1)?.seq ?? after
        const isAtHead = !isFull
        // If `types` skips whole pages, the next pages are read at once, for up to `lookThroughMs`.
        const isOver = messages.length > 0 || Date.now() >= (isAtHead ? deadline : started + lookThroughMs) || isGone()
        if (isAtHead && !isOver) await news.arrived
        news.cancel()
        if (isOver) break
        await confirmCaller(context, key)
        // Read before the page, so that nothing is awaited while the page is in memory.
        head = await readHead(context, request)
      }
      // Entries that arrived in the meantime may have begun a new epoch.
      const newest = after > known ? (await getHeadWithLineage(context, key.locationId)).lineage : lineage
      const meta = { next: after, head: Math.max(head.seq, after), epoch: epochAt(newest, after) }
      if (messages.length > 0) request.handedOut = { documents: messages.length, from: first, to: after }
      reply.header('tillgate-sequence', after)
      const body = openBody(context, request, reply)
      for (const parts of messages) body.addParts(parts)
      return sendBody(reply, body, { meta })
    },
  )
}
