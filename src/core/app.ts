import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContextOptions } from 'node:tls'
import fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { compressForConsole } from './http/answers/compressed.ts'
import { limitAnswers } from './http/guard/answer-budget.ts'
import { requireKeys } from './http/guard/auth.ts'
import { isInRanges, type AddressRange } from './domain/addresses/addresses.ts'
import { leadThroughConsole } from './http/guard/door.ts'
import { CountedRequest } from './http/guard/counted-request.ts'
import { openToAll } from './http/guard/cross-origin.ts'
import { catalogRoutes } from './contract/catalog/routes.ts'
import { serverParts } from './modules.ts'
import type { Context } from './http/context.ts'
import type { App } from './http/server-types.ts'
import { rootRoutes } from './http/routes/root.ts'
import { documentationRoutes } from './http/routes/documentation.ts'
import { deliveryDetailRoutes } from './http/routes/delivery-details.ts'
import { replayRoutes } from './http/routes/replays.ts'
import { webhookStatisticsRoutes } from './http/routes/webhook-statistics.ts'
import { deliveryRoutes } from './http/routes/deliveries.ts'
import { eventRoutes } from './http/routes/events.ts'
import { historyRoutes } from './http/routes/history.ts'
import { protectAnswers } from './http/answers/headers.ts'
import { findAmbiguity } from './http/guard/hosts.ts'
import { healthRoutes } from './contract/health/routes.ts'
import { ingestRoutes } from './http/routes/ingest.ts'
import { journalRoutes } from './http/routes/journal.ts'
import { locationRoutes } from './contract/location/routes.ts'
import { metricsRoutes } from './http/routes/metrics.ts'
import { refuseOtherMethods } from './http/guard/refuse-methods.ts'
import { describeOperations } from './http/reference/openapi.ts'
import { orderRoutes } from './contract/orders/routes.ts'
import { answerBrokenRequest, answerProblems, notFound, sendProblem, toAppError } from './http/answers/problems.ts'
import { spreadPipelines } from './http/guard/pipelines.ts'
import { countRequests } from './http/guard/request-end.ts'
import { reportRoutes } from './contract/reports/routes.ts'
import { webhookRoutes } from './contract/webhooks/routes.ts'
import { traceRequests } from './http/tracing.ts'
import { closeUnreadBodies } from './http/guard/unread-bodies.ts'
import { compileValidator, readBodies, requireTextInAddresses } from './http/guard/validation.ts'

declare module './modules.ts' {
  interface ModuleServer {
    routes?(app: App, context: Context, version: string): void
  }
}

export type AppOptions = {
  version: string
  /** Gets one line per refused request, and nothing else. */
  log: FastifyBaseLogger
  /** Proxies whose `x-forwarded-*` headers are trusted. */
  trustProxy: readonly AddressRange[]
  /** The certificate for HTTPS; without it the server speaks HTTP. */
  tls?: SecureContextOptions | undefined
}

const requestIdForm = /^[\w.-]{1,64}$/

/**
 * Idle timeout of a connection, in milliseconds. The connection of a client that does not read its response is closed
 * after twice this time. Must exceed waiting reads (60 s) and the heartbeat of event streams (15 s).
 */
const stalledMs = 120_000

/**
 * Bytes of a request body that are buffered before its connection pauses. Less than one socket read, so a body of many
 * small pieces holds at most one read. Responses are written in one call and do not depend on this limit.
 */
const heldOfBody = 8 * 1024

/** A request without `Host` is refused by Tillgate, because the refusal of Node has no body. */
const connections = { IncomingMessage: CountedRequest, highWaterMark: heldOfBody, requireHostHeader: false }

/**
 * Makes a logger that Fastify passes unchanged to every request. A child logger per request would cost as much as
 * finding the API key. Few requests are logged, and their log lines name the request.
 */
function oneForAll(log: FastifyBaseLogger): FastifyBaseLogger {
  const shared = Object.create(log) as FastifyBaseLogger
  shared.child = () => shared
  return shared
}

/** Returns path and query of a request target in absolute form (RFC 9112, 3.2.2). */
function toOriginForm(url: string): string {
  const { pathname, search } = URL.parse(url) ?? { pathname: url, search: '' }
  return pathname + search
}

async function addRoutes(app: App, context: Context, version: string): Promise<void> {
  orderRoutes(app, context)
  catalogRoutes(app, context)
  locationRoutes(app, context)
  reportRoutes(app, context)
  webhookRoutes(app, context)
  deliveryRoutes(app, context)
  deliveryDetailRoutes(app, context)
  replayRoutes(app, context)
  webhookStatisticsRoutes(app, context)
  eventRoutes(app, context)
  historyRoutes(app, context)
  journalRoutes(app, context)
  metricsRoutes(app, context)
  healthRoutes(app, context)
  await ingestRoutes(app, context)
  documentationRoutes(app, context)
  rootRoutes(app, context)
  for (const part of serverParts()) part.routes?.(app, context, version)
}

/** Builds the HTTP application without listening. Closing it does not close anything in the context. */
export async function buildApp(context: Context, { version, log, trustProxy, tls }: AppOptions): Promise<App> {
  const app: App = fastify({
    ...(tls ? { https: { ...tls, ...connections } } : { http: connections }),
    loggerInstance: oneForAll(log),
    trustProxy: trustProxy.length > 0 && ((address) => isInRanges(address, trustProxy)),
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    connectionTimeout: stalledMs,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 256 },
    rewriteUrl: (request) => {
      const { url = '/' } = request
      const path = url.startsWith('/') ? url : toOriginForm(url)
      return context.console.isOn ? leadThroughConsole(path, request) : path
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(context, log, { error, socket, last: lastOf(socket) }),
    genReqId: ({ headers }) => {
      const given = headers['x-request-id']
      return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID()
    },
    frameworkErrors: (error, request, reply) => void sendProblem(context, request, reply, toAppError(error, request)),
  }).withTypeProvider<TypeBoxTypeProvider>()

  // An unknown expectation may be ignored (RFC 9110, 10.1.1); Node would answer 417 without a body.
  const serve = (request: IncomingMessage, response: ServerResponse) => app.server.emit('request', request, response)
  app.server.on('checkExpectation', serve)
  const lastOf = spreadPipelines(app.server)
  // CONNECT has no path, so no route matches, and Node would close the connection without an answer.
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    const error = Object.assign(new Error('CONNECT is for proxies'), { code: 'CONNECT' })
    answerBrokenRequest(context, log, { error, socket, last: lastOf(socket) })
  })
  app.setValidatorCompiler(compileValidator as never)
  // Responses are stored bytes or small objects that handlers make; tests validate them against their schemas.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  protectAnswers(app)
  // First, so that refused requests are counted too.
  countRequests(app, context)
  traceRequests(app)
  openToAll(app)
  const wrongMethod = refuseOtherMethods(app)
  app.addHook('onRequest', (request, _reply, done) => {
    // Refused before the body is read, because no route would read it.
    const wrong = findAmbiguity(request.raw, request.originalUrl) ?? wrongMethod(request)
    done(wrong ?? (request.is404 ? notFound(request) : undefined))
  })
  requireTextInAddresses(app)
  closeUnreadBodies(app)
  limitAnswers(app, context)
  compressForConsole(app)
  readBodies(app, context)
  answerProblems(app, context)
  requireKeys(app, context)
  await describeOperations(app, version)
  await addRoutes(app, context, version)
  return app
}
