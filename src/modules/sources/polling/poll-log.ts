import type { Poller } from './poller.ts'
import type { Availability } from '../../../core/store/db/availability.ts'
import type { Log } from '../../../core/server/log.ts'

/** Logs the results of runs. A line has ids, counts and the system's answer, never a secret. */
export function logPolls(events: Poller['events'], log: Log, availability: Availability): void {
  events.on('ran', ({ source, end, accepted, documents, durationMs }) => {
    const { locationId, id: sourceId, adapter } = source
    const facts = { locationId, sourceId, source: adapter, accepted, documents, durationMs }
    if (end.kind === 'stopped') log.warn({ ...facts, error: end.error }, 'a source was stopped: it needs attention')
    else if (end.kind === 'failed') log.info({ ...facts, error: end.error }, 'a run of a source failed: it is retried')
    else if (accepted > 0) log.info(facts, 'a source was read')
    else log.debug(facts, 'a source was read')
  })
  events.on('failed', ({ error: err }) => {
    if (!availability.failed(err)) log.error({ err }, 'a run of a source was interrupted: the next one continues')
  })
}
