import type { FastifyInstance } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Scope } from '../schemas/scopes.ts'
import type { ApiKey } from '../store/accounts/api-keys.ts'
import type { HandedOut } from './guard/access-log.ts'
import type { WrittenRanges } from './guard/written-ranges.ts'

/** A session of a person; the module that keeps sessions adds members. */
export interface HeldSession {
  /** SHA-256 of its token. */
  hash: string
}

/** The caller of a request: an API key, or a console session, which is treated like a key. */
export type Caller = ApiKey & { session?: HeldSession }

/** A Fastify instance that types requests and answers by the TypeBox schemas of each route. */
export type App = FastifyInstance<any, any, any, any, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyRequest {
    /** Config and URL of its route. Fastify creates `routeOptions` on every access. */
    route: FastifyContextConfig & { url?: string }
    /** The caller's key, or the session in its place; set on every route that has a `scope` in its config. */
    key: Caller
    /** The documents in the response, for the access log; null if it has none. */
    handedOut: HandedOut | null
    /** What the request wrote to the journal, for the access log; null if it wrote nothing. */
    written: WrittenRanges | null
    /** The body as received, on a route that keeps it. */
    bodyBytes?: Buffer
  }
  interface FastifyContextConfig {
    /** The scope that the route requires; `any` accepts every valid key of a location. Without it the route is public. */
    scope?: Scope | 'any'
    /** A route of scope `any` that also accepts keys of the installation. */
    takesAdmin?: true
    /** The request is written to the access log as an act, and counts toward the rate of acts. */
    acts?: true
    /** Maximum bytes of a JSON body, if less than usual. */
    bodyAtMost?: number
    /** Keeps the JSON body as received, for a signature over it. */
    keepsBytes?: true
    /** The handler counts the request itself: in `streams` if it waits or streams, else in `requests`. */
    mayWait?: true
    /** If a session names no location, the operation answers for all its locations. */
    ofLocations?: true
    /** Responses state the time until which everything of the location has arrived. */
    sendsCompleteUntil?: true
  }
}
