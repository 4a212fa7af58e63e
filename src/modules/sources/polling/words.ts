import type { Outcome } from '../../../core/delivery/sender/outcome.ts'

/** Maximum characters of an answer that are read, and that are quoted. */
const readAtMost = 2_000
const quotedAtMost = 200

/** A text that has this many consecutive characters of a secret counts as repeating the secret. */
const recognizableLength = 6

/** An unbroken text of this many characters may be a token. */
const token = /[\w+/=.~%\\-]{24,}/g

const hidden = '…'

/** Returns the encodings of a text in answers: escaped in JSON, percent-encoded, in base64 at any offset, in hex. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text)
  const based = [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    // The first and the last characters also depend on the surrounding text.
    const inner = encoded.slice(shift === 0 ? 0 : shift + 1).replace(/.?=+$/, '')
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const escaped = JSON.stringify(text).slice(1, -1)
  const percent = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0'))
  const points = units.map((unit) => `\\u${unit}`).join('')
  return [
    text,
    escaped,
    escaped.replaceAll('/', '\\/'),
    encodeURIComponent(text.toWellFormed()),
    percent,
    points,
    bytes.toString('hex'),
    ...based,
  ]
}

/** Hides every run of characters that occurs in one of the secrets, in any of their encodings. */
function strikeOut(text: string, secrets: readonly string[]): string {
  const known = new Set<string>()
  let shortest = recognizableLength
  for (const secret of secrets.filter((one) => one.length > 1)) {
    for (const spelling of spellingsOf(secret).map((one) => one.toLowerCase())) {
      const size = Math.min(recognizableLength, spelling.length)
      shortest = Math.min(shortest, size)
      for (let at = 0; at + size <= spelling.length; at++) known.add(spelling.slice(at, at + size))
    }
  }
  const lower = text.toLowerCase()
  const isHidden = Array.from({ length: text.length }, () => false)
  for (let size = shortest; size <= recognizableLength; size++)
    for (let at = 0; at + size <= lower.length; at++)
      if (known.has(lower.slice(at, at + size))) isHidden.fill(true, at, at + size)
  let shown = ''
  for (let at = 0; at < text.length; at++) {
    if (!isHidden[at]) shown += text[at]
    else if (!shown.endsWith(hidden)) shown += hidden
  }
  return shown
}

/** Statuses about the credentials: such answers often quote the secret. */
const aboutSecrets = new Set([401, 403])

/**
 * Describes the answer of a system in one line, without `secrets` that were sent to it, in any encoding; for a refusal
 * only status and length are shown.
 */
export function wordsOf({ status, message, responseBody }: Outcome, secrets: readonly string[]): string {
  if (responseBody === '') return message
  if (aboutSecrets.has(status)) return `${message} The response has ${Buffer.byteLength(responseBody)} bytes.`
  const line = responseBody.slice(0, readAtMost).replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
  const said = strikeOut(line, secrets).replaceAll(token, hidden).trim().slice(0, quotedAtMost)
  return said === '' ? message : `${message} Response: ${said}`
}
