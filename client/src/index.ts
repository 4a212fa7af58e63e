export type * from './api.ts'
export { Tillgate, type ClientOptions } from './client.ts'
export { TillgateError, type ClientCode, type ProblemCode } from './errors.ts'
export type { BookFileForm, Books } from './books.ts'
export type { Checkpoints } from './checkpoints.ts'
export type { ExportedTable, Exports } from './exports.ts'
export type { Closings } from './closings.ts'
export type { CacheStore } from './etags.ts'
export type { EventsOptions, EventText, EventType, FeedPosition, TillgateEvent } from './events.ts'
export type { IngestOptions, IngestVerdict, PushedRecord } from './ingest.ts'
export type { List } from './pages.ts'
export type { CopyChange, CopyKey, CopyStore, SyncOptions, SyncResult } from './sync.ts'
export type { Call } from './transport.ts'
export {
  verifyWebhook,
  WebhookRefused,
  type HeaderSource,
  type SeenIds,
  type VerifiedWebhook,
  type VerifyOptions,
} from './verify-webhook.ts'
export { toFetchHandler, toNodeHandler, type WebhookHandlerOptions } from './webhook-handlers.ts'
