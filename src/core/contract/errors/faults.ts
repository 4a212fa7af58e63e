/**
 * The closed table of fault codes: what is wrong at one place of a request or a record, an example of it, and what
 * to do. They stand in `errors` of a problem document and of a rejected record. It is the source of the OpenAPI enum
 * and of pages under `/docs/errors/`; a test holds each to a request that is answered with it.
 */
export const faults = {
  missing: ['A field or parameter is not there', '`{"type":"order"}` without `data`', 'Send it.'],
  unknown_field: ['A field is not one of the documented ones', '`"vatNumber": 1` in an order', 'Leave it out.'],
  unknown_parameter: [
    'A query parameter is not known here',
    '`?limit=10` on the order list',
    'Use one that is documented.',
  ],
  repeated_parameter: ['A query parameter is given twice', '`?size=1&size=2`', 'Give it once.'],
  invalid_type: [
    'A value is of another type',
    '`"total": "12.50"`',
    'Send a value of the documented type: numbers without quotes.',
  ],
  invalid_value: ['A value is not one of those allowed', '`?state=done`', 'Use one of the values that `detail` names.'],
  invalid_format: [
    'A text has not the form that is asked for',
    'a date as `14/03/2026`',
    'Write it in the documented form.',
  ],
  invalid_uuid: ['A text is no UUID', '`"id": "A-17"`', 'Send 36 characters: hexadecimal digits with four hyphens.'],
  invalid_datetime: [
    'A text is no datetime that exists',
    '`2026-03-14T12:05:42Z`',
    'Write UTC with milliseconds: `2026-03-14T12:05:42.000Z`.',
  ],
  out_of_range: ['A number is too small or too large', '`?size=0`', 'Stay within the documented range.'],
  too_short: ['A list or text has too few parts', '`"events": []`', 'Send as many as documented, at least.'],
  too_long: [
    'A list or text has too many parts',
    'a list of more entries than its `maxItems`',
    'Send as many as documented, at most.',
  ],
  duplicate_key: ['An object has a key twice', '`{"guests":2,"guests":3}`', 'Send each key once.'],
  invalid_json: [
    'The text is no JSON, or is nested more than 64 levels deep',
    '`{"type":`',
    'Send one whole JSON text; in NDJSON one a line.',
  ],
  invalid_utf8: ['The bytes are no UTF-8', 'a text in Latin-1', 'Encode the body as UTF-8.'],
  invalid_text: ['A text holds a NUL or half of a character', String.raw`"Cam\u0000ille"`, 'Send text without them.'],
  invalid_number: ['A number has more than 40 characters', '`1.000…` with a hundred zeros', 'Round it.'],
  line_too_long: [
    'A record is longer than it may be',
    'an order of 300 KiB',
    'Stay below 1,000 KiB for an order or report and 1 MiB for any other record.',
  ],
  unknown_type: [
    'A record is of no known type',
    '`{"type":"receipt", …}`',
    'Use one of the types that `detail` names.',
  ],
  ticket_differs: [
    'A ticket is not what its own system says of it',
    '`said.total` 18.00, and items of 16.00',
    'Send what is missing, such as a service charge, or what is too much; `detail` has the difference.',
  ],
  external_id_taken: [
    'An order of another system is stored under another id',
    'the same `source`, `externalLocationId` and `externalOrderId` with a new `id`',
    'Send it with the id that `detail` names; make ids from the ids of the system, not at random.',
  ],
  clock_ahead: [
    'A till speaks of a time that is still to come',
    '`completeUntil` of a `device.status` tomorrow',
    'Set the clock of the till; up to five minutes ahead are taken.',
  ],
  wrong_location: [
    'A record belongs to another location than the key',
    '`locationId` of another restaurant',
    'Use the location of the key, or the key of the location.',
  ],
  since_after_until: ['The period ends before it begins', '`?since=2026-03-02&until=2026-03-01`', 'Exchange the two.'],
  range_too_long: [
    'The period is longer than can be asked at once',
    '`?since=2000-01-01&until=2026-01-01` of sales',
    'Ask for shorter periods, one after the other.',
  ],
  unknown_event: [
    'An event type is not known',
    '`?types=order.eaten`',
    'Use those of `GET /v1/webhooks/event-types/`.',
  ],
  invalid_cursor: ['A cursor is not of this list', '`?cursor=abc`', 'Use the `meta.next` of the page before.'],
  endpoint_url_invalid: [
    'The endpoint is no URL that can be called',
    '`https://`',
    'Send an absolute URL with a host, whatever is not a character of a URI percent-encoded.',
  ],
  endpoint_url_too_long: [
    'The endpoint URL is too long',
    'a URL of 3,000 characters',
    'Send 2,048 characters at most.',
  ],
  endpoint_url_scheme: [
    'The scheme of the endpoint is not allowed',
    '`http://my-app.example`',
    'Use https; the operator may allow http (`--allow-http`).',
  ],
  endpoint_url_credentials: [
    'The endpoint URL holds a user name or password',
    '`https://user:secret@my-app.example`',
    'Check the signature instead.',
  ],
  endpoint_url_address: [
    'The address of the endpoint may not be called',
    '`https://10.0.0.1`',
    'Use a public address; the operator may allow others (`--allow-address`).',
  ],
} as const satisfies Record<string, readonly [title: string, example: string, help: string]>

export type FaultCode = keyof typeof faults

export const faultCodes = Object.keys(faults) as FaultCode[]

/**
 * The closed table of what ends the reading of a push before its end, told as `stopped` in its answer: what
 * happened, and what to do. What was read whole before is stored. Pages stand under `/docs/errors/` too.
 */
export const stops = {
  body_interrupted: ['The body broke off, or nothing came for 30 s', 'Send the rest again, or all of it.'],
  pieces_too_small: [
    'The body comes in more than 4,000 pieces of less than 16 bytes on the average',
    'Send it in chunks of a record or more.',
  ],
  gzip_invalid: ['The body does not unpack', 'Send whole gzip data, or none.'],
  gzip_bomb: ['The body unpacks to more than 200 times its size', 'Send real records: they pack about 15 : 1.'],
  line_too_long: ['A line has more than 64 MiB', 'End each record with a line feed.'],
  too_many_blank_lines: ['10,000 more lines are blank than hold something', 'Leave the blank lines out.'],
  too_many_rejected: [
    'More than 10,000 records were rejected, or more than 64 MiB of them, or more than 1,000 and none could be used',
    'Look at the first faults: the body is not what it should be.',
  ],
  location_missing: ['A record comes before any location that it belongs to', 'Name the location with `--location`.'],
  location_invalid: ['The record of a location is not valid, and what follows belongs to it', 'Correct it first.'],
  location_not_found: [
    'A dry run makes no location, and this one is not there',
    'Make it, or import without `--dry-run`.',
  ],
  file_unreadable: ['The file cannot be read on', 'Look at the disk; then run the import again.'],
} as const satisfies Record<string, readonly [title: string, help: string]>

/** Say why reading stopped; a key that ends, or too much at once, is told by the code of its problem. */
export const stopCodes = [
  ...(Object.keys(stops) as (keyof typeof stops)[]),
  'key_unknown',
  'key_expired',
  'key_revoked',
  'location_inactive',
  'overloaded',
  'too_much_at_once',
  'disk_low',
] as const

export type StopCode = (typeof stopCodes)[number]
