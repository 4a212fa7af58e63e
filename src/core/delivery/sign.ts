import { createHmac, type KeyObject } from 'node:crypto'

/** The headers of Standard Webhooks 1.0. The signature has `v1,<base64>` for each valid secret, separated by spaces. */
export type SignatureHeaders = {
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}

export type Signable = {
  /** Id of the message, the same for all retries; without full stops, which separate the signed parts. */
  id: string
  /** Unix time of this attempt, in whole seconds: receivers refuse a time that is more than five minutes off. */
  timestampS: number
  body: Uint8Array
  /** The current secret first, then the previous one while a rotation overlaps. */
  keys: readonly KeyObject[]
}

/** Signs `<id>.<timestamp>.<body>` with HMAC-SHA256. */
export function signatureHeaders({ id, timestampS, body, keys }: Signable): SignatureHeaders {
  const head = `${id}.${timestampS}.`
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(head).update(body).digest('base64')}`)
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampS), 'webhook-signature': signatures.join(' ') }
}
