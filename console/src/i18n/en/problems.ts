import type { FieldError, ProblemCode } from '@tillgate/client'

/** The message for a code, and advice for the reader. */
type ProblemText = readonly [title: string, help: string]

/** Codes of answers that are shown: all of the server's, and one for answers of intermediaries. */
type ShownCode = ProblemCode | 'unexpected_answer'

/** Advice after a temporary failure. Reads are retried automatically, but changes are not. */
const later = 'The page updates automatically; if you were changing something, try again in a moment.'

const reload = 'Reload the page: the server may have been updated.'

/** Texts for users of the console. The server's text, for developers, is shown below them. */
const problems: Record<ShownCode, ProblemText> = {
  validation_failed: ['The request is not valid', 'Correct what is named below, or clear the filter.'],
  body_invalid: ['The request cannot be read', 'Try again; if it persists, reload the page.'],
  request_malformed: [
    'The request was damaged in transit',
    'Try again; if it persists, a proxy in between may be the cause.',
  ],
  too_many_events: ['The replay selects too many events', 'Choose a shorter range.'],
  nothing_usable: ['Nothing could be stored', 'Correct what is named below.'],
  key_missing: ['You are not signed in', 'Sign in.'],
  key_unknown: ['This key is not known', 'Check that it was copied completely, from its first to its last character.'],
  key_expired: ['This key has expired', 'Ask the operator for a new one.'],
  key_revoked: ['This key was revoked', 'Ask the operator for a new one.'],
  session_missing: ['You are not signed in', 'Sign in.'],
  session_ended: ['The session has ended', 'Sign in again.'],
  passkey_refused: [
    'The passkey is not accepted',
    'It was removed, has expired, or was made for another web address. Sign in with a link and add a new passkey.',
  ],
  passkey_not_found: ['Passkey not found', 'It may have been removed: reload the list.'],
  passkey_limit: ['Passkey limit reached', 'Remove an unused passkey.'],
  passkey_known: ['This device already has a passkey', 'Sign in with it, or remove it first.'],
  session_not_renewable: ['The session cannot be extended', 'The limit of its link is reached: ask for a new link.'],
  code_invalid: [
    'This link no longer works',
    'It has already been used, is too old, or is incomplete. Ask for a new one.',
  ],
  cross_site: [
    'The request appears to come from another site',
    'Open the console at its own address and reload the page.',
  ],
  console_insecure: [
    'Sign-in needs an encrypted connection',
    'Open the console over https, or on the server itself at 127.0.0.1.',
  ],
  scope_missing: [
    'This session does not have that right',
    'Ask the operator for a key or a link with the right named below.',
  ],
  location_required: ['No location is selected', 'Choose one in the bar above.'],
  location_forbidden: ['This session has no access to that location', 'Choose one of your locations in the bar above.'],
  recipient_forbidden: [
    'Your key is for one recipient only',
    'It may use the webhooks of its recipient. For everything else, ask the operator for a key without a recipient.',
  ],
  location_inactive: ['The location is not active', 'The operator deactivated it and can activate it again.'],
  route_not_found: ['The server does not have what this screen requests', reload],
  version_unsupported: ['The server does not support this version', reload],
  order_not_found: [
    'Order not found',
    'Orders belong to a location: choose the right one above, or search for the number.',
  ],
  report_not_found: ['Z report not found', 'Reports belong to a location: choose the right one above.'],
  entry_not_found: ['Journal entry not found', 'The number is beyond the end of the journal, or was skipped.'],
  verification_not_found: [
    'That verification is no longer kept',
    'Only the latest 100 of a location are kept: start another one.',
  ],
  entry_source_not_found: ['Nothing to book', 'Choose another Z or day.'],
  batch_not_found: ['Batch not found', 'The list shows the issued batches.'],
  entry_refused: ['The entry cannot be booked', 'See the reasons; an accountant can accept the Z despite them.'],
  books_incomplete: ['Part of the range cannot be booked', 'Correct what is named below, accept the Z, or skip it.'],
  accounts_unmapped: [
    'Accounts are missing',
    'Assign an account to each name first: issued entries cannot be changed.',
  ],
  batch_exists: ['Another batch was issued in the meantime', 'See the list: yours may be there already.'],
  batch_changed: ['The entries changed since they were counted', 'Count again, then issue.'],
  closing_not_found: ['Closing not found', 'The list shows all closings.'],
  closing_exists: ['Another day was closed in the meantime', 'See the list: yours may be there already.'],
  checkpoint_not_found: ['Nothing has been signed yet', 'Ask the operator to sign the journal.'],
  not_checkpointed: ['The entry has not been signed yet', 'The next closing signs it.'],
  signing_off: ['Signing is not configured', 'The operator must create a key first.'],
  format_unsuitable: ['This file is available in euros only', 'Choose another format.'],
  accounts_changed: ['The accounts were changed in the meantime', 'Reload the page and make your changes again.'],
  webhook_not_found: ['Webhook not found', 'It may have been deleted: see the list.'],
  source_not_found: ['Source not found', 'It may have been deleted: see the list.'],
  source_inactive: ['The source is paused or stopped', 'Resume it first.'],
  source_failed: [
    'The point-of-sale system failed',
    'See its answer below. Check the account, the secret and its rights first.',
  ],
  bell_refused: ['The call does not come from the point-of-sale system', 'Check its signing key.'],
  location_not_found: ['Location not found', 'Choose another one in the bar above.'],
  delivery_not_found: ['Delivery attempt not found', 'Old attempts are deleted: see newer ones.'],
  key_not_found: ['Key not found', 'Reload the list.'],
  session_not_found: ['Session not found', 'It may have ended: reload the list.'],
  method_not_allowed: ['The server does not support this action', reload],
  request_timeout: ['The request took too long to arrive', 'Try again.'],
  webhook_ambiguous: ['Several webhooks match', 'Open the intended one and change it there.'],
  sequence_ahead: [
    'The journal does not have this number',
    'It may have been restored to an earlier state: continue from its newest entry.',
  ],
  documents_aside: [
    'This version is archived',
    'Earlier versions of orders of closed years were archived: ask the operator to restore them.',
  ],
  epoch_changed: ['The journal has been restarted', 'Its numbers now stand for other changes: reload the page.'],
  webhook_limit: ['Webhook limit reached', 'Delete an unused webhook.'],
  location_exists: ['This location already exists', 'Use another id, or omit it.'],
  key_ended: ['The key is no longer valid', 'Create another one.'],
  webhook_stopped: ['The operator disabled the webhook', 'Only the operator can enable it.'],
  webhook_disabled: ['The webhook is disabled', 'Enable it first.'],
  replay_running: ['A replay is in progress', 'Wait until it has finished, then try again.'],
  incomplete: ['The days are not complete', 'Wait for the tills named below.'],
  webhook_id_taken: ['The id is in use', 'Use another one, or omit it.'],
  body_too_large: ['The request is too large', 'Send less.'],
  media_type_unsupported: ['The server does not support this format', reload],
  host_unknown: [
    'The server does not recognize this host name',
    'Open the console at the configured address of the server, or at 127.0.0.1.',
  ],
  headers_too_large: [
    'The headers of the request are too large',
    'Delete the cookies of this site, and sign in again.',
  ],
  rate_limited: ['Too many requests', later],
  too_much_at_once: ['Too much data is arriving at once', later],
  too_many_under_way: ['Too many requests in progress', later],
  shutting_down: ['The server is shutting down', later],
  internal_error: [
    'Something went wrong on the server',
    'Try again. If it persists, give the operator the request number below.',
  ],
  overloaded: ['The server is overloaded', later],
  figures_building: [
    'The figures are being calculated',
    'They will appear automatically; orders are available in the meantime.',
  ],
  journal_rewound: [
    'The database was restored to an earlier state',
    'Nothing is written until the operator has resolved this.',
  ],
  database_went_back: ['The database server is a former primary', 'The operator must resolve this. Try again later.'],
  database_unavailable: ['The database does not answer', `${later} If it persists, tell the operator.`],
  sequence_not_reached: ['The server does not have this data yet', later],
  disk_low: ['The disk of the server is almost full', 'Nothing was stored. The operator must free disk space.'],
  database_full: ['The database is out of space', 'The operator must free disk space or memory.'],
  unexpected_answer: [
    'The response is not from Tillgate',
    'A proxy or another server answered instead: try again later.',
  ],
}

/** The fault of a field, after its name. */
const faults: Record<FieldError['code'], string> = {
  missing: 'is missing',
  unknown_field: 'is not known: omit it',
  unknown_parameter: 'is not known: omit it',
  repeated_parameter: 'is repeated',
  invalid_type: 'has the wrong type',
  invalid_value: 'is not an allowed value',
  invalid_format: 'does not have the required format',
  invalid_uuid: 'is not an id: 36 characters with four hyphens',
  invalid_datetime: 'is not a valid time',
  out_of_range: 'is too small or too large',
  too_short: 'is too short',
  too_long: 'is too long',
  duplicate_key: 'appears twice',
  invalid_json: 'is not JSON',
  invalid_utf8: 'is not UTF-8',
  invalid_text: 'contains characters that are not allowed in text',
  invalid_number: 'has too many digits',
  line_too_long: 'is too long',
  unknown_type: 'is of an unknown type',
  clock_ahead: 'is in the future: set the clock of the till',
  wrong_location: 'belongs to another location',
  external_id_taken: 'is already stored under another id',
  ticket_differs: 'differs from the sum of its items',
  since_after_until: 'ends before it begins',
  range_too_long: 'covers too long a period',
  unknown_event: 'is not an event type',
  invalid_cursor: 'belongs to another list: start again at the first page',
  endpoint_url_invalid: 'is not a valid URL',
  endpoint_url_too_long: 'is too long',
  endpoint_url_scheme: 'must begin with https',
  endpoint_url_credentials: 'must not contain a user name or password',
  endpoint_url_address: 'is not allowed: use a public address',
}

export const problemTexts = { problems, faults }
