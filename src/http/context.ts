import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { EndpointPolicy } from '../domain/addresses/endpoint-url.ts'
import type { Sender } from '../delivery/sender/send.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { Verifier } from '../projections/verifier.ts'
import type { Watermarks } from '../projections/watermarks.ts'
import type { Warner } from '../ingest/warn/warner.ts'
import type { Writer } from '../ingest/write/writer.ts'
import type { ApiKey } from '../store/accounts/api-keys.ts'
import type { Availability } from '../store/db/availability.ts'
import type { Pool } from '../store/db/database.ts'
import type { DayCountCache } from '../store/documents/day-counts.ts'
import type { Hints } from '../store/db/hints.ts'
import type { JournalLooks } from './answers/journal-looks.ts'
import type { Reader } from '../store/db/reader/reader.ts'
import type { Replica } from '../store/documents/replica.ts'
import type { SeenHeads } from '../store/journal/seen-heads.ts'
import type { HeldSession } from '../store/accounts/console-sessions.ts'
import type { AdminSetting } from '../schemas/installation.ts'
import type { AccessLog, HandedOut } from './guard/access-log.ts'
import type { Sessions } from './guard/sessions.ts'
import type { BodyBudget } from '../ingest/receive/body-budget.ts'
import type { Gate } from './guard/gate.ts'
import type { KeyErrors } from './guard/key-errors.ts'
import type { KeyRing } from './guard/key-ring.ts'
import type { HttpMetrics } from './metrics.ts'
import type { RateLimiter } from './guard/rate-limit.ts'
import type { RefusalLog } from './guard/refusals.ts'
import type { RequestBodies } from './guard/request-bodies.ts'

/** The caller of a request is an API key, or a console session, which is treated like a key. */
export type Caller = ApiKey & { session?: HeldSession }

/** The context has everything the HTTP layer works with; `app.ts` receives it and passes it on. */
export type Context = {
  pool: Pool
  /** For stored documents as bytes; the pool does everything else. */
  reader: Reader
  dayCounts: DayCountCache
  /** Until when everything of a location has arrived. */
  watermarks: Watermarks
  /** Runs the verifications of journals that were requested over HTTP. */
  verifier: Verifier
  /** The read replica; null when none is configured. */
  replica: Replica | null
  writer: Writer
  /** Tells tills of mistakes that are no reason to refuse. */
  warner: Warner
  /** How bodies are received. */
  bodies: RequestBodies
  /** The memory budget of responses that their clients have not read yet. */
  answers: BodyBudget
  /** How far this process has seen each journal, and how often one was found set back. */
  seenHeads: SeenHeads
  /** Told of each error of the database, and of each commit. */
  availability: Availability
  keys: KeyRing
  /** Sessions of the console. */
  sessions: Sessions
  /** Tries to sign in, by address; null sets no limit. */
  signInRate: RateLimiter | null
  /** Links into the console, by key; null sets no limit. */
  linkRate: RateLimiter | null
  console: {
    /** `/console/` answers. */
    isOn: boolean
    /** Signing in over a wire that is not encrypted is allowed. */
    isInsecureAllowed: boolean
    /** Where the built pages are; where the build writes them if it is left out. */
    folder?: string
  }
  limiter: RateLimiter | null
  /** Requests under way, without the streams. */
  requests: Gate
  /** Event streams and reads that wait for news. */
  streams: Gate
  /** Test operations under way, by webhook. */
  tests: Gate
  /** Test operations a minute, by webhook; null sets no limit. */
  testRate: RateLimiter | null
  /** Replays an hour, by webhook; null sets no limit. */
  replayRate: RateLimiter | null
  limits: {
    /** Bytes of documents in a page of the feed, a stretch of a stream or a history. */
    pageBytes: number
    /** Webhooks that a location may have; 0 sets no limit. */
    webhooksPerLocation: number
    /** Days that attempts stay in the delivery log. */
    deliveryDays: number
  }
  /** Tells of commits, those of other processes too. */
  hints: Hints
  /** Whether a journal has news, for streams that no hint has woken. */
  looks: JournalLooks
  /** For the test operation; the delivery engine may run elsewhere. */
  sender: Sender
  /** Which endpoint URLs are allowed. */
  endpointPolicy: EndpointPolicy
  /** Aborted when the server will soon close, so that no new requests should come: `/readyz` says so. */
  draining: AbortSignal
  /** Aborted when the server is about to close: streams end. */
  closing: AbortSignal
  clock: () => Date
  startedAt: Date
  /** Base of absolute links, without a trailing slash; null takes the request's own host. */
  publicUrl: string | null
  /** `/livez`, `/readyz` and `/metrics` answer. */
  operations: boolean
  /** Whether too little disk is free to take pushes. */
  diskIsLow: () => boolean
  /** The settings it runs with, as an operator may see them. */
  settings: readonly AdminSetting[]
  /** `/docs` and `/openapi.json` answer. */
  docs: boolean
  /** Logs the requests that were refused. */
  refusals: RefusalLog
  metrics: HttpMetrics
  /** What each key was refused for. */
  keyErrors: KeyErrors
  /** Where the metrics of this process are registered. */
  registry: Registry
  /** Counts requests for the access log (decision 0037). */
  access: AccessLog
}

/**
 * The application is a Fastify instance whose types of request and answer come from the TypeBox schemas of each route.
 */
export type App = FastifyInstance<any, any, any, any, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyRequest {
    /** The config of its route, and its URL if it has one. Fastify makes `routeOptions` anew whenever somebody looks. */
    route: FastifyContextConfig & { url?: string }
    /** The caller's key, or the session in its place; set on every route that has a `scope` in its config. */
    key: Caller
    /** The documents that the response contains, for the access log; null when it contains none. */
    handedOut: HandedOut | null
  }
  interface FastifyContextConfig {
    /** Scope the route asks for; `any` takes every valid key of a location. Without it the route is public. */
    scope?: Scope | 'any'
    /** A route of scope `any` that takes keys of the installation too. */
    takesAdmin?: true
    /** The handler counts the request itself, since it may last for months. */
    mayWait?: true
    /** Its answers say until when everything of the location has arrived. */
    tellsCompleteness?: true
  }
}

/**
 * Returns whether the caller speaks HTTPS, to Tillgate itself or to a trusted proxy that says so. The scheme has no case (RFC 3986,
 * 3.1), and anything else that a proxy sends counts as http: `javascript` must not become the scheme of a link.
 */
export function usesHttps(request: FastifyRequest): boolean {
  // A body that was not read to its end takes the socket with it, and with the socket the protocol.
  return Boolean(request.raw.socket) && request.protocol.toLowerCase() === 'https'
}

/** Matches a host name or a bracketed IPv6 address, with an optional port. Anything else must not get into a link. */
const hostForm = /^[a-z0-9.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i

/**
 * Returns the base of absolute links, such as `https://pos.example`: the configured one, or the host that the caller
 * used.
 */
export function baseUrl(context: Pick<Context, 'publicUrl'>, request: FastifyRequest): string {
  if (context.publicUrl !== null) return context.publicUrl
  const host = hostForm.test(request.host) ? request.host : 'localhost'
  const protocol = usesHttps(request) ? 'https' : 'http'
  const base = `${protocol}://${host}`
  return URL.canParse(base) ? base : `${protocol}://localhost`
}
