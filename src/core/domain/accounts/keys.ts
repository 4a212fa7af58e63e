import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** Stands for a location id in rows of the whole installation: the nil UUID, which no location may have. */
export const installationId = '00000000-0000-0000-0000-000000000000'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^tg_(live|test)_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/

function base62(value: bigint, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), 6)
}

/** Makes a key: `tg_live_` or `tg_test_`, 32 base62 characters (190 bits), and 6 of a CRC-32 against mistyping. */
export function newKey(mode: 'live' | 'test'): string {
  const body = `tg_${mode}_${base62(BigInt(`0x${randomBytes(24).toString('hex')}`), 32)}`
  return body + checksum(body)
}

export function isWellFormedKey(key: string): boolean {
  return form.test(key) && checksum(key.slice(0, -6)) === key.slice(-6)
}

/** Returns whether a key is valid at a moment, and if not why. */
export function keyState(
  { revokedAt, expiresAt }: { revokedAt: Date | null; expiresAt: Date | null },
  now: Date,
): 'active' | 'expired' | 'revoked' {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt <= now ? 'expired' : 'active'
}

/** Makes a token of 256 random bits: `tgc_` console code, `tgs_` session, `tgp_` its page, `tgw_` passkey challenge. */
export function newToken(prefix: 'tgc_' | 'tgs_' | 'tgp_' | 'tgw_'): string {
  return prefix + randomBytes(32).toString('base64url')
}

export const isToken = (prefix: 'tgc_' | 'tgs_', text: string) => text.length === 47 && text.startsWith(prefix)

/** Computes the stored SHA-256 in hex. The key has 190 random bits, so a slow hash would add nothing. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}
