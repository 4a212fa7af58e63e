import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto'

const prefix = 'whsec_'
const generatedBytes = 32

/** Makes a new signing secret: `whsec_` and 32 random bytes in base64 (Standard Webhooks 1.0: 24 to 64 bytes). */
export function generateSecret(): string {
  return prefix + randomBytes(generatedBytes).toString('base64')
}

/**
 * Returns the key of a secret, or null unless it is `whsec_` and the padded, canonical base64 of 24 to 64 bytes. Parse
 * once and keep the key: an HMAC with bytes would copy them each time.
 */
export function parseSecret(secret: string): KeyObject | null {
  if (!secret.startsWith(prefix)) return null
  const text = secret.slice(prefix.length)
  const bytes = Buffer.from(text, 'base64')
  const isCanonical = bytes.toString('base64') === text
  return isCanonical && bytes.length >= 24 && bytes.length <= 64 ? createSecretKey(bytes) : null
}
