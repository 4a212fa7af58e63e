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

/** Where and how to exchange a refresh token for an access token, and how long before its expiry to do so. */
export type OAuth = { path: string; style: 'json' | 'form'; renewBeforeMs: number }

/** Sends a request to the system and resolves to the parsed answer. Throws `PullFailed`. */
export type Ask = (request: PullRequest) => Promise<Json>

/**
 * How a request failed after its retries. `again`: a later run may succeed. `stop`: a person must act, for example if
 * the token lacks a right. `missing`: the document does not exist. `too_large`: request less at once. `spent`: the run
 * has reached a limit.
 */
export class PullFailed extends Error {
  readonly kind: 'again' | 'stop' | 'missing' | 'too_large' | 'spent'
  readonly status: number
  /** How long the system asked to wait, in milliseconds; null without such a request. */
  readonly retryAfterMs: number | null

  constructor(kind: PullFailed['kind'], message: string, { status = 0, retryAfterMs = null as number | null } = {}) {
    super(message)
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** A document, and the key to fetch it alone. `stamp` is its version, if lists of the system state it. */
export type PulledDocument = { key: string; document: Json; stamp?: string }

/**
 * Records that are stored together. `cursor` is the time up to which changes are then stored, in ISO 8601; null leaves
 * it unchanged.
 */
export type PulledPage = {
  documents: PulledDocument[]
  /** Further documents that are needed to read these, such as the sale of a refund. They are not stored. */
  context?: PulledDocument[]
  cursor: string | null
}

/** Changes between two moments, inclusive. */
export type PullWindow = {
  from: Date
  until: Date
  timeZone: string
  dayStartsAt: string
  /** Whether this version of a document is already stored, so that it need not be fetched. */
  isStored: (key: string, stamp: string) => boolean
}

/** An amount that the system states apart from its documents, in minor units; see `Pull.states`. */
export type Said = {
  /** Key of the ticket. */
  key: string
  /** Key of the document with the ticket. */
  document: string
  at: string
  amount: number
}

/** How the sales of a system are read continuously. `account` is the shop in that system. */
export type Pull = {
  /** Base URL of the system; the operator can set another one, such as that of a sandbox. */
  baseUrl: string
  /** The documented rate limit of the system: `requests` in `perMs` milliseconds. */
  budget: { requests: number; perMs: number }
  /** How far before the cursor a run reads again, in milliseconds: usually, once an hour if given, and once a day. */
  overlapMs: { usual: number; hourly?: number; daily: number }
  /**
   * Milliseconds after which a closed sale has arrived, even if a till was offline. Null if closings show that a day is
   * complete.
   */
  latenessMs: number | null
  /**
   * Whether a document is mapped independently of the documents read with it, so that a known one need not be mapped
   * again.
   */
  standsAlone: boolean
  /** What `totals` state of a ticket: its payments including tips, or its sales. */
  states: 'paid' | 'sales'
  /** Absent if the system does not use OAuth. */
  oauth?: OAuth
  /** The headers of each request. `login` sends requests without them. */
  headers(secret: string, account: string, login: Ask): Promise<Record<string, string>>
  /** Reads the changes of a window in an order that allows storing each page by itself. */
  pages(window: PullWindow, account: string, ask: Ask): AsyncGenerator<PulledPage>
  /** Reads documents by their keys; missing documents are left out. */
  fetch(keys: readonly string[], at: { account: string; now: Date }, ask: Ask): Promise<PulledPage>
  /** Maps documents to tickets; `gone` are tickets that the system has deleted, here marked as canceled. */
  map(documents: readonly Json[], profile: Profile): Mapped & { gone: Ticket[] }
  totals(span: { from: Date; until: Date }, at: { account: string; currency: string }, ask: Ask): Promise<Said[]>
}

/** Returns the required list of an answer. Throws `PullFailed` if it is incomplete, so that the page is read again. */
export function listIn(answer: Json, name: string, key: string): Json[] {
  const list: unknown = answer?.[name] ?? []
  if (Array.isArray(list) && list.every((one) => typeof one?.[key] === 'string' && one[key] !== '')) return list
  throw new PullFailed('again', `the response is incomplete: an element of \`${name}\` has no \`${key}\``)
}

/** Maximum number of pages in a list that is read completely: more are a loop, or an attack on memory. */
export const mostPages = 500

/** Maximum number of successive empty pages. */
const mostEmpty = 5

/**
 * Reads every page of a list; `readPage` resolves to one page and the cursor of the next. Throws `PullFailed` if a
 * cursor repeats, or if the pages do not end.
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
    // The cursor of an empty page may lead to the same page for a while.
    empty = found.length === 0 ? empty + 1 : 0
    const isBack = known.has(next) && !(next === cursor && empty > 0 && empty <= mostEmpty)
    if (isBack || pages >= mostPages)
      throw new PullFailed(
        'again',
        `the pages of ${path} do not end: a page refers to an earlier one, or there are more than ${mostPages}`,
      )
    known.add(next)
    cursor = next
  }
}

/** Requests one document; resolves to undefined if it does not exist. */
export async function findOne(path: string, ask: Ask): Promise<Json> {
  try {
    return await ask({ method: 'GET', path })
  } catch (error) {
    if (error instanceof PullFailed && error.kind === 'missing') return undefined
    throw error
  }
}
