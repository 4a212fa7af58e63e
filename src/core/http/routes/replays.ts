import { changesBetween } from '../../domain/accounts/act-changes.ts'
import { readTimes } from '../../contract/paging/query-dates.ts'
import { planReplay, type ReplayPlan } from '../../delivery/replays.ts'
import { webhookStatus } from '../../delivery/webhooks.ts'
import type { FaultCode } from '../../contract/errors/faults.ts'
import { AppError, validationFailed } from '../../contract/errors/errors.ts'
import { ReplayInput } from '../../contract/webhooks/schema.ts'
import { findSequenceAt, getHead } from '../../store/journal/journal.ts'
import { resendEvents } from '../../store/webhooks/webhook-resends.ts'
import { rewindWebhook, type WebhookRow } from '../../contract/webhooks/rows.ts'
import type { Guarding, Delivering, Process } from '../context.ts'
import type { App } from '../server-types.ts'
import { assertPosition, getHeadWithLineage } from '../parameters/feed-cursor.ts'
import { IdParams, named, operation } from '../reference/route-schema.ts'
import { getVisible } from '../guard/visible-webhook.ts'

/** Makes an error for a fault of the body that its schema cannot express. */
const fault = (pointer: string, code: FaultCode, detail: string) =>
  validationFailed([{ in: 'body' as const, pointer, code, detail }])

/** Returns the sequence to replay from. Throws `sequence_ahead`, and 400 for a moment in the future. */
async function replayStart({ pool, clock }: Pick<Process, 'pool' | 'clock'>, locationId: string, input: ReplayInput) {
  const { sequence, since } = input
  if ((sequence === undefined) === (since === undefined)) {
    throw fault('', 'invalid_value', 'send either sequence or since')
  }
  if (sequence !== undefined) {
    if (sequence > Number.MAX_SAFE_INTEGER) {
      throw fault('/sequence', 'out_of_range', `sequence must be at most ${Number.MAX_SAFE_INTEGER}`)
    }
    // 1 means everything, even for an empty journal.
    if (sequence === 1) return sequence
    const { lineage, seq } = await getHeadWithLineage({ pool }, locationId)
    assertPosition(lineage, seq, { epoch: undefined, after: sequence })
    return sequence
  }
  const range = readTimes(since, undefined)
  if (Array.isArray(range))
    throw fault('/since', 'invalid_datetime', range[0]?.detail ?? 'since must be a date or time')
  const at = new Date(range.first)
  const from = await findSequenceAt(pool, locationId, at)
  // The clock of another process may be ahead of this one: then entries from that time exist.
  if (at <= clock() || from <= (await getHead(pool, locationId)).seq) return from
  throw fault('/since', 'out_of_range', `since is in the future: the server time is ${clock().toISOString()}`)
}

/** Returns the last sequence to replay; undefined if the replay is open-ended. */
async function replayEnd({ pool }: Pick<Process, 'pool'>, locationId: string, input: ReplayInput) {
  const { until, untilSequence } = input
  if (until === undefined) return untilSequence
  if (untilSequence !== undefined) throw fault('', 'invalid_value', 'send either untilSequence or until')
  const range = readTimes(undefined, until)
  if (Array.isArray(range))
    throw fault('/until', 'invalid_datetime', range[0]?.detail ?? 'until must be a date or time')
  return (await findSequenceAt(pool, locationId, new Date(range.last + 1))) - 1
}

const begin = async (context: Delivering & Process, webhook: WebhookRow, plan: ReplayPlan) => {
  const { locationId, id } = webhook
  context.replayRate?.take(id, context.clock().getTime())
  if (plan.chosen) {
    await resendEvents(
      context.pool,
      webhook,
      plan.chosen.map((event) => ({ ...event, attempts: 0 })),
      context.clock(),
    )
  } else if (!(await rewindWebhook(context.pool, locationId, id, plan.from))) throw new AppError('replay_running')
  context.hints.changed(id)
}

function replayWebhookRoute(app: App, context: Guarding & Delivering & Process): void {
  const { pool, hints } = context
  app.post(
    '/v1/webhooks/:id/replay',
    {
      config: { scope: 'webhooks', acts: true },
      schema: operation({
        tags: ['Webhooks'],
        operationId: 'replayWebhook',
        answer: 'The replay has started.',
        summary: 'Replay events from a sequence or a time',
        description:
          'The events keep their `webhook-id`, so a receiver can recognize them. The next replay can start ' +
          'when this one has finished. If an end, `types` or `onlyFailed` is given, only the selected events are sent, in ' +
          'addition to new ones; the response then includes their number, as for a dry run.',
        params: IdParams,
        body: ReplayInput,
        answers: { 200: named('ReplayAnswer') },
        problems: [
          'scope_missing',
          'webhook_not_found',
          'sequence_ahead',
          'replay_running',
          'too_many_events',
          'documents_aside',
          'body_invalid',
          'media_type_unsupported',
        ],
      }),
    },
    async (request) => {
      const { body } = request
      const webhook = await getVisible(context, request.key, request.params.id)
      const { locationId, id } = webhook
      const from = await replayStart(context, locationId, body)
      const to = await replayEnd(context, locationId, body)
      const { types, onlyFailed = false, dryRun = false } = body
      const plan = await planReplay(pool, webhook, { from, to, types, onlyFailed, dryRun })
      if (!dryRun) {
        await begin(context, webhook, plan)
        const changes = changesBetween(null, { sequence: from, until: to, types, onlyFailed: onlyFailed || undefined })
        await context.access.act(request.key, 'webhook.replayed', id, changes)
        hints.committed(locationId)
      }
      const status = await webhookStatus(pool, await getVisible(context, request.key, id))
      return { ...status, ...plan.counted }
    },
  )
}

/** Adds the operation that sends all or selected events again (decision 0018). */
export function replayRoutes(app: App, context: Guarding & Delivering & Process): void {
  replayWebhookRoute(app, context)
}
