import type { FieldError, ProblemCode } from '@tillgate/client'

/** The message for a code, and advice for the reader. */
type Told = readonly [title: string, help: string]

/** Codes of answers that are shown: all of the server's, and one for answers of intermediaries. */
type ToldCode = ProblemCode | 'unexpected_answer'

/** Reads are retried; changes are not repeated automatically. */
const later = 'The display carries on by itself; if you were changing something, try again in a moment.'

/** For users of the console; the server's own text for programs is below it. */
const problems: Record<ToldCode, Told> = {
  validation_failed: ['Something asked for is not valid', 'Correct what is named below, or clear the filter.'],
  body_invalid: ['What was sent cannot be read', 'Try again; if it persists, reload the page.'],
  request_malformed: [
    'The request was damaged on its way',
    'Try again; if it persists, a proxy in between may be the cause.',
  ],
  too_many_events: ['The replay names too many events', 'Choose a shorter range.'],
  nothing_usable: ['None of it could be stored', 'Correct what is named below.'],
  key_missing: ['Nobody is signed in', 'Sign in.'],
  key_unknown: ['This key is not known', 'Check that it was copied completely, from its first to its last character.'],
  key_expired: ['This key has expired', 'Ask whoever runs the server for a new one.'],
  key_revoked: ['This key was revoked', 'Ask whoever runs the server for a new one.'],
  session_missing: ['Nobody is signed in', 'Sign in.'],
  session_ended: ['The session has ended', 'Sign in again.'],
  passkey_refused: [
    'The passkey does not sign in here',
    'It was removed, has ended, or is of another address. Sign in by a link, and add a new one.',
  ],
  passkey_not_found: ['There is no such passkey', 'It may have been removed: reload the list.'],
  passkey_limit: ['There are as many passkeys as there may be', 'Remove one that is not needed.'],
  passkey_known: ['This device has a passkey already', 'Sign in with it, or remove it first.'],
  session_not_renewable: [
    'The session cannot last longer',
    'The link that it came of allows no more: ask for a new one.',
  ],
  code_invalid: [
    'This link no longer works',
    'It has already been used, is too old, or is incomplete. Ask for a new one.',
  ],
  cross_site: [
    'The request seems to come from another site',
    'Open the console by its own address, and reload the page.',
  ],
  console_insecure: [
    'Signing in needs an encrypted connection',
    'Open the console by https, or on the machine itself at 127.0.0.1.',
  ],
  scope_missing: [
    'This session may not do that',
    'Ask whoever runs the server for a key or a link with the right named below.',
  ],
  location_required: ['No location is chosen', 'Choose one in the bar above.'],
  location_forbidden: ['This session may not see that location', 'Choose one of your own in the bar above.'],
  recipient_forbidden: ['That belongs to another recipient', 'Use the recipient of your key.'],
  location_inactive: [
    'The location is not active',
    'Whoever runs the server has deactivated it, and can activate it again.',
  ],
  route_not_found: [
    'The server does not know what the screen asks for',
    'Reload the page: the server may have another version by now.',
  ],
  version_unsupported: [
    'The server does not speak this version',
    'Reload the page: the server may have another version by now.',
  ],
  order_not_found: [
    'There is no such order here',
    'Orders belong to a location: choose the right one above, or search for the number.',
  ],
  report_not_found: ['There is no such Z report here', 'Reports belong to a location: choose the right one above.'],
  entry_not_found: [
    'The journal has no such entry',
    'It ends at its newest number, and a few numbers that were skipped have no entry.',
  ],
  verification_not_found: [
    'That verification is no longer kept',
    'The newest 100 of a location are: start another one.',
  ],
  entry_source_not_found: ['There is nothing to book of that', 'Choose a Z or a day that has something to book.'],
  batch_not_found: ['There is no such batch', 'The list has those that were issued.'],
  entry_refused: ['It cannot be booked as it is', 'See the reasons; a bookkeeper may accept a Z all the same.'],
  books_incomplete: ['Something cannot be booked yet', 'Settle what is named below, accept the Z, or leave it out.'],
  accounts_unmapped: ['Names have no account', 'Give each of them an account first: what is issued cannot be changed.'],
  batch_exists: ['Somebody issued a batch meanwhile', 'Look at the list: yours may be there already.'],
  batch_changed: ['What is due changed since it was counted', 'Count it again, and issue that.'],
  closing_not_found: ['There is no such closing', 'The list has those that were made.'],
  closing_exists: ['Somebody closed a day meanwhile', 'Look at the list: yours may be there already.'],
  checkpoint_not_found: ['Nothing was signed yet', 'Ask whoever runs the server to sign the journal.'],
  not_checkpointed: ['It was not signed yet', 'The next closing signs it.'],
  signing_off: ['The server signs nothing', 'Whoever runs it has to make a key first.'],
  format_unsuitable: ['This file is for euros only', 'Choose another format.'],
  accounts_changed: ['The accounts were changed meanwhile', 'Reload the page and change them again.'],
  webhook_not_found: ['There is no such webhook', 'It may have been deleted; the list has those that are there.'],
  source_not_found: ['There is no such source', 'It may have been deleted; the list has those that are there.'],
  source_inactive: ['The source is paused or stopped', 'Resume it first.'],
  source_failed: [
    'The system of the source does not answer as it should',
    'What it says is below: the account, the secret and its rights are the first things to look at.',
  ],
  bell_refused: ['The bell was not rung by the system of the source', 'Check the key with which the system signs.'],
  location_not_found: ['There is no such location', 'Choose another one in the bar above.'],
  delivery_not_found: ['That attempt is no longer in the log', 'Attempts leave it after a while: look at newer ones.'],
  key_not_found: ['There is no such key', 'Reload the list.'],
  session_not_found: ['There is no such session', 'It may have ended: reload the list.'],
  method_not_allowed: ['The server does not take that', 'Reload the page: the server may have another version by now.'],
  request_timeout: ['The request took too long to arrive', 'Try again.'],
  webhook_ambiguous: ['Several webhooks match', 'Open the one that is meant, and change it there.'],
  sequence_ahead: ['The journal does not go that far', 'It may have been set back: continue from its newest entry.'],
  documents_aside: [
    'This lies in an archive',
    'Former versions of closed years were put aside: ask who runs the server to bring them back.',
  ],
  epoch_changed: ['The journal has been restarted', 'Its numbers now stand for other changes: reload the page.'],
  webhook_limit: ['The location has as many webhooks as it may have', 'Delete one that is not needed.'],
  location_exists: ['This location exists already', 'Use another id, or leave it out.'],
  key_ended: ['The key has ended', 'Create another one.'],
  webhook_stopped: ['The operator stopped the webhook', 'Ask who runs the server: only an operator starts it again.'],
  webhook_disabled: ['The webhook is disabled', 'Enable it first.'],
  replay_running: ['A replay is under way', 'Wait until it has been sent, then try again.'],
  incomplete: ['The days are not complete', 'Wait for the tills named below.'],
  webhook_id_taken: ['The id is in use', 'Use another one, or leave it out.'],
  body_too_large: ['That is too much at once', 'Send less.'],
  media_type_unsupported: [
    'The server does not take this form',
    'Reload the page: the server may have another version by now.',
  ],
  host_unknown: [
    'The server is not known by this name',
    'Open the console by the address that the server was given, or at 127.0.0.1.',
  ],
  headers_too_large: [
    'The browser sends too much with each request',
    'Delete the cookies of this site, and sign in again.',
  ],
  rate_limited: ['Too many requests', later],
  too_much_at_once: ['Too much is being received', later],
  too_many_under_way: ['Too much is under way at once', later],
  shutting_down: ['The server is about to stop', later],
  internal_error: [
    'Something went wrong on the server',
    'Try again. If it persists, tell whoever runs it the request number below.',
  ],
  overloaded: ['The server is overloaded', later],
  figures_building: [
    'The figures are being calculated',
    'They will appear by themselves; orders can be read meanwhile.',
  ],
  journal_rewound: [
    'The database went back to an older state',
    'Nothing is written until whoever runs the server has looked at it.',
  ],
  database_went_back: ['The database server is an older one', 'The operator must look at it. Try again later.'],
  database_unavailable: ['The database does not answer', `${later} If it persists, tell whoever runs the server.`],
  sequence_not_reached: ['The server has not come that far yet', later],
  disk_low: [
    'The server has hardly any disk space left',
    'Nothing was stored. Whoever runs the server must free some.',
  ],
  database_full: ['The database has no room left', 'Whoever runs the server must give it disk or memory.'],
  unexpected_answer: [
    'What answered is not Tillgate',
    'Something between here and the server answered in its place: try again in a while.',
  ],
}

/** The fault of a field, after its name. */
const faults: Record<FieldError['code'], string> = {
  missing: 'is missing',
  unknown_field: 'is not known: leave it out',
  unknown_parameter: 'is not known: leave it out',
  repeated_parameter: 'is given twice',
  invalid_type: 'is not of the right type',
  invalid_value: 'is not one of the values allowed',
  invalid_format: 'does not have the required form',
  invalid_uuid: 'is not an id: 36 characters with four hyphens',
  invalid_datetime: 'is not a time that exists',
  out_of_range: 'is too small or too large',
  too_short: 'is too short',
  too_long: 'is too long',
  duplicate_key: 'appears twice',
  invalid_json: 'is not JSON',
  invalid_utf8: 'is not UTF-8',
  invalid_text: 'contains characters that text cannot have',
  invalid_number: 'has too many digits',
  line_too_long: 'is too long',
  unknown_type: 'is of an unknown type',
  clock_ahead: 'lies in the future: set the clock of the till',
  wrong_location: 'belongs to another location',
  external_id_taken: 'is stored under another id',
  ticket_differs: 'is not what its items make',
  since_after_until: 'ends before it begins',
  range_too_long: 'is too long a period',
  unknown_event: 'is not an event',
  invalid_cursor: 'belongs to another list: start again at the first page',
  endpoint_url_invalid: 'is not an address that can be called',
  endpoint_url_too_long: 'is too long',
  endpoint_url_scheme: 'must begin with https',
  endpoint_url_credentials: 'may not contain a user name or password',
  endpoint_url_address: 'may not be called: use a public address',
}

export const told = { problems, faults }
