import type { Ticket } from '../schemas/tickets.ts'
import type { Mapped, Profile } from './adapter.ts'
import type { Json } from './json-documents.ts'

/** A request to a system whose sales are pulled; `path` begins with a slash. */
export type PullRequest = {
  method: 'GET' | 'POST'
  path: string
  query?: Record<string, string>
  body?: Json
  /** Sent as a form instead of JSON. */
  form?: Record<string, string>
}

/** Where and how to exchange a refresh token for an access token, and how long before its end. */
export type OAuth = { path: string; style: 'json' | 'form'; renewBeforeMs: number }

/** Asks the system and resolves to the parsed answer. Throws `PullFailed`. */
export type Ask = (request: PullRequest) => Promise<Json>

/**
 * How a request failed after its retries. `again`: a later run may succeed. `stop`: a person must act, for example for a token without the
 * right. `missing`: the document does not exist. `too_large`: request less at once. `spent`: the run has reached a limit.
 */
export class PullFailed extends Error {
  readonly kind: 'again' | 'stop' | 'missing' | 'too_large' | 'spent'
  readonly status: number
  /** How long the system asked to wait, in milliseconds; null when it did not. */
  readonly retryAfterMs: number | null

  constructor(kind: PullFailed['kind'], message: string, { status = 0, retryAfterMs = null as number | null } = {}) {
    super(message)
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** A document with the key under which it can be fetched alone. `stamp` is the version in a row of a list, if there are rows. */
export type PulledDocument = { key: string; document: Json; stamp?: string }

/** What is stored together. `cursor` says how far the changes are then stored, as a time in ISO 8601; null for no further than before. */
export type PulledPage = {
  documents: PulledDocument[]
  /** Documents that these cannot be read without, such as the sale of a refund; they are not stored by it. */
  context?: PulledDocument[]
  cursor: string | null
}

/** Changes from a moment to another, both in it. */
export type PullWindow = {
  from: Date
  until: Date
  timeZone: string
  dayStartsAt: string
  /** Whether a document is stored in the version of its row, so that it need not be fetched. */
  isStored: (key: string, stamp: string) => boolean
}

/** An amount that the system states by another way than its documents, in minor units: `Pull.states` says which one. */
export type Said = {
  /** Of the ticket. */
  key: string
  /** Of the document that the ticket is in. */
  document: string
  at: string
  amount: number
}

/** How the sales of a system are read as they come. `account` is the shop there. */
export type Pull = {
  /** Of the system: another one, such as a sandbox, is named by the operator. */
  baseUrl: string
  /** Its documented rate limit: requests per milliseconds. */
  budget: { requests: number; perMs: number }
  /** Each run reads so far behind the cursor, a longer way once an hour where that is stated, and the longest once a day. */
  overlapMs: { usual: number; hourly?: number; daily: number }
  /** Sales closed this long ago have arrived, even if a till was offline. Null if closings show that a day is complete. */
  latenessMs: number | null
  /** Each document becomes the same whatever others are read with it: one that is known need not be mapped again. */
  standsAlone: boolean
  /** What `totals` are of a ticket: what was paid for it, tips in it, or what was sold. */
  states: 'paid' | 'sales'
  /** Left out where the system has none. */
  oauth?: OAuth
  /** What each request carries. `login` asks without it. */
  headers(secret: string, account: string, login: Ask): Promise<Record<string, string>>
  /** Reads the changes of a window in an order in which each page may be stored by itself. */
  pages(window: PullWindow, account: string, ask: Ask): AsyncGenerator<PulledPage>
  /** Reads documents by their keys; those that are not there are left out. */
  fetch(keys: readonly string[], at: { account: string; now: Date }, ask: Ask): Promise<PulledPage>
  /** `gone` are tickets that the system has deleted, as canceled ones. */
  map(documents: readonly Json[], profile: Profile): Mapped & { gone: Ticket[] }
  totals(span: { from: Date; until: Date }, at: { account: string; currency: string }, ask: Ask): Promise<Said[]>
}

/** The list that an answer must have. Throws `PullFailed`: a page that is not whole is read again. */
export function listIn(answer: Json, name: string, key: string): Json[] {
  const list: unknown = answer?.[name] ?? []
  if (Array.isArray(list) && list.every((one) => typeof one?.[key] === 'string' && one[key] !== '')) return list
  throw new PullFailed('again', `the response is incomplete: an element of \`${name}\` has no \`${key}\``)
}

/** A list that is read as a whole has at most this many pages: more are a loop, or an attack on memory. */
export const mostPages = 500

/** Pages in a row that have nothing. */
const mostEmpty = 5

/**
 * Reads every page of a list, which `readPage` resolves to with the cursor of the next one. Throws `PullFailed` where a cursor comes back,
 * and where they do not end.
 */
export async function readAllPages<C extends string | number>(
  path: string,
  readPage: (cursor: C | undefined) => Promise<{ found: Json[]; next: C | undefined }>,
): Promise<Json[]> {
  const all: Json[] = []
  const known = new Set<C>()
  let cursor: C | undefined
  for (let pages = 1, empty = 0; ; pages++) {
    const { found, next } = await readPage(cursor)
    for (const one of found) all.push(one)
    if (next === undefined) return all
    // An empty page may lead to itself for a while.
    empty = found.length === 0 ? empty + 1 : 0
    const isBack = known.has(next) && !(next === cursor && empty > 0 && empty <= mostEmpty)
    if (isBack || pages >= mostPages) throw new PullFailed('again', `the pages of ${path} do not end`)
    known.add(next)
    cursor = next
  }
}

/** Asks for one document; resolves to undefined where it is not there. */
export async function findOne(path: string, ask: Ask): Promise<Json> {
  try {
    return await ask({ method: 'GET', path })
  } catch (error) {
    if (error instanceof PullFailed && error.kind === 'missing') return undefined
    throw error
  }
}
