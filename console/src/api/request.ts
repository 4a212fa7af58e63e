import { Tillgate, type Call as ClientCall } from '@tillgate/client'
import { readStored, store } from '../stored.ts'
import { toProblem } from './problem.ts'

export type Query = Record<string, string | number | boolean | undefined>

/** One operation of the public API, as `copy as curl` shows it. */
export type Call = {
  path: `/v1/${string}`
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  query?: Query
  body?: unknown
  /** ETag of the replaced resource. */
  ifMatch?: string
}

/** `data` is the parsed response; `text` is the response as sent, with numbers as written. */
export type Answer<T> = { data: T; text: string; etag: string | null }

export type Sender = { location: string | null; signal?: AbortSignal; accept?: string }

/** The path of the console, with a slash at the end: this file is in `assets/` below it. */
export const base = import.meta.env.DEV ? '/console/' : new URL(/* @vite-ignore */ '../', import.meta.url).pathname

export function pathOf({ path, query = {} }: Call): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

/** Answers to revalidate by their `ETag`: the newest of each URL, up to a limit. */
const kept = new Map<string, Answer<unknown>>()
const keptAtMost = 60

function keep(key: string, answer: Answer<unknown>): void {
  kept.delete(key)
  kept.set(key, answer)
  const [oldest] = kept.keys()
  if (kept.size > keptAtMost && oldest !== undefined) kept.delete(oldest)
}

/** Deletes the cached answers: another session may see less. */
export function forgetAnswers(): void {
  kept.clear()
}

const secretName = 'tillgate-page'

/** For a browser that stores nothing: then the session lasts as long as the page. */
let pageSecret: string | null = null

/** Stores the page's secret, which stays at its origin; browsers send a cookie to every port of a host. */
export function keepPageSecret(secret: string | null): void {
  pageSecret = secret
  store(secretName, secret)
}

/** Fetches with the cookie and the secret of the page. */
function fetchAsPage(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers)
  const secret = readStored(secretName) ?? pageSecret
  if (secret !== null) headers.set(secretName, secret)
  return fetch(url, { ...init, headers, credentials: 'same-origin', cache: 'no-store' })
}

/** The client, with the browser's session instead of a key. It retries nothing: the screens do. */
const client = new Tillgate({
  url: new URL(`${base}api`, globalThis.location.href).href,
  deadlineMs: Number.POSITIVE_INFINITY,
  retries: false,
  fetch: fetchAsPage,
})

/** Sends a request to the console's own API. Throws `Problem`. */
export async function ask(call: ClientCall): Promise<Response> {
  try {
    return await client.send(call)
  } catch (error) {
    throw toProblem(error)
  }
}

export function open(
  call: Call,
  { location, signal, accept = 'application/json' }: Sender,
  etag?: string | null,
): Promise<Response> {
  const headers: Record<string, string> = { accept }
  if (location !== null) headers['tillgate-location'] = location
  if (etag) headers['if-none-match'] = etag
  if (call.ifMatch !== undefined) headers['if-match'] = call.ifMatch
  return ask({ path: pathOf(call), method: call.method ?? 'GET', headers, json: call.body, signal })
}

/** Sends a call of the public API with the session of the browser. Throws `Problem`. */
export async function send<T>(call: Call, sender: Sender): Promise<Answer<T>> {
  const isRead = (call.method ?? 'GET') === 'GET'
  const key = `${sender.location} ${pathOf(call)}`
  const known = isRead ? kept.get(key) : undefined
  const response = await open(call, sender, known?.etag)
  if (response.status === 304 && known !== undefined) return known as Answer<T>
  const text = await response.text()
  const data = (text === '' ? undefined : JSON.parse(text)) as T
  const answer = { data, text, etag: response.headers.get('etag') }
  if (isRead && answer.etag !== null) keep(key, answer)
  return answer
}
