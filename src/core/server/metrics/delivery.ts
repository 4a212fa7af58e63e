import { Counter, type Counter as CounterOf, type Registry } from 'prom-client'
import type { Attempted, EngineEvents } from '../../delivery/engine-events.ts'
import type { Phases } from '../../delivery/sender/outcome.ts'
import { registerHistogram, Steps } from '../../histogram.ts'
import { isUnavailable } from '../../store/db/database.ts'

const lagBounds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600]
const phaseBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15]

/** Measures one phase of the requests to webhooks, for those that reached it. */
class Phase {
  readonly #name: string
  readonly #key: keyof Phases
  readonly #steps = new Steps(phaseBounds)

  constructor(name: string, key: keyof Phases) {
    this.#name = name
    this.#key = key
  }

  observe(phases: Phases): void {
    const spentMs = phases[this.#key]
    if (spentMs !== null) this.#steps.observe(spentMs / 1000)
  }

  labelled(): [{ phase: string }, Steps][] {
    return this.#steps.count === 0 ? [] : [[{ phase: this.#name }, this.#steps]]
  }
}

export function measureDelivery(registry: Registry, events: EngineEvents, unavailable: CounterOf<'where'>): void {
  const registers = [registry]
  const lag = new Steps(lagBounds)
  const lagAbout = {
    name: 'tillgate_delivery_lag_seconds',
    help: 'Time from the acceptance of a change to the end of the first attempt to deliver it.',
  }
  registerHistogram(registry, lagAbout, () => [[{}, lag]])
  /** Number of attempts by class of error; the class of a success is null. */
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
  const phases = [
    new Phase('dns', 'dnsMs'),
    new Phase('connect', 'connectMs'),
    new Phase('tls', 'tlsMs'),
    new Phase('first_byte', 'headersMs'),
  ]
  const phaseAbout = {
    name: 'tillgate_delivery_phase_seconds',
    help: 'Duration of each phase of webhook requests.',
  }
  registerHistogram(registry, phaseAbout, () => phases.flatMap((phase) => phase.labelled()))
  const lost = new Counter({
    name: 'tillgate_lease_lost_total',
    help: 'Leases lost to another worker or a manual change.',
    registers,
  })
  events.on('attempted', (attempt) => {
    ended.set(attempt.errorClass, (ended.get(attempt.errorClass) ?? 0) + 1)
    if (attempt.lagMs !== null) lag.observe(attempt.lagMs / 1000)
    for (const phase of phases) phase.observe(attempt.phases)
  })
  events.on('leaseLost', () => lost.inc())
  events.on('failed', ({ error }) => {
    if (isUnavailable(error)) unavailable.inc({ where: 'delivery' })
  })
}
