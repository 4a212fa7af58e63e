import type { RetrySchedule } from '../domain/journal/retry-schedule.ts'
import type { Pool } from '../store/db/database.ts'
import type { EngineEvents } from './engine-events.ts'
import type { JournalTail } from './journal-tail.ts'
import type { Recorder } from './recorder.ts'
import type { Sender } from './sender/send.ts'

/** Shared by the sessions of one worker. */
export type SessionDeps = {
  pool: Pool
  tail: JournalTail
  recorder: Recorder
  sender: Sender
  clock: () => Date
  random: () => number
  schedule: RetrySchedule
  leaseMs: number
  /** Maximum concurrent events of one webhook. */
  inFlight: number
  events: EngineEvents
  /** Called when a probe of an endpoint has succeeded. */
  isWellAgain: (endpointUrl: string) => void
}
