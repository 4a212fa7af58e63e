import type { FaultCode } from './faults.ts'

/**
 * The closed table of problem codes: status, title and what the caller can do. It is the source of the OpenAPI enum,
 * the pages under `/docs/errors/` and every problem document; a test compares code, docs and schema.
 */
export const problems = {
  validation_failed: [400, 'The request is not valid', 'See `errors`: each entry says where and what to change.'],
  body_invalid: [
    400,
    'The body cannot be parsed',
    'Send a body that matches its content type; `detail` says where it fails.',
  ],
  request_malformed: [400, 'The request is not valid HTTP', 'Send an HTTP/1.1 request with a Host header.'],
  too_many_events: [
    400,
    'The replay selects too many events',
    'Choose a shorter range. A replay without `until`, `types` and `onlyFailed` may have any length.',
  ],
  nothing_usable: [400, 'No record could be stored', 'Correct the faults in `results`, then send the records again.'],
  key_missing: [401, 'An API key is required', 'Send the key in the `X-API-Key` header or as `Authorization: Bearer`.'],
  key_unknown: [401, 'The API key is not known', 'Check that the key was copied completely. A key is shown only once.'],
  key_expired: [401, 'The API key has expired', 'Ask the provider for a new key.'],
  key_revoked: [401, 'The API key was revoked', 'Ask the provider for a new key.'],
  bell_refused: [
    401,
    'The notification cannot be verified',
    'On the source, set the signing key of the point-of-sale system. In that system, set the URL of this operation.',
  ],
  session_missing: [401, 'Sign-in is required', 'Sign in at `/console/`.'],
  session_ended: [401, 'The session has ended', 'Sign in again.'],
  code_invalid: [401, 'The link cannot be used', 'A link works once and for a limited time. Ask for a new one.'],
  passkey_refused: [
    401,
    'The passkey is not accepted',
    'The passkey was removed, has expired, or was made for another web address. Sign in with a link and add a new passkey.',
  ],
  cross_site: [
    403,
    'Cross-site requests are not allowed',
    'Only the console may call `/console/api/`. Programs call `/v1/` with a key.',
  ],
  console_insecure: [
    403,
    'Sign-in needs an encrypted connection',
    'Use https or a tunnel to 127.0.0.1. `TILLGATE_CONSOLE_INSECURE=on` allows plain HTTP.',
  ],
  scope_missing: [403, 'The API key lacks a scope', 'Use a key with the scope that `detail` names.'],
  location_required: [400, 'The session has several locations', 'Name one of them in the header `Tillgate-Location`.'],
  location_forbidden: [403, 'The API key belongs to another location', 'Use the location id of the key.'],
  recipient_forbidden: [403, 'The API key belongs to another recipient', 'Use the recipient id of the key.'],
  location_inactive: [403, 'The location is not active', 'Ask the provider to activate it again. The key stays valid.'],
  route_not_found: [404, 'Path not found', 'See `/docs` for the paths.'],
  version_unsupported: [404, 'API version not supported', 'Use a version that `detail` names.'],
  order_not_found: [404, 'Order not found', 'Check the id; orders of other locations are not visible.'],
  report_not_found: [404, 'Report not found', 'Check the id; reports of other locations are not visible.'],
  entry_not_found: [
    404,
    'Journal entry not found',
    'Use a number up to `head` of `GET /v1/events/`. Numbers that a `resumed` entry skipped have no entry.',
  ],
  verification_not_found: [
    404,
    'Verification not found',
    'Check the id in `GET /v1/journal/verifications/`. The latest 100 of a location are kept.',
  ],
  webhook_not_found: [
    404,
    'Webhook not found',
    'Check the id; webhooks of other locations and recipients are not visible.',
  ],
  location_not_found: [404, 'Location not found', 'Check the id.'],
  source_not_found: [404, 'Source not found', 'Check the id in `GET /v1/admin/sources/`.'],
  delivery_not_found: [
    404,
    'Delivery attempt not found',
    'Check the id. Old attempts are deleted, and those of other webhooks are not visible.',
  ],
  entry_source_not_found: [
    404,
    'Z report or business day not found',
    'Use the id of a report, or the date of a business day with entries.',
  ],
  batch_not_found: [404, 'Batch not found', 'Check the number in `GET /v1/books/batches/`.'],
  checkpoint_not_found: [
    404,
    'Checkpoint not found',
    'See `GET /v1/checkpoints/`; `POST /v1/checkpoints/` creates one.',
  ],
  closing_not_found: [404, 'Closing not found', 'Check the period and number in `GET /v1/closings/`.'],
  key_not_found: [404, 'Key not found', 'Check the id in `GET /v1/admin/keys/`.'],
  passkey_not_found: [404, 'Passkey not found', 'Check the id; passkeys of other people are not visible.'],
  session_not_found: [404, 'Session not found', 'Check the id; sessions of other people are not visible.'],
  method_not_allowed: [405, 'Method not allowed', 'Use a method from the `Allow` header.'],
  request_timeout: [
    408,
    'The request took too long to arrive',
    'Send the headers and the body within a minute, without a pause of 30 seconds.',
  ],
  webhook_ambiguous: [409, 'Several webhooks match', 'Send the `id` of the webhook to update.'],
  sequence_ahead: [
    409,
    'The sequence does not exist',
    'If you have read entries beyond `after`, the database was restored to an earlier state, and those entries may be lost or replaced. Continue from `after` with `epoch`.',
  ],
  epoch_changed: [
    409,
    'The journal has a new epoch',
    'The journal was restored to an earlier state, or started again. Entries that you read beyond `after` are not in the journal. Continue from `after` with `epoch`.',
  ],
  documents_aside: [
    410,
    'The requested version is archived',
    'Earlier versions of orders of closed years were archived. Continue after the sequence `after`, or ask the operator to bring them back.',
  ],
  webhook_limit: [409, 'Webhook limit reached', 'Delete an unused webhook; `detail` names the limit.'],
  session_not_renewable: [
    409,
    'The session cannot be extended',
    'The link sets how long a session may last. Ask for a new link.',
  ],
  passkey_limit: [409, 'Passkey limit reached', 'Remove an unused passkey; `detail` names the limit.'],
  passkey_known: [409, 'This device already has a passkey', 'Sign in with it, or remove it first.'],
  location_exists: [409, 'A location with this id already exists', 'Use another id, or omit it.'],
  key_ended: [409, 'The key is no longer valid', 'Create a new key.'],
  webhook_stopped: [409, 'The operator disabled the webhook', 'Ask the operator to enable it.'],
  source_inactive: [409, 'The source is paused or stopped', 'Resume it with `POST /v1/admin/sources/{id}/resume`.'],
  source_failed: [409, 'The point-of-sale system of the source failed', 'Correct what `detail` names, then try again.'],
  webhook_disabled: [409, 'The webhook is disabled', 'Enable it first with `POST /v1/webhooks/{id}/enable`.'],
  replay_running: [
    409,
    'A replay is in progress',
    'Wait until it has sent its events. `GET /v1/webhooks/{id}/status` shows its progress in `sequence`.',
  ],
  incomplete: [
    409,
    'Business days are not complete',
    'Try again later, or without `require`. `devices` lists the devices that have not reported.',
  ],
  entry_refused: [409, 'The entry cannot be booked', 'See `reasons`. An accountant can accept the Z report.'],
  books_incomplete: [
    409,
    'Part of the range cannot be booked',
    'See `days` and `refused`. Correct them, accept the Z reports, or leave them out with `skip`.',
  ],
  accounts_unmapped: [
    409,
    'Accounts are missing',
    'Assign an account to each of `names` with `PUT /v1/books/accounts` first, because an issued entry cannot be changed.',
  ],
  batch_exists: [
    409,
    'The last batch has another number',
    'Read the batches numbered above `after`: an earlier attempt may already have issued your batch. To issue another batch, send `number` as `after`.',
  ],
  batch_changed: [409, 'The entries changed since they were counted', 'Count again with `dryRun`, then issue.'],
  not_checkpointed: [
    409,
    'The entry is newer than the checkpoint',
    'Create a checkpoint (`POST /v1/checkpoints/`), or wait for the next closing. `size` is the size of the last checkpoint.',
  ],
  signing_off: [
    409,
    'Signing is not configured',
    'The operator creates a key with `tillgate checkpoint key` and sets `TILLGATE_CHECKPOINT_KEY` to its file.',
  ],
  closing_exists: [
    409,
    'The last closing has another number',
    'Read the closings numbered above `after`: an earlier attempt may already have made your closing. To make another closing, send `number` as `after`.',
  ],
  format_unsuitable: [409, 'The format is not available for the location', 'FEC requires euros: use another format.'],
  webhook_id_taken: [409, 'The webhook id is taken', 'Use another id, or omit it.'],
  accounts_changed: [
    412,
    'The accounts changed after they were read',
    'Read them again, and send `If-Match` with the new `ETag`.',
  ],
  body_too_large: [
    413,
    'The body is too large',
    'Send a smaller body. Records can be sent to `/v1/ingest/` as NDJSON of any length.',
  ],
  media_type_unsupported: [415, 'The content type is not supported', 'Use a content type that `detail` names.'],
  host_unknown: [421, 'Host name not recognized', 'Use 127.0.0.1 or the host of `TILLGATE_PUBLIC_URL`.'],
  headers_too_large: [431, 'The headers are too large', 'Keep the URL and headers below 16 KiB in total.'],
  rate_limited: [429, 'Too many requests', 'Wait for the number of seconds in `Retry-After`.'],
  too_much_at_once: [
    429,
    'This key is sending too much at once',
    'Wait until the requests in progress end, or send NDJSON in smaller pieces.',
  ],
  too_many_under_way: [429, 'Too many requests in progress', 'Wait until some of them are answered, or cancel them.'],
  shutting_down: [
    503,
    'The server is shutting down',
    'Send the request again: another server, or this server after a restart, will answer.',
  ],
  internal_error: [500, 'The server failed unexpectedly', 'Try again. If it fails again, report the `requestId`.'],
  overloaded: [503, 'The server is overloaded', 'Try again after the number of seconds in `Retry-After`.'],
  figures_building: [
    503,
    'The figures of the location are being built',
    'Try again after the number of seconds in `Retry-After`. Progress is kept.',
  ],
  journal_rewound: [
    503,
    'The database was restored to an earlier state',
    'The server refuses writes until the operator acts. Keep your records and send them again later.',
  ],
  database_went_back: [
    503,
    'The database server is a former primary',
    'The server refuses reads and writes until the operator acts. Keep your records and send them again later.',
  ],
  database_unavailable: [
    503,
    'The database does not answer',
    'Try again after the number of seconds in `Retry-After`.',
  ],
  sequence_not_reached: [
    503,
    'The journal has not reached this sequence',
    'Try again after the number of seconds in `Retry-After`. `sequence` is the current end.',
  ],
  disk_low: [
    503,
    'The disk of the server is almost full',
    'Nothing was stored. Send the records again after the number of seconds in `Retry-After`; the operator must free disk space.',
  ],
  database_full: [
    503,
    'The database is out of space',
    'Try again after the number of seconds in `Retry-After`; the operator must free disk space or memory.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, help: string]>

export type ProblemCode = keyof typeof problems

/** One fault inside a request or a record. `pointer` is a JSON Pointer (RFC 6901) into the part that `in` names. */
export type Fault = { in: 'path' | 'query' | 'header' | 'body'; pointer: string; code: FaultCode; detail: string }

type Extras = { errors?: Fault[]; headers?: Record<string, string>; members?: Record<string, unknown>; cause?: unknown }

/** An error that is sent as a problem document (RFC 9457). `detail` is public; `cause` is logged and never sent. */
export class AppError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly errors: Fault[] | undefined
  readonly headers: Record<string, string>
  readonly members: Record<string, unknown>
  /** The key that was refused, for the log only; undefined if the key is unknown. */
  ofKey: { id: string; locationId: string } | undefined

  constructor(code: ProblemCode, detail?: string, extras: Extras = {}) {
    super(detail ?? problems[code][2], { cause: extras.cause })
    this.code = code
    this.status = problems[code][0]
    this.errors = extras.errors
    this.headers = extras.headers ?? {}
    this.members = extras.members ?? {}
  }
}

export function validationFailed(errors: Fault[]): AppError {
  const [first] = errors
  const rest = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return new AppError('validation_failed', first ? `${first.detail}${rest}` : undefined, { errors })
}
