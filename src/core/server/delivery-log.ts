import type { EngineEvents, FailedWork } from '../delivery/engine-events.ts'
import type { Availability } from '../store/db/availability.ts'
import type { Log } from './log.ts'

/** Tell the operator that a task of the delivery worker failed; all of these tasks are retried automatically. */
const failures: Record<FailedWork, string> = {
  sweep: 'looking for webhooks with something to do failed: the next sweep tries again',
  claim: 'leasing webhooks failed: the next sweep tries again',
  session: 'delivering for a webhook was interrupted: it goes on when its lease has ended',
  report: 'what was delivered could not be written down: it is delivered again when the lease has ended',
  wake: 'the other webhooks of a host that is well again were not woken: they are probed at their own time',
  prune: 'old entries of the delivery log could not be deleted: the next hour tries again',
}

/**
 * Writes what happens to webhooks: failed attempts and turns of a webhook from `info` on, each attempt that succeeded
 * at `debug`. That the database is away is said once, by `availability`. A line names ids, the outcome and the address, and never the endpoint's URL, which may hold a secret.
 */
export function logDeliveries(events: EngineEvents, log: Log, availability: Availability): void {
  const isDebug = log.isLevelEnabled('debug')
  events.on('attempted', (attempt) => {
    if (attempt.outcome === 'success' && !isDebug) return
    const { outcome, message, lagMs, phases, ...facts } = attempt
    if (outcome === 'failure') log.info(facts, `delivery failed: ${message}`)
    else log.debug({ ...facts, lagMs, phases }, 'delivered')
  })
  events.on('probing', (facts) => log.info(facts, 'the webhook fails again and again: only probes are sent to it now'))
  events.on('resumed', (facts) => log.info(facts, 'the webhook is well again'))
  events.on('disabled', (facts) => log.warn(facts, 'the webhook was disabled: nothing is sent until it is enabled'))
  events.on('leaseLost', (facts) =>
    log.info(facts, 'a lease was lost: a change by hand or another worker has ended it'),
  )
  events.on('failed', ({ work, error: err, ...about }) => {
    if (!availability.failed(err)) log.error({ ...about, work, err }, failures[work])
  })
  if (!isDebug) return
  events.on('claimed', (facts) => log.debug(facts, 'webhooks leased'))
  events.on('rested', (facts) => log.debug(facts, 'the webhook rests'))
}
