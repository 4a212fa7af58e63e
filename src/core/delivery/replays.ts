import { AppError } from '../contract/errors/errors.ts'
import type { EventType } from '../schemas/events.ts'
import type { Pool } from '../store/db/database.ts'
import { listEventsBetween, listFailedEvents, type NamedEvent } from '../store/webhooks/webhook-resends.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'

/** Maximum events of a replay of selected events, which are scheduled all at once. */
const chosenAtMost = 10_000

/** Maximum journal entries read to find or to count the events of a replay. */
const scannedAtMost = 20_000

export type ReplayRequest = {
  from: number
  /** Undefined: up to the end. */
  to: number | undefined
  /** Undefined means all events that the webhook receives. */
  types: readonly string[] | undefined
  onlyFailed: boolean
  /** Count the events even if sending does not require it. */
  dryRun: boolean
}

export type ReplayPlan = {
  from: number
  /** Events sent again in addition to new ones; undefined if the cursor moves back to `from`. */
  chosen: NamedEvent[] | undefined
  /** The number of events, and whether all of them were counted; undefined if nothing was counted. */
  counted: { events: number; eventsAreCounted: boolean } | undefined
}

/** Resolves to the plan of a replay. Throws `too_many_events` if too many events are selected. */
export async function planReplay(
  pool: Pool,
  webhook: WebhookRow,
  { from, to, types, onlyFailed, dryRun }: ReplayRequest,
): Promise<ReplayPlan> {
  const { locationId, cursor } = webhook
  const isChosen = to !== undefined || types !== undefined || onlyFailed
  if (!isChosen && !dryRun) return { from, chosen: undefined, counted: undefined }
  const wanted: EventType[] = types ? webhook.events.filter((type) => types.includes(type)) : webhook.events
  const stretch = { from, to: Math.min(to ?? cursor, cursor), types: wanted }
  const find = async () => {
    if (!onlyFailed) return listEventsBetween(pool, locationId, stretch, scannedAtMost)
    const events = await listFailedEvents(pool, webhook, stretch, chosenAtMost + 1)
    return { events, isComplete: events.length <= chosenAtMost }
  }
  const { events, isComplete } = await find()
  const counted = { events: events.length, eventsAreCounted: isComplete }
  if (!isChosen) return { from, chosen: undefined, counted }
  if (isComplete && events.length <= chosenAtMost) return { from, chosen: events, counted }
  const limits = `${chosenAtMost} events in ${scannedAtMost} journal entries: choose a shorter range`
  throw new AppError('too_many_events', `a replay with an end, types or onlyFailed can have at most ${limits}`)
}
