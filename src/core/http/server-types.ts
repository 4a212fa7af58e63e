import type { FastifyInstance } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Scope } from '../schemas/scopes.ts'
import type { ApiKey } from '../store/accounts/api-keys.ts'
import type { HandedOut } from './guard/access-log.ts'
import type { WrittenRanges } from './guard/written-ranges.ts'

/** A session of a person; the module that keeps sessions says what else it is. */
export interface HeldSession {
  /** SHA-256 of its token. */
  hash: string
}

/** The caller of a request is an API key, or a console session, which is treated like a key. */
export type Caller = ApiKey & { session?: HeldSession }

/**
 * The application is a Fastify instance whose types of request and answer come from the TypeBox schemas of each route.
 */
export type App = FastifyInstance<any, any, any, any, TypeBoxTypeProvider>

declare module 'fastify' {
  interface FastifyRequest {
    /** Config and URL of its route. Fastify creates `routeOptions` on every access. */
    route: FastifyContextConfig & { url?: string }
    /** The caller's key, or the session in its place; set on every route that has a `scope` in its config. */
    key: Caller
    /** The documents that the response contains, for the access log; null when it contains none. */
    handedOut: HandedOut | null
    /** What the request wrote to the journal, for the access log; null when it wrote nothing. */
    written: WrittenRanges | null
    /** The body as it came, on a route that keeps it. */
    bodyBytes?: Buffer
  }
  interface FastifyContextConfig {
    /** Scope the route asks for; `any` takes every valid key of a location. Without it the route is public. */
    scope?: Scope | 'any'
    /** A route of scope `any` that takes keys of the installation too. */
    takesAdmin?: true
    /** It is written to the access log as an act, and counted by the rate of acts. */
    acts?: true
    /** Bytes of a JSON body at most, where it is less than usual. */
    bodyAtMost?: number
    /** Its JSON body is kept as it came, for a signature over it. */
    keepsBytes?: true
    /** The handler counts the request itself, since it may last for months. */
    mayWait?: true
    /** It answers of all locations of a session that names none. */
    ofLocations?: true
    /** Its answers say until when everything of the location has arrived. */
    tellsCompleteness?: true
  }
}
