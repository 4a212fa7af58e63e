import { AssertionError } from 'node:assert'
import { errors } from 'undici'
import type { ConnectionStage } from './connection.ts'
import type { ErrorClass } from './outcome.ts'
import { RefusedError } from '../../contract/webhooks/endpoint-url.ts'

type Failure = { errorClass: ErrorClass; message: string }

/** Describes why the connection failed, by stage: a reset during the handshake is a TLS failure. */
export function connectionFailure(stage: ConnectionStage, error: Error): Failure {
  if (error instanceof RefusedError) return { errorClass: 'blocked', message: sentence(error.message) }
  const words = wordsOf(error)
  if (stage === 'dns') return { errorClass: 'dns', message: sentence(`The name could not be resolved: ${words}`) }
  if (stage === 'connect') return { errorClass: 'connect', message: sentence(`The connection failed: ${words}`) }
  if (stage === 'tls') return { errorClass: 'tls', message: sentence(`The TLS handshake failed: ${words}`) }
  return { errorClass: 'reset', message: sentence(`The request was not sent: ${words}`) }
}

/**
 * Returns why an open connection brought no complete answer. `status` is 0 if no status arrived; `socketFault` is the
 * error of the socket before it ended.
 */
export function exchangeFailure(error: Error, status: number, socketFault: Error | null): Failure {
  const tlsFault = [error, socketFault].find((one) => one !== null && isOfTls(one))
  if (tlsFault) return { errorClass: 'tls', message: tlsSentence(tlsFault) }
  const words = wordsOf(error)
  if (isMalformed(error, status)) {
    return { errorClass: 'http', message: sentence(`The response is not valid HTTP/1.1: ${words}`) }
  }
  return { errorClass: 'reset', message: sentence(`The connection broke before the response was complete: ${words}`) }
}

function isOfTls(error: Error): boolean {
  return 'code' in error && /^ERR_(SSL|TLS)_/.test(String(error.code))
}

/** Describes a TLS fault. TLS 1.3 reports a refused or missing client certificate only after the handshake. */
function tlsSentence(fault: Error): string {
  const words = wordsOf(fault)
  const isOfCertificate = /alert (certificate required|bad certificate)/.test(words)
  const why = isOfCertificate ? '; the endpoint asks for a client certificate, and Tillgate sends none' : ''
  return sentence(`TLS failed: ${words}${why}`)
}

function isMalformed(error: Error, status: number): boolean {
  // undici reports a mismatch for an end inside the body, and for every parser error after a content-length.
  if (error instanceof errors.ResponseContentLengthMismatchError) return status === 0
  if (error instanceof errors.HTTPParserError) return !error.message.includes('Invalid EOF state')
  if (error instanceof errors.SocketError) return /^bad (response|upgrade)$/.test(error.message)
  return error instanceof errors.HeadersOverflowError || error instanceof AssertionError
}

const maximumWords = 200

function wordsOf(error: Error): string {
  const cause = error instanceof AggregateError ? (error.errors.at(-1) ?? error) : error
  // OpenSSL's message contains its source files; `reason` is the readable part.
  const text = 'reason' in cause && typeof cause.reason === 'string' ? cause.reason : cause.message
  return (text.split(/\n|; if the root CA/)[0] ?? '').slice(0, maximumWords) || error.name
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}
