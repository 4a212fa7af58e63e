import { Registry } from 'prom-client'
import type { Config, ModuleConfig, SettingName } from '../config.ts'
import { isOwnAddress } from '../delivery/sender/own-addresses.ts'
import { createSender, type Sender } from '../delivery/sender/send.ts'
import type {
  ConsoleParts,
  Context,
  CoreContext,
  Delivering,
  Guarding,
  Process,
  Reading,
  Shown,
  Writing,
} from '../http/context.ts'
import { AccessLog } from '../http/guard/access-log.ts'
import { answerLimits } from '../http/guard/answer-budget.ts'
import { noneComplete, nothingKnown } from '../http/answers/none-complete.ts'
import { Gate } from '../http/guard/gate.ts'
import { BodyBudget } from '../ingest/receive/body-budget.ts'
import { KeyErrors } from '../http/guard/key-errors.ts'
import { JournalLooks } from '../http/answers/journal-looks.ts'
import { KeyRing } from '../http/guard/key-ring.ts'
import { HttpMetrics } from '../http/metrics.ts'
import { RateLimiter } from '../http/guard/rate-limit.ts'
import { RefusalLog } from '../http/guard/refusals.ts'
import { RequestBodies } from '../http/guard/request-bodies.ts'
import { PushCounts } from '../ingest/receive/push-counts.ts'
import { RejectedPruner } from '../ingest/receive/rejected-pruner.ts'
import { RulesOnly } from '../ingest/watching.ts'
import { modules, serverParts } from '../modules.ts'
import { WriteQueue, type Committed, type WriteConnections } from '../ingest/write/queue.ts'
import { Availability } from '../store/db/availability.ts'
import type { Pool } from '../store/db/database.ts'
import { DayCountCache } from '../contract/paging/day-counts.ts'
import { Hints } from '../store/db/hints.ts'
import { findHead } from '../store/journal/journal.ts'
import { Reader } from '../store/db/reader/reader.ts'
import { SeenHeads } from '../store/journal/seen-heads.ts'
import { openWriteConnections, readConnections } from './connections.ts'
import { showSettings } from '../shown-settings.ts'
import type { Log } from './log.ts'
import { measureIngest } from './metrics/ingest.ts'
import { measureProcess } from './metrics/process.ts'

declare module '../modules.ts' {
  interface ModuleServer {
    /** Makes the module's part of the context, from the parts of earlier modules. */
    open?(context: Context, settings: ContextSettings, log?: Pick<Log, 'warn'>): Partial<Context>
    /** Closes what `open` made. */
    close?(context: Context): void | Promise<void>
  }
}

const limitSettings = [
  'unknownKeys',
  'requestsPerKey',
  'requests',
  'streamsPerKey',
  'streams',
  'webhookTests',
  'webhookReplays',
  'webhookInFlight',
  'webhookSockets',
  'webhooksPerLocation',
  'pageBytes',
  'signIns',
  'noticeDays',
  'noticesKept',
  'accessDays',
  'deliveryRetention',
] as const

/** The settings that the application depends on. Add a new setting here. */
export const contextSettings = [
  'publicUrl',
  'checkpointKey',
  'operations',
  'docs',
  'console',
  'consoleInsecure',
  'rateLimit',
  'rateBurst',
  ...limitSettings,
  'dbPipelining',
  'dbTimeout',
  'allowHttp',
  'allowAddress',
  'operatorNames',
  'modules',
] as const

/** Maximum concurrent tests of one webhook: a test sends a request for every event. */
const testsAtOnce = 1

/** Maximum acts on webhooks by one key in a burst; each act is a row of the access log, kept for over a year. */
const actsAtOnce = 120

/** Maximum events of a webhook that may be sent again in a burst. */
const resendsAtOnce = 30

const replayRule = (perHour: number) => `a webhook can be replayed ${perHour} times per hour`

const testRule = (perMinute: number) => `a webhook can be tested ${perMinute} times per minute`

export type ContextSettings = Pick<Config, (typeof contextSettings)[number]> & Partial<ModuleConfig>

/** Returns the settings that modules need in a server. */
export const moduleSettings = (): readonly SettingName[] =>
  modules().flatMap(({ settings = {}, serves = true }) => (serves ? (Object.keys(settings) as SettingName[]) : []))

export type OpenContext = {
  context: Context
  /** Makes `/readyz` report that no new requests should come. */
  drain(): void
  /** Ends what would last as long as the client wants: event streams and waiting requests. */
  endStreams(): void
  /** Closes everything opened here except the pool. Close the application first. */
  close(): Promise<void>
}

type Warn = Pick<Log, 'warn'> | undefined

function openReading({ pool, hints }: Process, settings: ContextSettings): Reading {
  const { dbPipelining: pipelining, dbTimeout } = settings
  const connections = Math.min(readConnections, pool.connections.most)
  return {
    reader: new Reader(pool, { connections, pipelining, deadlineMs: dbTimeout * 1_000 }),
    dayCounts: new DayCountCache(),
    watermarks: nothingKnown,
    requireComplete: noneComplete,
    replica: null,
    looks: new JournalLooks(hints, async (locationId) => (await findHead(pool, locationId))?.seq ?? 0),
  }
}

function openWriting(
  { pool, clock, hints, availability, seenHeads, registry }: Process,
  settings: ContextSettings,
  connections: WriteConnections | undefined,
  log: Warn,
): Writing {
  const { noticeDays, noticesKept, operatorNames } = settings
  const { committed: measure, unkept } = measureIngest(registry)
  const notices = {
    noticesKept,
    noticeDays,
    onFailed: (err: unknown) => {
      unkept()
      log?.warn({ err }, 'warnings to tills could not be stored, or old ones could not be deleted')
    },
  }
  const onCommit = (locationId: string, batch: Committed) => {
    hints.committed(locationId)
    availability.wrote()
    measure(batch)
  }
  return {
    writer: new WriteQueue(pool, clock, { onCommit, seen: seenHeads, operatorNames, connections }),
    warner: new RulesOnly(pool),
    pushes: new PushCounts(clock),
    notices,
    rejected: new RejectedPruner(pool, clock, notices),
    bodies: new RequestBodies(),
    diskIsLow: () => false,
    dataIsGone: () => false,
    readDisk: async () => null,
  }
}

function openGuarding({ pool, clock, metrics }: Process, settings: ContextSettings, log: Warn): Guarding {
  const { rateLimit, rateBurst, unknownKeys, requestsPerKey, requests, streamsPerKey, streams, accessDays } = settings
  return {
    keys: new KeyRing(pool, clock, { unknownPerSecond: unknownKeys }),
    limiter: rateLimit === 0 ? null : new RateLimiter(rateLimit, rateBurst),
    requests: new Gate('requests of one key', { perKey: requestsPerKey, perProcess: requests }),
    streams: new Gate('streams and long polls of one key', { perKey: streamsPerKey, perProcess: streams }),
    answers: new BodyBudget(answerLimits),
    actRate: rateLimit === 0 ? null : new RateLimiter(1, actsAtOnce, 'a key can change webhooks once per second'),
    refusals: new RefusalLog((code) => metrics.refused(code)),
    keyErrors: new KeyErrors(clock),
    access: new AccessLog(pool, clock, accessDays, (minutes) => {
      log?.warn({ minutes }, 'access log entries of some minutes are lost: the database did not store them in time')
    }),
  }
}

function openDelivering(settings: ContextSettings, sender: Sender | undefined): Delivering {
  const { rateLimit, allowHttp, allowAddress, webhookTests, webhookReplays, webhookInFlight, webhookSockets } = settings
  return {
    sender:
      sender ??
      createSender({
        allowHttp,
        allowAddresses: allowAddress,
        maxConnectionsPerEndpoint: webhookInFlight,
        maxSockets: webhookSockets,
      }),
    endpointPolicy: { allowHttp, allowAddresses: allowAddress, isOwnAddress },
    tests: new Gate('tests of one webhook', { perKey: testsAtOnce, perProcess: 0 }),
    testRate: webhookTests === 0 ? null : new RateLimiter(webhookTests / 60, webhookTests, testRule(webhookTests)),
    resendRate:
      rateLimit === 0 ? null : new RateLimiter(0.5, resendsAtOnce, 'an event can be resent every two seconds'),
    replayRate:
      webhookReplays === 0 ? null : new RateLimiter(webhookReplays / 3_600, webhookReplays, replayRule(webhookReplays)),
  }
}

function openConsole(settings: ContextSettings): ConsoleParts {
  return { console: { isOn: settings.console, isInsecureAllowed: settings.consoleInsecure }, sessions: null }
}

function shown(settings: ContextSettings): Shown {
  const { publicUrl, operations, docs, pageBytes, webhooksPerLocation, deliveryRetention, noticesKept } = settings
  return {
    publicUrl,
    operations,
    docs,
    settings: showSettings(settings),
    limits: { pageBytes, webhooksPerLocation, deliveryDays: deliveryRetention, noticesKept },
  }
}

/**
 * Builds the context of the application on an open pool; nothing connects before it is used. The server, the tests and
 * the script that writes the OpenAPI document all use this function. `parts` replace the default parts.
 */
export function openContext(
  pool: Pool,
  settings: ContextSettings,
  parts: Partial<Context> = {},
  log?: Pick<Log, 'warn'>,
): OpenContext {
  const clock = parts.clock ?? (() => new Date())
  const draining = new AbortController()
  const closing = new AbortController()
  const registry = parts.registry ?? new Registry()
  const availability = parts.availability ?? new Availability(pool)
  const process: Process = {
    pool,
    clock,
    startedAt: clock(),
    hints: parts.hints ?? new Hints(pool),
    seenHeads: new SeenHeads(),
    availability,
    draining: draining.signal,
    closing: closing.signal,
    metrics: parts.metrics ?? new HttpMetrics(registry),
    registry,
  }
  const writeConnections = openWriteConnections(pool, settings.dbTimeout * 1_000)
  const writing = openWriting(process, settings, writeConnections, log)
  const core: CoreContext = {
    ...process,
    ...openReading(process, settings),
    ...writing,
    ...openGuarding(process, settings, log),
    ...openDelivering(settings, parts.sender),
    ...openConsole(settings),
    ...shown(settings),
    ...parts,
  }
  const context = core as Context
  for (const part of serverParts()) Object.assign(context, part.open?.(context, settings, log))
  Object.assign(context, parts)
  measureProcess(context)
  return {
    context,
    drain: () => draining.abort(),
    endStreams: () => closing.abort(),
    async close() {
      await Promise.all(serverParts().map(async (part) => part.close?.(context)))
      availability.close()
      context.reader.end()
      if (writeConnections)
        await Promise.all([writeConnections.small.end({ timeout: 1 }), writeConnections.long.end({ timeout: 1 })])
      await Promise.all([context.hints.close(), context.sender.close()])
    },
  }
}
