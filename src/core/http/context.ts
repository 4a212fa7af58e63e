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

/** Bytes of a disk: pushes are refused while less than `reserveBytes` are free. */
export type DiskState = {
  freeBytes: number
  totalBytes: number
  reserveBytes: number
  /** How much less is free each day since then, and in how many days pushes are refused; null while that is not known yet. */
  trend: { since: string; bytesPerDay: number; daysLeft: number | null } | null
}

/** Says until when everything of a location has arrived. */
export type CompleteUntil = {
  /** Returns whether anything was read of a location yet; if not, `warm` does it. */
  isWarm(locationId: string): boolean
  warm(locationId: string): Promise<void>
  /** Returns what held at a number of the journal; null while nothing is known. */
  at(locationId: string, sequence: number): string | null
}

/** Days of the location, or moments. */
export type ReadRange = DayRange | MomentRange

/** What reads answer from. */
export type Reading = {
  /** For stored documents as bytes; the pool does everything else. */
  reader: Reader
  dayCounts: DayCountCache
  /** Until when everything of a location has arrived. */
  watermarks: CompleteUntil
  /** Throws where a caller wants a range of days only as a whole and something of it is missing. */
  requireComplete: (request: FastifyRequest, range: ReadRange) => Promise<void>
  /** The read replica; null when none is configured. */
  replica: Replica | null
  /** Whether a journal has news, for streams that no hint has woken. */
  looks: JournalLooks
}

/** What pushes go through. */
export type Writing = {
  writer: WriteQueue
  /** Looks at the records of pushes. */
  warner: Watcher
  /** How much each till has pushed, and how much of it was stale. */
  pushes: PushCounts
  /** How many warnings and rejected records are kept. */
  notices: NoticeLimits
  /** Deletes rejected records that are too old or too many. */
  rejected: RejectedPruner
  bodies: RequestBodies
  /** Whether too little disk is free to take pushes. */
  diskIsLow: () => boolean
  /** Whether the files of the embedded database are not where they were: deleted, or their disk unmounted. */
  dataIsGone: () => boolean
  /** Resolves to how full the disk of the embedded database is; null where that is not on this machine, or cannot be read. */
  readDisk: () => Promise<DiskState | null>
}

/** Who may ask, and how much. */
export type Guarding = {
  keys: KeyRing
  limiter: RateLimiter | null
  /** Requests under way, without the streams. */
  requests: Gate
  /** Event streams and reads that wait for news. */
  streams: Gate
  /** The memory budget of responses that their clients have not read yet. */
  answers: BodyBudget
  /** Acts by key: what changes a webhook or shows its secret, and is written to the access log; null sets no limit. */
  actRate: RateLimiter | null
  /** Logs the requests that were refused. */
  refusals: RefusalLog
  /** What each key was refused for. */
  keyErrors: KeyErrors
  /** Counts requests for the access log (docs/inside/11-access.md). */
  access: AccessLog
}

/** Webhooks, as far as requests have to do with them. */
export type Delivering = {
  /** For the test operation; the delivery engine may run elsewhere. */
  sender: Sender
  /** Which endpoint URLs are allowed. */
  endpointPolicy: EndpointPolicy
  /** Test operations under way, by webhook. */
  tests: Gate
  /** Test operations a minute, by webhook; null sets no limit. */
  testRate: RateLimiter | null
  /** Single events that are sent again, by webhook; null sets no limit. */
  resendRate: RateLimiter | null
  /** Replays an hour, by webhook; null sets no limit. */
  replayRate: RateLimiter | null
}

/** What a request brings of a session: its cookie, and the secret of the page. */
export type SessionSecrets = { token: string | undefined; pageSecret: string | undefined }

/** Sessions of people, which are treated like keys. */
export type SessionKeeper = {
  /** Returns the session of the cookie for requests of its own page. Throws 401 if there is none. */
  authenticate(secrets: SessionSecrets): Promise<HeldSession>
  /** Returns the caller that a session is at a location. */
  act(
    session: HeldSession,
    asked: { scope: string; ofLocations?: true | undefined },
    chosen: string | undefined,
  ): Promise<Caller>
  /** Throws where the session has ended. */
  confirm(caller: Caller): Promise<void>
  /** Writes when sessions were last used. */
  flush(): Promise<void>
}

/** The console and its sessions. */
export type ConsoleParts = {
  console: {
    /** `/console/` answers. */
    isOn: boolean
    /** Signing in over a wire that is not encrypted is allowed. */
    isInsecureAllowed: boolean
    /** Where the built pages are; where the build writes them if it is left out. */
    folder?: string
  }
  /** Null where no module keeps sessions. */
  sessions: SessionKeeper | null
}

/** The process and its database, available to every part. */
export type Process = {
  pool: Pool
  /** Tells of commits, those of other processes too. */
  hints: Hints
  /** How far this process has seen each journal, and how often one was found set back. */
  seenHeads: SeenHeads
  /** Told of each error of the database, and of each commit. */
  availability: Availability
  clock: () => Date
  startedAt: Date
  /** Aborted when the server will soon close, so that no new requests should come: `/readyz` says so. */
  draining: AbortSignal
  /** Aborted when the server is about to close: streams end. */
  closing: AbortSignal
  metrics: HttpMetrics
  /** Where the metrics of this process are registered. */
  registry: Registry
}

/** What the settings say of answers. */
export type Shown = {
  /** Base of absolute links, without a trailing slash; null takes the request's own host. */
  publicUrl: string | null
  /** `/livez`, `/readyz` and `/metrics` answer. */
  operations: boolean
  /** `/docs` and `/openapi.json` answer. */
  docs: boolean
  /** The settings it runs with, as an operator may see them. */
  settings: readonly ShownSetting[]
  limits: {
    /** Bytes of documents in a page of the feed, a stretch of a stream or a history. */
    pageBytes: number
    /** Webhooks that a location may have; 0 sets no limit. */
    webhooksPerLocation: number
    /** Days that attempts stay in the delivery log. */
    deliveryDays: number
    /** Warnings of a location that are listed: the latest. */
    noticesKept: number
  }
}

/** What modules add, each for its own routes. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add to it
export interface ModuleContext {}

/** What the core makes of the context. */
export type CoreContext = Reading & Writing & Guarding & Delivering & ConsoleParts & Process & Shown

/**
 * Everything that the HTTP layer works with; `app.ts` receives it and passes it on. Routes, guards and answers name the areas
 * that they use.
 */
export type Context = CoreContext & ModuleContext
