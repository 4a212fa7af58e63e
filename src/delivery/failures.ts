import type { ConnectionStage } from './connection.ts'
import type { ErrorClass } from './outcome.ts'
import { RefusedError } from './guard.ts'

type Failure = { errorClass: ErrorClass; message: string }

/** Why no connection came to be. The stage tells more than the error's code: a reset during the handshake is TLS. */
export function connectionFailure(stage: ConnectionStage, error: Error): Failure {
  if (error instanceof RefusedError) return { errorClass: 'blocked', message: sentence(error.message) }
  const words = wordsOf(error)
  if (stage === 'dns') return { errorClass: 'dns', message: sentence(`The name could not be resolved: ${words}`) }
  if (stage === 'connect') return { errorClass: 'connect', message: sentence(`The connection failed: ${words}`) }
  if (stage === 'tls') return { errorClass: 'tls', message: sentence(`The TLS handshake failed: ${words}`) }
  return { errorClass: 'reset', message: sentence(`The request was not sent: ${words}`) }
}

/** Why an open connection brought no complete answer. */
export function exchangeFailure(error: Error): Failure {
  const code = 'code' in error ? String(error.code) : ''
  const words = wordsOf(error)
  // TLS 1.3 tells of a refused or missing client certificate only after the handshake.
  if (/^ERR_(SSL|TLS)_/.test(code)) return { errorClass: 'tls', message: sentence(`TLS failed: ${words}`) }
  const isCutOff = code === 'HPE_INVALID_EOF_STATE' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  const isMalformed =
    /^(HPE_|UND_ERR_HEADERS_OVERFLOW|ERR_ASSERTION)/.test(code) || /^bad (response|upgrade)$/.test(words)
  if (isMalformed && !isCutOff) {
    return { errorClass: 'http', message: sentence(`The answer is not valid HTTP/1.1: ${words}`) }
  }
  return { errorClass: 'reset', message: sentence(`The connection broke before the answer was complete: ${words}`) }
}

const maximumWords = 200

function wordsOf(error: Error): string {
  const cause = error instanceof AggregateError ? (error.errors.at(-1) ?? error) : error
  // OpenSSL's message carries its source files; `reason` is the part for people.
  const text = 'reason' in cause && typeof cause.reason === 'string' ? cause.reason : cause.message
  return (text.split('\n')[0] ?? '').slice(0, maximumWords) || error.name
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}
