/**
 * The closed table of fault codes, as they appear in `errors` of a problem document or a rejected record: what is wrong
 * with one part of a request or record, an example, and what to do. It is the source of the OpenAPI enum and of pages
 * under `/docs/errors/`; a test triggers each of them.
 */
export const faults = {
  missing: ['A required field or parameter is missing', '`{"type":"order"}` without `data`', 'Send it.'],
  unknown_field: ['A field is not documented', '`"vatNumber": 1` in an order', 'Remove the field.'],
  unknown_parameter: ['A query parameter is unknown', '`?limit=10` on the order list', 'Use a documented parameter.'],
  repeated_parameter: ['A query parameter is repeated', '`?size=1&size=2`', 'Send each parameter once.'],
  invalid_type: [
    'A value has the wrong type',
    '`"total": "12.50"`',
    'Send a value of the documented type: numbers without quotes. Z reports and the catalog have whole numbers: 1250 for €12.50, and 1000 for 10 %.',
  ],
  invalid_value: ['A value is not allowed', '`?state=done`', 'Use one of the values that `detail` names.'],
  invalid_format: ['A value has the wrong format', 'a date as `14/03/2026`', 'Use the documented format.'],
  invalid_uuid: ['Not a UUID', '`"id": "A-17"`', 'Send 36 characters: 32 hexadecimal digits and four hyphens.'],
  invalid_datetime: [
    'Not a valid datetime',
    '`2026-03-14T12:05:42Z`',
    'Send UTC with milliseconds: `2026-03-14T12:05:42.000Z`.',
  ],
  out_of_range: ['A number is out of range', '`?size=0`', 'Stay within the documented range.'],
  too_short: ['A list or text is too short', '`"events": []`', 'Send at least the documented minimum.'],
  too_long: [
    'A list or text is too long',
    'a list with more entries than its `maxItems`',
    'Send at most the documented maximum.',
  ],
  duplicate_key: ['An object has a duplicate key', '`{"guests":2,"guests":3}`', 'Send each key once.'],
  invalid_json: [
    'Not valid JSON, or nested more than 64 levels deep',
    '`{"type":`',
    'Send one complete JSON text; in NDJSON, one per line.',
  ],
  invalid_utf8: ['Not valid UTF-8', 'a text in Latin-1', 'Encode the body as UTF-8.'],
  invalid_text: ['A text contains NUL or a lone surrogate', String.raw`"Cam\u0000ille"`, 'Remove these characters.'],
  invalid_number: ['A number has more than 40 characters', '`1.000…` with a hundred zeros', 'Round the number.'],
  line_too_long: [
    'A record is too large',
    'an order of 1,100 KiB',
    'Send at most 1,000 KiB for an order or report, 4,000 KiB for a catalog list, and 1 MiB for any other record.',
  ],
  unknown_type: ['The record type is unknown', '`{"type":"receipt", …}`', 'Use a type that `detail` names.'],
  ticket_differs: [
    'A total that the source states differs from the ticket',
    '`said.total` is 18.00, but the items add up to 16.00',
    'Add what is missing, such as a service charge, or remove the excess; `detail` names the difference.',
  ],
  external_id_taken: [
    'The order of another system is already stored under another id',
    'the same `source`, `externalLocationId` and `externalOrderId` with a new `id`',
    'Send the order with the id that `detail` names. Derive ids from the ids of the other system, not at random.',
  ],
  clock_ahead: [
    'A time is in the future',
    '`completeUntil` of a `device.status` tomorrow',
    'Set the clock of the till; up to five minutes ahead are accepted.',
  ],
  wrong_location: [
    'The record does not belong to the location of the key',
    '`locationId` of another restaurant',
    'Use the location of the key, or a key of that location.',
  ],
  since_after_until: [
    'The range ends before it begins',
    '`?since=2026-03-02&until=2026-03-01`',
    'Swap the two values.',
  ],
  range_too_long: [
    'The range is too long for one request',
    '`?since=2000-01-01&until=2026-01-01` of sales',
    'Request shorter ranges, one after another.',
  ],
  unknown_event: [
    'The event type is unknown',
    '`?types=order.eaten`',
    'Use an event type of `GET /v1/webhooks/event-types/`.',
  ],
  invalid_cursor: ['The cursor does not belong to this list', '`?cursor=abc`', 'Use `meta.next` of the previous page.'],
  endpoint_url_invalid: [
    'The endpoint is not a valid URL',
    '`https://`',
    'Send an absolute URL with a host, and percent-encode characters that a URI does not allow.',
  ],
  endpoint_url_too_long: [
    'The endpoint URL is too long',
    'a URL of 3,000 characters',
    'Send at most 2,048 characters.',
  ],
  endpoint_url_scheme: [
    'The scheme of the endpoint is not allowed',
    '`http://my-app.example`',
    'Use https. The operator can allow http (`--allow-http`).',
  ],
  endpoint_url_credentials: [
    'The endpoint URL contains a user name or password',
    '`https://user:secret@my-app.example`',
    'Remove both, and verify the signature of deliveries instead.',
  ],
  endpoint_url_address: [
    'The address of the endpoint is not allowed',
    '`https://10.0.0.1`',
    'Use a public address. The operator can allow other addresses (`--allow-address`).',
  ],
} as const satisfies Record<string, readonly [title: string, example: string, help: string]>

export type FaultCode = keyof typeof faults

export const faultCodes = Object.keys(faults) as FaultCode[]

/**
 * The closed table of reasons to stop reading a push, sent as `stopped`: what happened and what to do. Complete records
 * before the stop are stored. Each has a page under `/docs/errors/`.
 */
export const stops = {
  body_interrupted: ['The body was cut off, or nothing arrived for 30 s', 'Send the rest, or resend the whole body.'],
  pieces_too_small: [
    'The body arrives in more than 4,000 pieces of less than 16 bytes on average',
    'Send chunks of one record or more.',
  ],
  gzip_invalid: [
    'The body cannot be decompressed',
    'Send complete gzip data, or plain data and no `Content-Encoding`.',
  ],
  gzip_bomb: [
    'The body decompresses to more than 200 times its size',
    'Send the body without gzip. Records usually compress about 15:1.',
  ],
  line_too_long: ['A line exceeds 64 MiB', 'End each record with a line feed.'],
  too_many_blank_lines: ['Blank lines outnumber records by more than 10,000', 'Remove the blank lines.'],
  too_many_rejected: [
    'Too many records were rejected: more than 10,000, more than 64 MiB, or more than 1,000 with none usable',
    'Check the first faults: the body is probably not what you meant to send.',
  ],
  location_missing: [
    'A record comes before any location record',
    'Put the location record first, or name the location with `--location`.',
  ],
  location_invalid: [
    'A location record is not valid, so the records after it cannot be stored',
    'Correct the location record first.',
  ],
  location_not_found: [
    'The location does not exist, and a dry run does not create it',
    'Create the location, or import without `--dry-run`.',
  ],
  file_unreadable: ['The file cannot be read any further', 'Check the disk, then run the import again.'],
} as const satisfies Record<string, readonly [title: string, help: string]>

/** Codes of `stopped`. If the key becomes invalid or a limit is reached, the code is that of the problem. */
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
