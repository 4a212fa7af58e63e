import type { EngineEvents, FailedWork } from '../delivery/engine-events.ts'
import type { Availability } from '../store/db/availability.ts'
import type { Log } from './log.ts'

/** Messages about a failed task of the delivery worker; all of these tasks are retried automatically. */
const failures: Record<FailedWork, string> = {
  sweep: 'searching for webhooks with pending events failed: the next sweep tries again',
  claim: 'leasing webhooks failed: the next sweep tries again',
  session: 'delivery of a webhook was interrupted: it continues when its lease ends',
  report: 'the result of deliveries could not be stored: they are repeated when the lease ends',
  wake: 'other webhooks of a recovered host could not be resumed: they are probed at their scheduled time',
  prune: 'old entries of the delivery log could not be deleted: retrying in an hour',
}

/**
 * Logs what happens to webhooks: failed attempts and changes of state from `info` on, each successful attempt at
 * `debug`. `availability` logs an unavailable database, once. A line names ids, the outcome and the address, and never
 * the endpoint's URL, which may contain a secret.
 */
export function logDeliveries(events: EngineEvents, log: Log, availability: Availability): void {
  const isDebug = log.isLevelEnabled('debug')
  events.on('attempted', (attempt) => {
    if (attempt.outcome === 'success' && !isDebug) return
    const { outcome, message, lagMs, phases, ...facts } = attempt
    if (outcome === 'failure') log.info(facts, `delivery failed: ${message}`)
    else log.debug({ ...facts, lagMs, phases }, 'delivered')
  })
  events.on('probing', (facts) => log.info(facts, 'the webhook fails repeatedly: only probes are sent'))
  events.on('resumed', (facts) => log.info(facts, 'the webhook recovered'))
  events.on('disabled', (facts) => log.warn(facts, 'the webhook was disabled: nothing is sent until it is enabled'))
  events.on('leaseLost', (facts) => log.info(facts, 'a lease was lost to another worker or a manual change'))
  events.on('failed', ({ work, error: err, ...about }) => {
    if (!availability.failed(err)) log.error({ ...about, work, err }, failures[work])
  })
  if (!isDebug) return
  events.on('claimed', (facts) => log.debug(facts, 'webhooks leased'))
  events.on('rested', (facts) => log.debug(facts, 'the webhook is idle'))
}
