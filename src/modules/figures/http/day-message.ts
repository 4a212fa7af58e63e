import { Type } from 'typebox'
import { AtOnce } from '../../../core/projections/at-once.ts'
import { readDayMessage } from '../projections/day-message.ts'
import { DayMessageQuery, type DayMessage } from '../schemas/day-message.ts'
import { closed } from '../../../core/contract/scalars.ts'
import { whenBuilt } from './figures-building.ts'
import { readHead } from '../../../core/http/parameters/feed-cursor.ts'
import { reachNumber } from '../../../core/http/answers/freshness.ts'
import { preferredType } from '../../../core/http/answers/negotiation.ts'
import type { Reading, Process } from '../../../core/http/context.ts'
import { varyByForm } from '../../../core/http/answers/headers.ts'
import { named, operation } from '../../../core/http/reference/route-schema.ts'
import type { App } from '../../../core/http/server-types.ts'

const types = { json: 'application/json', text: 'text/plain', html: 'text/html' } as const

const DateParams = Type.Object({ date: Type.String({ format: 'date', examples: ['2026-03-14'] }) }, closed)

/** Adds the route that describes a business day in words, for a mail or a messenger after `day.completed`. */
export function dayMessageRoutes(app: App, context: Reading & Process): void {
  const { pool, clock } = context
  const writing = new AtOnce(1)
  app.get(
    '/v1/business-days/:date/message',
    {
      config: { scope: 'read' },
      schema: operation({
        tags: ['Figures'],
        operationId: 'getDayMessage',
        answer: 'The message with its subject, as text and as HTML.',
        forms: { 'text/plain': 'The text only.', 'text/html': 'The HTML only.' },
        summary: 'Read a business day as a message',
        description:
          'Returns payments, VAT, deductions, how the tills closed the day, and sales compared with the same weekday of last week ' +
          'and last year, and with the average of four weeks. Request it after the event `day.completed`.',
        params: DateParams,
        query: DayMessageQuery,
        isNumbered: true,
        answers: { 200: named('DayMessage') },
        problems: ['scope_missing', 'figures_building', 'location_not_found'],
      }),
    },
    async (request, reply) => {
      const { key, params, query } = request
      const { language = 'en', format } = query
      await reachNumber(context, request)
      // The head is read before the figures, so that the figures include every change up to it.
      const { seq } = await readHead(context, request)
      reply.header('tillgate-sequence', seq)
      const { locationId } = key
      const message: DayMessage = await whenBuilt(
        writing.run(locationId, () => readDayMessage(pool, locationId, { date: params.date, language }, clock())),
      )
      request.handedOut = { documents: 1 }
      const mediaType =
        format === undefined ? preferredType(request, [types.json, types.text, types.html]) : types[format]
      varyByForm(reply)
      reply.header('cache-control', 'private, no-cache')
      if (mediaType === types.json) return message
      const body = mediaType === types.text ? message.text : message.html
      return reply.header('content-type', `${mediaType}; charset=utf-8`).send(body)
    },
  )
}
