import { Type } from 'typebox'
import { validationFailed } from '../../contract/errors/errors.ts'
import { DatedPageQuery } from '../../contract/paging/schema.ts'
import { Choice, closed } from '../../contract/scalars.ts'
import type { WebhookStatistics } from '../../contract/webhooks/schema.ts'
import { listDeliverySteps, listFailureSteps } from '../../store/webhooks/delivery-statistics.ts'
import { listWebhooks } from '../../contract/webhooks/rows.ts'
import type { Process } from '../context.ts'
import type { App } from '../server-types.ts'
import { readDates } from '../../contract/paging/query-dates.ts'
import { named, operation } from '../reference/route-schema.ts'
import { dayMs } from '../../domain/days/time-units.ts'

/** Seconds of each bucket width. */
export const steps = { '1m': 60, '5m': 300, '1h': 3_600, '1d': 86_400 } as const

export type Step = keyof typeof steps

/** Maximum steps of a response. */
const stepsAtMost = 750

/** Makes the parameters of statistics: a range of moments, and the width of its buckets. */
export const stepQuery = (names: readonly Step[]) => ({
  since: DatedPageQuery.since,
  until: DatedPageQuery.until,
  step: Type.Optional(
    Choice(names, { default: '1h', description: 'Length of a step; steps begin at full hours or days in UTC.' }),
  ),
})

type SpanQuery = { since?: string; until?: string; step?: Step }

/** Returns the requested range, extended to the beginning of a step; the last day by default. Throws 400. */
export function readSpan(now: Date, { since, until, step = '1h' }: SpanQuery) {
  const stepMs = steps[step] * 1_000
  const { range } = readDates({ ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) })
  const to = until === undefined ? now.getTime() + 1 : Math.min(range.last + 1, now.getTime() + 1)
  const first = since === undefined ? to - dayMs : range.first
  const from = Math.max(first - (((first % stepMs) + stepMs) % stepMs), 0)
  if ((to - from) / stepMs > stepsAtMost) {
    const detail = `since: at most ${stepsAtMost} steps are returned; choose a longer step or a later time`
    throw validationFailed([{ in: 'query', pointer: '/since', code: 'out_of_range', detail }])
  }
  return { since: new Date(from), until: new Date(Math.max(to, from)), stepS: steps[step], step }
}

/** Maximum webhooks in a response: the default limit of webhooks per location. */
const webhooksAtMost = 1_000

/** Adds the operation that counts deliveries and measures their durations by step, from the delivery log. */
export function webhookStatisticsRoutes(app: App, { pool, clock }: Process): void {
  app.get(
    '/v1/webhooks/statistics',
    {
      config: { scope: 'webhooks' },
      schema: operation({
        tags: ['Webhooks'],
        operationId: 'getWebhookStatistics',
        answer: 'Attempts per webhook and step.',
        summary: 'Read delivery statistics',
        description: 'Counts the attempts of all webhooks visible to the key, as far back as the delivery log.',
        query: Type.Object(stepQuery(['5m', '1h', '1d']), closed),
        answers: { 200: named('WebhookStatistics') },
        problems: ['scope_missing'],
      }),
    },
    async (request): Promise<WebhookStatistics> => {
      const { locationId, recipientId } = request.key
      const span = readSpan(clock(), request.query)
      const [{ webhooks }, rows, failures] = await Promise.all([
        listWebhooks(pool, locationId, recipientId, { limit: webhooksAtMost, offset: 0 }),
        listDeliverySteps(pool, locationId, recipientId, span),
        listFailureSteps(pool, locationId, recipientId, span),
      ])
      const placeOf = ({ webhookId, at }: { webhookId: string; at: Date }) => `${webhookId} ${at.getTime()}`
      const classes = Map.groupBy(failures, placeOf)
      const byWebhook = Map.groupBy(rows, ({ webhookId }) => webhookId)
      const data = webhooks.map(({ id }) => ({
        webhookId: id,
        steps: (byWebhook.get(id) ?? []).map((row) => ({
          from: row.at.toISOString(),
          successes: row.successes,
          failures: row.failures,
          p50Ms: row.p50,
          p95Ms: row.p95,
          failuresByClass: Object.fromEntries(
            (classes.get(placeOf(row)) ?? []).map(({ errorClass, n }) => [errorClass, n]),
          ),
        })),
      }))
      return { data, meta: { since: span.since.toISOString(), until: span.until.toISOString(), step: span.step } }
    },
  )
}
