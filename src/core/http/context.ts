import type { Registry } from 'prom-client'
import type { EndpointPolicy } from '../contract/webhooks/endpoint-url.ts'
import type { Sender } from '../delivery/sender/send.ts'
import type { pollingDeps } from '../../modules/sources/polling/parts.ts'
import type { SigningKey } from '../../modules/proofs/projections/signing-key.ts'
import type { Verifier } from '../../modules/operations/projections/verifier.ts'
import type { Watermarks } from '../../modules/figures/projections/watermarks.ts'
import type { Warner } from '../../modules/warnings/ingest/warner.ts'
import type { WriteQueue } from '../ingest/write/queue.ts'
import type { Availability } from '../store/db/availability.ts'
import type { Pool } from '../store/db/database.ts'
import type { DayCountCache } from '../contract/paging/day-counts.ts'
import type { Hints } from '../store/db/hints.ts'
import type { JournalLooks } from './answers/journal-looks.ts'
import type { Reader } from '../store/db/reader/reader.ts'
import type { Replica } from '../store/documents/replica.ts'
import type { SeenHeads } from '../store/journal/seen-heads.ts'
import type { AdminSetting } from '../../modules/operations/schemas/installation.ts'
import type { AccessLog } from './guard/access-log.ts'
import type { Sessions } from '../../modules/console/http/sessions.ts'
import type { BodyBudget } from '../ingest/receive/body-budget.ts'
import type { Gate } from './guard/gate.ts'
import type { KeyErrors } from './guard/key-errors.ts'
import type { KeyRing } from './guard/key-ring.ts'
import type { Lookups } from './guard/lookups.ts'
import type { SourceRow } from '../../modules/sources/store/sources.ts'
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

/** What reads answer from. */
export type Reading = {
  /** For stored documents as bytes; the pool does everything else. */
  reader: Reader
  dayCounts: DayCountCache
  /** Until when everything of a location has arrived. */
  watermarks: Watermarks
  /** Runs the verifications of journals that were requested over HTTP. */
  verifier: Verifier
  /** The read replica; null when none is configured. */
  replica: Replica | null
  /** Whether a journal has news, for streams that no hint has woken. */
  looks: JournalLooks
}

/** What pushes go through. */
export type Writing = {
  writer: WriteQueue
  /** Tells tills of mistakes that are no reason to refuse. */
  warner: Warner
  bodies: RequestBodies
  /** Whether too little disk is free to take pushes. */
  diskIsLow: () => boolean
  /** Whether the files of the embedded database are not where they were: deleted, or their disk unmounted. */
  dataIsGone: () => boolean
  /** Resolves to how full the disk of the embedded database is; null where that is not on this machine, or cannot be read. */
  readDisk: () => Promise<DiskState | null>
}

/** Systems whose sales are read. */
export type Polling = {
  /** What asks them, and what runs of them need. */
  polling: ReturnType<typeof pollingDeps>
  /** Sources by their ids, for who rings: strangers may, so unknown ones have a budget. */
  bells: Lookups<SourceRow>
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
  /** Counts requests for the access log (docs/internals/access.md). */
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
  sessions: Sessions
  /** Tries to sign in, by address; null sets no limit. */
  signInRate: RateLimiter | null
  /** Links into the console, by key; null sets no limit. */
  linkRate: RateLimiter | null
}

/** Signed heads of the journals. */
export type Signing = {
  /** Signs checkpoints, under this name of the installation; null where no key is named. */
  signing: { signer: SigningKey; logName: string } | null
  /** Checkpoints by hand an hour, by location; null sets no limit. */
  checkpointRate: RateLimiter | null
}

/** The process and its database, of which every part knows. */
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
  settings: readonly AdminSetting[]
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

/**
 * Everything that the HTTP layer works with; `app.ts` receives it and passes it on. Routes, guards and answers name the areas
 * that they use.
 */
export type Context = Reading & Writing & Polling & Guarding & Delivering & Signing & ConsoleParts & Process & Shown
