import type { TillgateEvent } from './events.ts'

/** The headers of a request: those of `fetch`, or an object as in Node. */
export type HeaderSource = Headers | Record<string, string | string[] | undefined>

/** Remembers ids of deliveries: a `Set`, or any object with these two methods. */
export type SeenIds = {
  has(id: string): boolean | Promise<boolean>
  add(id: string): unknown
}

export type VerifyOptions = {
  /** Maximum difference of the timestamp in seconds; 300 by default. */
  toleranceS?: number
  /** Current time, for tests. */
  now?: Date
  /**
   * Processed ids, for `isRepeated`: a `Set` for one process, a table with a unique key for several. The handlers add an id when its event
   * is processed.
   */
  seen?: SeenIds
}

/** A delivery with a valid signature. `isTest`: the test operation sent it, with sample data; `isRepeated`: `seen` has its id. */
export type VerifiedWebhook = { event: TillgateEvent; isTest: boolean; isRepeated: boolean }

/** Why a request is not a delivery of Tillgate. Answer it with 400, and do not act on it. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused'
  readonly reason: 'header_missing' | 'timestamp_off' | 'signature_wrong' | 'body_invalid'

  constructor(reason: WebhookRefused['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  const text = Array.isArray(value) ? value[0] : value
  if (text === undefined || text === null || text === '') {
    throw new WebhookRefused('header_missing', `the request has no header ${name}`)
  }
  return text
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) ? fromBase64(secret.slice('whsec_'.length)) : undefined
  // With an empty or short secret, for example from an unset variable, anybody could sign.
  if (bytes === undefined || bytes.length < 24 || bytes.length > 64) {
    throw new TypeError('a secret must be whsec_ followed by 24 to 64 bytes in base64')
  }
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/**
 * Verifies the signature of a delivery (Standard Webhooks 1.0) over its raw body, and returns its event. Pass both secrets during a
 * rotation. Throws `WebhookRefused`. The comparison takes constant time (`crypto.subtle.verify`).
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: HeaderSource,
  secrets: string | readonly string[],
  { toleranceS = 300, now = new Date(), seen }: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const given = headerOf(headers, 'webhook-signature').split(' ')
  const offS = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (!/^\d{1,12}$/.test(timestamp) || offS > toleranceS) {
    throw new WebhookRefused('timestamp_off', 'the timestamp is missing or too far from the present')
  }
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + body.length)
  signed.set(head)
  signed.set(body, head.length)
  if (!(await isSigned(signed, given, [secrets].flat()))) {
    throw new WebhookRefused('signature_wrong', 'no signature of the request matches a secret')
  }
  const event = readEvent(body)
  const isRepeated = seen ? await seen.has(id) : false
  // The id is signed; the header `webhook-test` is not.
  return { event, isTest: event.id.includes('_00000000_'), isRepeated }
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  given: readonly string[],
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = given
    .filter((text) => /^v1,[A-Za-z0-9+/]{43}=$/.test(text))
    .map((text) => fromBase64(text.slice(3)))
  for (const secret of secrets) {
    const key = await keyOf(secret)
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
    }
  }
  return false
}

/** Reads the event in a body. Its id is letters, digits, `-` and `_`, so that it can name a file or a row. */
function readEvent(body: Uint8Array): TillgateEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as TillgateEvent
    const { id, type, sequence } = event
    if (
      typeof id === 'string' &&
      /^[\w-]{1,200}$/.test(id) &&
      typeof type === 'string' &&
      Number.isSafeInteger(sequence) &&
      sequence >= 0
    )
      return event
  } catch {
    // A body that is not JSON is refused below.
  }
  throw new WebhookRefused('body_invalid', 'the body is not a UTF-8 event')
}
