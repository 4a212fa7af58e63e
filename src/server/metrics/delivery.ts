import { Counter, Histogram, type Counter as CounterOf, type Registry } from 'prom-client'
import type { Attempted, EngineEvents } from '../../delivery/engine-events.ts'
import type { Phases } from '../../delivery/sender/outcome.ts'
import { isUnavailable } from '../../store/db/database.ts'

const lagBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]
const phaseBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

/** The phases of a request to a webhook, as metrics call them. */
const phases = { dns: 'dnsMs', connect: 'connectMs', tls: 'tlsMs', first_byte: 'headersMs' } as const satisfies Record<
  string,
  keyof Phases
>

/** Counts what a delivery worker does, from what it tells. */
export function measureDelivery(registry: Registry, events: EngineEvents, unavailable: CounterOf<'where'>): void {
  const registers = [registry]
  const lag = new Histogram({
    name: 'tillgate_delivery_lag_seconds',
    help: 'Time from the acceptance of a change to the end of the first attempt to tell a webhook of it.',
    buckets: lagBounds,
    registers,
  })
  const spent = new Histogram({
    name: 'tillgate_delivery_phase_seconds',
    help: 'Time that a request to a webhook spent in each phase that it reached.',
    labelNames: ['phase'],
    buckets: phaseBounds,
    registers,
  })
  /** Attempts by their class of error, null after a success. */
  const ended = new Map<Attempted['errorClass'], number>()
  void new Counter({
    name: 'tillgate_delivery_attempts_total',
    help: 'Requests to webhooks. error_class is none after a success.',
    labelNames: ['outcome', 'error_class'],
    registers,
    collect() {
      this.reset()
      for (const [errorClass, count] of ended)
        this.inc({ outcome: errorClass === null ? 'success' : 'failure', error_class: errorClass ?? 'none' }, count)
    },
  })
  const lost = new Counter({
    name: 'tillgate_lease_lost_total',
    help: 'Leases of webhooks that ended while their holder worked: by another worker, or a change by hand.',
    registers,
  })
  events.on('attempted', (attempt) => {
    ended.set(attempt.errorClass, (ended.get(attempt.errorClass) ?? 0) + 1)
    if (attempt.lagMs !== null) lag.observe(attempt.lagMs / 1000)
    for (const [phase, key] of Object.entries(phases)) {
      const spentMs = attempt.phases[key]
      if (spentMs !== null) spent.observe({ phase }, spentMs / 1000)
    }
  })
  events.on('leaseLost', () => lost.inc())
  events.on('failed', ({ error }) => {
    if (isUnavailable(error)) unavailable.inc({ where: 'delivery' })
  })
}
