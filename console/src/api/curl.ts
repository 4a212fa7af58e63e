import { unseen } from '../format/unseen.ts'
import { pathOf, type Call } from './request.ts'

const utf8 = new TextEncoder()

const bytesOf = (character: string) =>
  Array.from(utf8.encode(character), (byte) => String.raw`\x${byte.toString(16).padStart(2, '0')}`).join('')

/** Quotes a text as one word for bash. Control characters are escaped, so that foreign text cannot control the terminal. */
function quoted(text: string): string {
  if (text.search(unseen) === -1) return `'${text.replaceAll("'", String.raw`'\''`)}'`
  return `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(unseen, bytesOf)}'`
}

/** Longest body, in characters, that is an argument of curl; a longer one is piped. Linux limits an argument to 128 KiB. */
const longestArgument = 30_000

/** Escapes brackets and braces in a URL: curl would expand them into several URLs. */
const literal = (url: string) => `--globoff ${quoted(url)}`

type Post = { url: string; headers: readonly string[]; body: string }

/** Writes a POST as a shell command; the headers are already quoted for bash. */
function post({ url, headers, body }: Post): string {
  const rest = [...headers.map((header) => `-H ${header}`), literal(url)].join(' ')
  if (body.length <= longestArgument) return `curl -X POST --data-raw ${quoted(body)} ${rest}`
  return `printf %s ${quoted(body)} | curl -X POST --data-binary @- ${rest}`
}

const withKey = '"X-API-Key: $KEY"'

const absolute = (baseUrl: string, path: string) => `${baseUrl.replace(/\/+$/, '')}${path}`

/** Writes the request as a shell command, with the server's public URL; the key stays a variable. */
export function toCurl(call: Call, baseUrl: string): string {
  const { method = 'GET', body } = call
  const parts = ['curl', method === 'GET' ? '' : `-X ${method}`, `-H ${withKey}`]
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json' --data-raw ${quoted(JSON.stringify(body))}`)
  return [...parts, literal(absolute(baseUrl, pathOf(call)))].filter((part) => part !== '').join(' ')
}

/** Repeats a delivery of a webhook. */
export function toReceiverCurl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}`))
  return post({ url, headers: lines, body })
}

/** Pushes a record as a trial: nothing is stored. A record of several lines is not NDJSON. */
export function toTrialCurl(record: string, baseUrl: string): string {
  const type = record.includes('\n') ? 'application/json' : 'application/x-ndjson'
  const headers = [withKey, quoted(`Content-Type: ${type}`)]
  return post({ url: absolute(baseUrl, '/v1/ingest/?dryRun=true'), headers, body: record })
}
