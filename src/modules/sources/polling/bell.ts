import { createHmac, timingSafeEqual } from 'node:crypto'
import type { LiveSource } from '../schemas/sources.ts'

/** How a system signs its notifications: the header, the signed text, the digest, and its encoding. */
type Signature = {
  header: string
  digest: 'sha1' | 'sha256'
  encoding: 'base64' | 'hex'
  signed: (body: Buffer, url: string) => Buffer
}

const bodyAlone = (body: Buffer) => body

const signatures: Partial<Record<LiveSource, Signature>> = {
  square: {
    header: 'x-square-hmacsha256-signature',
    digest: 'sha256',
    encoding: 'base64',
    signed: (body, url) => Buffer.concat([Buffer.from(url), body]),
  },
  toast: { header: 'toast-signature', digest: 'sha256', encoding: 'base64', signed: bodyAlone },
  loyverse: { header: 'x-loyverse-signature', digest: 'sha1', encoding: 'base64', signed: bodyAlone },
}

/** Returns the header with the signature; undefined for a system without notifications. */
export const signatureHeader = (source: string): string | undefined => signatures[source as LiveSource]?.header

/** Whether a notification is signed with the key, over the raw body and, if the system signs it, the URL. */
export function isSigned(
  source: string,
  { key, given, body, url }: { key: string; given: string; body: Buffer; url: string },
): boolean {
  const signature = signatures[source as LiveSource]
  if (!signature) return false
  const { digest, encoding, signed } = signature
  const expected = createHmac(digest, key).update(signed(body, url)).digest(encoding)
  const [one, other] = [Buffer.from(expected), Buffer.from(given.trim())]
  return one.length === other.length && timingSafeEqual(one, other)
}
