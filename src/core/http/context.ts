import type { Registry } from 'prom-client'
import type { EndpointPolicy } from '../contract/webhooks/endpoint-url.ts'
import type { Sender } from '../delivery/sender/send.ts'
import type { FastifyRequest } from 'fastify'
import type { PushCounts } from '../ingest/receive/push-counts.ts'
import type { NoticeLimits, RejectedPruner } from '../ingest/receive/rejected-pruner.ts'
import type { Watcher } from '../ingest/watching.ts'
import type { ShownSetting } from '../shown-settings.ts'
import type { Caller, HeldSession } from './server-types.ts'
import type { WriteQueue } from '../ingest/write/queue.ts'
import type { Availability } from '../store/db/availability.ts'
import type { DayRange, MomentRange } from '../domain/days/ranges.ts'
import type { Pool } from '../store/db/database.ts'
import type { DayCountCache } from '../contract/paging/day-counts.ts'
import type { Hints } from '../store/db/hints.ts'
import type { JournalLooks } from './answers/journal-looks.ts'
import type { Reader } from '../store/db/reader/reader.ts'
import type { Replica } from '../store/documents/replica.ts'
import type { SeenHeads } from '../store/journal/seen-heads.ts'
import type { AccessLog } from './guard/access-log.ts'
import type { BodyBudget } from '../ingest/receive/body-budget.ts'
import type { Gate } from './guard/gate.ts'
import type { KeyErrors } from './guard/key-errors.ts'
import type { KeyRing } from './guard/key-ring.ts'
import type { HttpMetrics } from './metrics.ts'
import type { RateLimiter } from './guard/rate-limit.ts'
import type { RefusalLog } from './guard/refusals.ts'
import type { RequestBodies } from './guard/request-bodies.ts'

/** Free bytes of a disk. Pushes are refused while less than `reserveBytes` are free. */
export type DiskState = {
  freeBytes: number
  totalBytes: number
  reserveBytes: number
  /** The decrease of free bytes per day since `since`, and the days until pushes are refused; null if not known yet. */
  trend: { since: string; bytesPerDay: number; daysLeft: number | null } | null
}

/** The time until which everything of a location has arrived. */
export type CompleteUntil = {
  /** Returns whether the value of this location was read before; if not, call `warm`. */
  isWarm(locationId: string): boolean
  warm(locationId: string): Promise<void>
  /** Returns the time for a sequence of the journal; null if unknown. */
  at(locationId: string, sequence: number): string | null
}

/** A range of business days of the location, or of moments. */
export type ReadRange = DayRange | MomentRange

export type Reading = {
  /** Reads stored documents as bytes; all other reads use the pool. */
  reader: Reader
  dayCounts: DayCountCache
  /** The time until which everything of a location has arrived. */
  watermarks: CompleteUntil
  /** Throws if the caller requires complete days and something in the range is missing. */
  requireComplete: (request: FastifyRequest, range: ReadRange) => Promise<void>
  /** The read replica; null when none is configured. */
  replica: Replica | null
  /** Checks journals for news, for streams that received no hint. */
  looks: JournalLooks
}

export type Writing = {
  writer: WriteQueue
  /** Checks the records of pushes. */
  warner: Watcher
  /** How much each till has pushed, and how much of it was stale. */
  pushes: PushCounts
  notices: NoticeLimits
  /** Deletes rejected records that are too old or too many. */
  rejected: RejectedPruner
  bodies: RequestBodies
  /** Whether too little disk space is free to accept pushes. */
  diskIsLow: () => boolean
  /** Whether the files of the embedded database are missing: deleted, or their disk unmounted. */
  dataIsGone: () => boolean
  /** Resolves to the state of the embedded database's disk; null if it is on another machine or cannot be read. */
  readDisk: () => Promise<DiskState | null>
}

export type Guarding = {
  keys: KeyRing
  limiter: RateLimiter | null
  /** Requests in progress, except streams. */
  requests: Gate
  /** Event streams and reads that wait for news. */
  streams: Gate
  /** The memory budget of responses that their clients have not read yet. */
  answers: BodyBudget
  /** Limits acts by key: changes of a webhook and views of its secret, which the access log records; null sets no limit. */
  actRate: RateLimiter | null
  refusals: RefusalLog
  keyErrors: KeyErrors
  /** Counts requests for the access log (docs/inside/11-access.md). */
  access: AccessLog
}

/** The functions of webhooks that requests use. */
export type Delivering = {
  /** Sends the payloads of the test operation. Deliveries may have another sender, in another process. */
  sender: Sender
  endpointPolicy: EndpointPolicy
  /** Test operations in progress, by webhook. */
  tests: Gate
  /** Test operations a minute, by webhook; null sets no limit. */
  testRate: RateLimiter | null
  /** Resends of single events a minute, by webhook; null sets no limit. */
  resendRate: RateLimiter | null
  /** Replays an hour, by webhook; null sets no limit. */
  replayRate: RateLimiter | null
}

/** The parts of a session in a request: its cookie, and the secret of the page. */
export type SessionSecrets = { token: string | undefined; pageSecret: string | undefined }

/** Sessions of people, which are treated like keys. */
export type SessionKeeper = {
  /** Returns the session that the cookie names, if the secret of the page belongs to it. Throws 401 otherwise. */
  authenticate(secrets: SessionSecrets): Promise<HeldSession>
  /** Returns the session as the caller at a location. */
  act(
    session: HeldSession,
    required: { scope: string; ofLocations?: true | undefined },
    chosen: string | undefined,
  ): Promise<Caller>
  /** Throws if the session has ended. */
  confirm(caller: Caller): Promise<void>
  /** Saves when sessions were last used. */
  flush(): Promise<void>
}

export type ConsoleParts = {
  console: {
    /** `/console/` is served. */
    isOn: boolean
    /** Signing in over an unencrypted connection is allowed. */
    isInsecureAllowed: boolean
    /** Folder of the built pages; the default is where the build writes them. */
    folder?: string
  }
  /** Null if no module keeps sessions. */
  sessions: SessionKeeper | null
}

/** The process and its database, available to every part. */
export type Process = {
  pool: Pool
  /** Notifies of commits, including those of other processes. */
  hints: Hints
  /** The highest sequence of each journal seen by this process, and how often one was found rewound. */
  seenHeads: SeenHeads
  /** Receives each error of the database, and each commit. */
  availability: Availability
  clock: () => Date
  startedAt: Date
  /** Aborted when the server will soon close and should get no new requests: `/readyz` then fails. */
  draining: AbortSignal
  /** Aborted when the server is about to close: streams end. */
  closing: AbortSignal
  metrics: HttpMetrics
  registry: Registry
}

export type Shown = {
  /** Base of absolute links, without a trailing slash; null for the host of each request. */
  publicUrl: string | null
  /** `/livez`, `/readyz` and `/metrics` are served. */
  operations: boolean
  /** `/docs` and `/openapi.json` are served. */
  docs: boolean
  /** The settings of the process, as an operator may see them. */
  settings: readonly ShownSetting[]
  limits: {
    /** Maximum bytes of documents in a page of the feed, a chunk of a stream or a history. */
    pageBytes: number
    /** Maximum number of webhooks of a location; 0 sets no limit. */
    webhooksPerLocation: number
    /** Days that attempts stay in the delivery log. */
    deliveryDays: number
    /** Maximum number of warnings listed for a location; the latest are kept. */
    noticesKept: number
  }
}

/** What modules add, each for its own routes. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add to it
export interface ModuleContext {}

export type CoreContext = Reading & Writing & Guarding & Delivering & ConsoleParts & Process & Shown

/**
 * Everything that the HTTP layer works with. `app.ts` receives it and passes it on; routes, guards and answers name the
 * parts that they use.
 */
export type Context = CoreContext & ModuleContext
