import type { FaultCode } from './faults.ts'

/**
 * The closed table of problem codes: status, title and what the caller can do. It is the source of the OpenAPI enum,
 * of the pages under `/docs/errors/` and of every problem document; a test holds code, docs and schema together.
 */
export const problems = {
  validation_failed: [400, 'The request is not valid', 'Look at `errors`: each names a place and what to change.'],
  body_invalid: [
    400,
    'The body cannot be read',
    'Send a body of the stated content type; `detail` says where it breaks.',
  ],
  request_malformed: [400, 'The bytes are no HTTP request', 'Send HTTP/1.1 with a Host header.'],
  too_many_events: [
    400,
    'The replay names too many events',
    'Ask for a shorter stretch; without `until`, `types` and `onlyFailed` a replay may be of any length.',
  ],
  nothing_usable: [400, 'No record of the body could be stored', 'Look at `results`: each record has its reason.'],
  key_missing: [401, 'An API key is required', 'Send the key in the `X-API-Key` header or as `Authorization: Bearer`.'],
  key_unknown: [401, 'The API key is not known', 'Check that the key was copied whole; keys are never shown twice.'],
  key_expired: [401, 'The API key has expired', 'Ask the provider for a new key.'],
  key_revoked: [401, 'The API key was revoked', 'Ask the provider for a new key.'],
  bell_refused: [
    401,
    'The bell of a source was not rung by its system',
    'Give the source the key with which the system signs, and the system the address of this bell.',
  ],
  session_missing: [401, 'Nobody is signed in', 'Sign in at `/console/`.'],
  session_ended: [401, 'The session has ended', 'Sign in again.'],
  code_invalid: [401, 'The link cannot be used', 'A link works once and for a limited time: ask for another one.'],
  passkey_refused: [
    401,
    'The passkey does not sign in here',
    'It was removed, has ended, or is of another address: sign in by a link, and add a new one.',
  ],
  cross_site: [
    403,
    'The request comes from another site',
    'Only the pages of the console call what is under `/console/api/`; programs send a key to `/v1/`.',
  ],
  console_insecure: [
    403,
    'Signing in needs an encrypted connection',
    'Use https, or a tunnel to 127.0.0.1; `TILLGATE_CONSOLE_INSECURE=on` allows it all the same.',
  ],
  scope_missing: [403, 'The API key lacks a scope', 'Ask for a key with the scope that `detail` names.'],
  location_required: [400, 'The session has several locations', 'Name one in the header `Tillgate-Location`.'],
  location_forbidden: [403, 'The API key belongs to another location', 'Use the id of the location of the key.'],
  recipient_forbidden: [403, 'The API key belongs to another recipient', 'Use the recipient id of the key.'],
  location_inactive: [
    403,
    'The location is not active',
    'The provider has deactivated it, and can activate it again; the key stays good.',
  ],
  route_not_found: [404, 'There is no such path', 'See `/docs` for the paths.'],
  version_unsupported: [404, 'There is no such API version', 'Use a version that `detail` names.'],
  order_not_found: [404, 'There is no such order', 'Check the id; orders of other locations are not visible.'],
  report_not_found: [404, 'There is no such report', 'Check the id; reports of other locations are not visible.'],
  entry_not_found: [
    404,
    'The journal has no such entry',
    'Read up to `head` of `GET /v1/events/`; numbers that a `resumed` entry passed over are of no entry.',
  ],
  verification_not_found: [
    404,
    'There is no such verification',
    'Check the id, as `GET /v1/journal/verifications/` tells it; the newest 100 of a location are kept.',
  ],
  webhook_not_found: [404, 'There is no such webhook', 'Check the id; webhooks of others are not visible.'],
  location_not_found: [404, 'There is no such location', 'Check the id.'],
  source_not_found: [
    404,
    'There is no such source',
    'Check the id; `GET /v1/admin/sources/` lists those that are there.',
  ],
  delivery_not_found: [
    404,
    'There is no such delivery',
    'Check the id; attempts leave the log after a while, and those of others are not visible.',
  ],
  entry_source_not_found: [
    404,
    'There is no such Z and no such day',
    'Give the id of a report, or a date, that has something to book.',
  ],
  batch_not_found: [404, 'There is no such batch', 'Check the number, as `GET /v1/books/batches/` tells it.'],
  checkpoint_not_found: [
    404,
    'There is no such checkpoint',
    'See `GET /v1/checkpoints/`; `POST /v1/checkpoints/` makes the first one.',
  ],
  closing_not_found: [404, 'There is no such closing', 'Check period and number, as `GET /v1/closings/` tells them.'],
  key_not_found: [404, 'There is no such key', 'Check the id, as `GET /v1/admin/keys/` tells it.'],
  passkey_not_found: [404, 'There is no such passkey', 'Check the id; the passkeys of others are not visible.'],
  session_not_found: [404, 'There is no such session', 'Check the id; the sessions of others are not visible.'],
  method_not_allowed: [405, 'The path does not take this method', 'Use a method that the `Allow` header names.'],
  request_timeout: [
    408,
    'The request took too long to arrive',
    'Send headers and body within a minute, without a pause of half a minute.',
  ],
  webhook_ambiguous: [409, 'Several webhooks match', 'Send the `id` of the one to update.'],
  sequence_ahead: [
    409,
    'The journal did not give out this sequence',
    'The database went back to an older state: what you read beyond `after` may be gone, and other changes came in its place. Read on from `after` with `epoch`.',
  ],
  epoch_changed: [
    409,
    'The position belongs to another journal',
    'The journal continued from an older state, or began again: what you read beyond `after` is not in it. Read on from `after` with `epoch`.',
  ],
  documents_aside: [
    410,
    'What was asked for lies in an archive',
    'Former versions of orders of closed years were put aside: read on after the sequence `after`, or ask the operator to bring them back.',
  ],
  webhook_limit: [409, 'The location has webhooks enough', 'Delete one that is not needed; `detail` has the number.'],
  session_not_renewable: [
    409,
    'The session cannot last longer',
    'A link says how long one may come back: ask for another one.',
  ],
  passkey_limit: [409, 'There are passkeys enough', 'Remove one that is not needed; `detail` has the number.'],
  passkey_known: [409, 'This device has a passkey already', 'Sign in with it, or remove it first.'],
  location_exists: [409, 'There is such a location', 'Use another id or leave it out.'],
  key_ended: [409, 'The key has ended', 'Create another one.'],
  webhook_stopped: [
    409,
    'The operator stopped the webhook',
    'Ask who runs the server: what an operator stopped only an operator starts again.',
  ],
  source_inactive: [409, 'The source is paused or stopped', 'Resume it: `POST /v1/admin/sources/{id}/resume`.'],
  source_failed: [
    409,
    'The system of the source does not answer as it should',
    'See `detail`; it is what the system says.',
  ],
  webhook_disabled: [409, 'The webhook is disabled', 'Enable it first: `POST /v1/webhooks/{id}/enable`.'],
  replay_running: [
    409,
    'A replay is under way',
    'Wait until what it asked for is sent: `sequence` of the status shows how far it is.',
  ],
  incomplete: [
    409,
    'The business days are not complete',
    'Ask again when they are, or without `require`; `devices` names who is waited for.',
  ],
  entry_refused: [409, 'It cannot be booked', 'See `reasons`; a bookkeeper may accept a Z all the same.'],
  books_incomplete: [
    409,
    'Something of the range cannot be booked',
    'See `days` and `refused`: settle them, accept the Z, or leave them out with `skip`.',
  ],
  accounts_unmapped: [
    409,
    'Names have no account',
    'Give each of `names` an account (`PUT /v1/books/accounts`): an issued entry cannot be changed.',
  ],
  batch_exists: [
    409,
    'It is not after the last batch',
    'Read the batches from `after` on: yours may be among them. `number` is the last one.',
  ],
  batch_changed: [409, 'What is due changed since it was counted', 'Count it again with `dryRun`, and issue that.'],
  not_checkpointed: [
    409,
    'It is younger than the checkpoint',
    'Ask for a checkpoint (`POST /v1/checkpoints/`), or wait for the next closing; `size` is that of the last one.',
  ],
  signing_off: [
    409,
    'The server signs nothing',
    'Whoever runs it makes a key (`tillgate checkpoint key`) and names its file in `TILLGATE_CHECKPOINT_KEY`.',
  ],
  closing_exists: [
    409,
    'It is not after the last closing',
    'Read the closings from `after` on: yours may be among them. `number` is that of the last day.',
  ],
  format_unsuitable: [409, 'The format does not suit the location', 'A file in FEC format is for euros only.'],
  webhook_id_taken: [409, 'The webhook id is in use', 'Use another id or leave it out.'],
  accounts_changed: [
    412,
    'The accounts changed meanwhile',
    'Read them again, and send `If-Match` with the `ETag` of what you changed.',
  ],
  body_too_large: [
    413,
    'The body is too large',
    'Send less, or NDJSON to `/v1/ingest/`, which has no limit of length.',
  ],
  media_type_unsupported: [415, 'The content type is not supported', 'Use a content type that `detail` names.'],
  host_unknown: [
    421,
    'The server is not known by this name',
    'Use 127.0.0.1, or the address of `TILLGATE_PUBLIC_URL`.',
  ],
  headers_too_large: [431, 'The headers are too large', 'Send an address and headers of less than 16 KiB together.'],
  rate_limited: [429, 'Too many requests', 'Wait for the seconds in `Retry-After`.'],
  too_much_at_once: [
    429,
    'Too much of one key is being received',
    'Let the bodies that are under way end, or send NDJSON in smaller pieces.',
  ],
  too_many_under_way: [429, 'Too much is under way at once', 'Wait until some of it is answered, or end it.'],
  shutting_down: [
    503,
    'The server is about to stop',
    'Send the request again: another server, or this one after its restart, takes it.',
  ],
  internal_error: [500, 'Something went wrong on our side', 'Try again; report the `requestId` if it stays.'],
  overloaded: [503, 'The server has as much under way as it takes', 'Try again after the seconds in `Retry-After`.'],
  figures_building: [
    503,
    'The figures of the location are being built',
    'Try again after the seconds in `Retry-After`; what was added up so far is kept.',
  ],
  journal_rewound: [
    503,
    'The database went back to an older state',
    'Nothing is written until the operator has looked at it; keep what you have to send, and send it again later.',
  ],
  database_went_back: [
    503,
    'The database server is an older one',
    'Nothing is read or written there: keep what you have to send, and send it again later. The operator must look at it.',
  ],
  database_unavailable: [503, 'The database does not answer', 'Try again after the seconds in `Retry-After`.'],
  sequence_not_reached: [
    503,
    'The journal has not come that far',
    'Try again after the seconds in `Retry-After`; `sequence` says how far it is.',
  ],
  disk_low: [
    503,
    'The server keeps the rest of its disk',
    'Nothing was stored: keep it, and send it again after the seconds in `Retry-After`; the operator must free disk.',
  ],
  database_full: [
    503,
    'The database has no room',
    'Try again after the seconds in `Retry-After`; the operator must free disk or memory.',
  ],
} as const satisfies Record<string, readonly [status: number, title: string, help: string]>

export type ProblemCode = keyof typeof problems

/** One fault inside a request or a record. `pointer` is a JSON Pointer (RFC 6901) into the part that `in` names. */
export type Fault = { in: 'path' | 'query' | 'header' | 'body'; pointer: string; code: FaultCode; detail: string }

type Extras = { errors?: Fault[]; headers?: Record<string, string>; members?: Record<string, unknown>; cause?: unknown }

/**
 * An outcome that the caller is told as a problem document (RFC 9457). `detail` is public text; what happened inside
 * goes to `cause`, which is logged and never sent.
 */
export class AppError extends Error {
  readonly code: ProblemCode
  readonly status: number
  readonly errors: Fault[] | undefined
  readonly headers: Record<string, string>
  readonly members: Record<string, unknown>
  /** Whose key was refused, for the log alone; undefined where no key is known. */
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
