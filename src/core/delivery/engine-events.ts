import { EventEmitter } from 'node:events'
import type { DisableReason } from '../domain/journal/retry-schedule.ts'
import type { EventType } from '../schemas/events.ts'
import type { ErrorClass, Phases } from './sender/outcome.ts'

/** The webhook of an engine event, for log lines; never a metric's label, because their number is unbounded. */
export type About = { locationId: string; webhookId: string }

/** One request was answered or has failed; the next report writes it to the delivery log. */
export type Attempted = About & {
  event: EventType
  sequence: number
  /** `webhook-id` of the message. */
  messageId: string
  /** 1 for the first attempt of this event. */
  attempt: number
  outcome: 'success' | 'failure'
  /** 0 if no status arrived. */
  status: number
  /** The stage at which the attempt failed; null after a success. */
  errorClass: ErrorClass | null
  message: string
  /** The address that was called, tried or refused. Only the operator may see a refused address. */
  address: string | null
  durationMs: number
  phases: Phases
  /**
   * Milliseconds from the acceptance of the change to the end of the first attempt of its event. Null for later
   * attempts and for replays, which say nothing about the delay of new events.
   */
  lagMs: number | null
  /** When the event is tried again; null after a success, or when the webhook was disabled. */
  nextAttemptAt: Date | null
}

export type FailedWork = 'sweep' | 'claim' | 'session' | 'report' | 'prune' | 'wake'

/** The events by name, each with the one argument of its listeners. */
export type EngineEventMap = {
  /** At least one webhook of the location was leased. */
  claimed: [{ locationId: string; webhookIds: readonly string[] }]
  attempted: [Attempted]
  /** A session's report was committed and its lease was still valid. */
  reported: [About & { attempts: number; cursor: number; durationMs: number }]
  /** A report was refused because another worker, or a change of the webhook, ended the lease. The session ends. */
  leaseLost: [About]
  /** Several attempts in a row have failed: from now on only probes are sent. */
  probing: [About & { failures: number; failingSince: Date }]
  /** A probe succeeded: the webhook delivers again. */
  resumed: [About & { failingSince: Date | null }]
  /** Emitted once the change is committed. */
  disabled: [About & { reason: DisableReason; at: Date; failingSince: Date | null }]
  /** A session has ended and released its lease, or has lost it. */
  rested: [About]
  /**
   * A sweep queried the database. `due` is the number of locations with work, `clockOffsetMs` how far this process's
   * clock is ahead of the database's, `nextMs` the time to the next sweep.
   */
  swept: [{ due: number; durationMs: number; clockOffsetMs: number | null; nextMs: number }]
  /** Work that failed and is retried. `locationId` and `webhookId` are null if unknown. */
  failed: [{ work: FailedWork; error: unknown; locationId: string | null; webhookId: string | null }]
}

/**
 * Emits everything that happens in a delivery worker, in order: for log lines, metrics and tests. Listeners are called
 * synchronously during the work. They must be quick and not throw.
 */
export class EngineEvents extends EventEmitter<EngineEventMap> {
  constructor() {
    super()
    this.setMaxListeners(0)
  }
}
