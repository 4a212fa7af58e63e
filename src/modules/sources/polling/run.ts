import type { Asker } from '../../../core/delivery/sender/send.ts'
import type { Profile } from '../adapters/adapter.ts'
import type { Incoming, Rejection } from '../../../core/ingest/records.ts'
import type { RecordOutcome } from '../../../core/ingest/write/decide.ts'
import { batchBytes, batchSize, type WriteQueue } from '../../../core/ingest/write/queue.ts'
import { PullFailed, type Ask, type Pull, type PulledPage } from '../adapters/pull.ts'
import { findPull } from '../adapters/all.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { readMoneyRules } from '../../../core/contract/location/money-rules.ts'
import type { Pool, Transaction } from '../../../core/store/db/database.ts'
import { findNotices, keepNotices, listDueKeys, type Notice } from '../store/notices.ts'
import { moveCursor, renewLease, type Lease } from '../store/runs.ts'
import type { SourceRow } from '../store/sources.ts'
import { resourceOf } from '../../../core/contract/all-resources.ts'
import type { Budgets } from './budget.ts'
import { createAsk } from './client.ts'
import { convert, type Conversion, type Converted, type Unstored } from './records.ts'
import { allowedUrl, type SourceLimits } from './limits.ts'
import { readToken } from './secrets.ts'
import type { SeenDocuments } from './seen-documents.ts'
import { Spending, type usualSpending } from './spending.ts'
import { minuteMs, dayMs } from '../../../core/domain/days/time-units.ts'

export type RunDeps = {
  pool: Pool
  writer: Pick<WriteQueue, 'write'>
  asker: Asker
  budgets: Budgets
  seen: SeenDocuments
  clock: () => Date
  pause: (ms: number) => Promise<void>
  random: () => number
  leaseMs: number
  /** Time limit of an answer, in milliseconds. */
  deadlineMs?: number
  /** Called when entries were added to the journal of a location. */
  onStored?: (locationId: string) => void
  /** Whether the process is ending: no further requests are sent. */
  isEnding: () => boolean
  limits: SourceLimits
  /** Limits of a run; the usual ones if absent. */
  spending?: Partial<typeof usualSpending>
}

/** A run ends early because its process ends; the next run continues from there. */
export class RunCut extends Error {}

/** A window ends this long before now, because the newest changes may not be in the lists of a system yet. */
const settlesMs = 5_000

/** Maximum number of refused documents that a run reads again. */
const retriesAtOnce = 100

/** Delay before a refused document is read again, doubled each time, and the number of retries. */
const retryMs = minuteMs
const mostTries = 12

/** Delay before an inactive location is checked again. */
const inactiveMs = 15 * minuteMs

const retryAt = (tries: number, now: Date) =>
  tries >= mostTries ? null : new Date(now.getTime() + retryMs * 2 ** Math.min(tries, 10))

/** What work on an opened source needs. */
export type Opened = {
  pull: Pull
  profile: Profile & { dayStartsAt: string }
  conversion: Conversion
  ask: Ask
  spending: Spending
}

/** Opens a source for requests and keeps `lease` alive; without a lease nothing can be stored. */
export async function openSource(source: SourceRow, deps: RunDeps, lease: Lease | null): Promise<Opened> {
  const { pool, clock, leaseMs } = deps
  const pull = findPull(source.adapter)
  if (!pull)
    throw new PullFailed(
      'stop',
      `this version of Tillgate does not support the source ${source.adapter}: use a version that does`,
    )
  const location = await findLocation(pool, source.locationId)
  if (!location || location.deactivatedAt !== null) {
    throw new PullFailed('again', 'the location is not active: activate it', { retryAfterMs: inactiveMs })
  }
  const { timeZone, currency, dayStartsAt } = location
  const profile = { timeZone, currency, dayStartsAt, ...source.profile, account: source.account }
  const rules = await readMoneyRules(pool, source.locationId, location)
  const { locationId, storedFrom } = source
  const conversion = { pull, profile, locationId, rules, newsFrom: storedFrom, now: clock() }
  let keptUntilMs = clock().getTime() + leaseMs
  const keep = async (forMs: number) => {
    if (!lease || keptUntilMs - clock().getTime() - forMs > leaseMs / 2) return
    keptUntilMs = clock().getTime() + forMs + leaseMs
    await renewLease(pool, lease, new Date(keptUntilMs))
  }
  const spending = new Spending(deps.spending)
  const ask = createAsk({
    ...deps,
    spending,
    pull,
    account: source.account,
    baseUrl: allowedUrl(source.baseUrl, pull.baseUrl, deps.limits),
    owner: source.locationId,
    secret: (refused, exchange) =>
      readToken(source.secret, { oauth: pull.oauth, limits: deps.limits, exchange, refused, now: clock() }),
    beforeEach: () => {
      if (deps.isEnding()) throw new RunCut('the process ends')
      return keep(0)
    },
    pause: async (ms) => {
      await keep(ms)
      await deps.pause(ms)
    },
  })
  return { pull, profile, conversion, ask, spending }
}

/** Lists the deleted documents that are stored: only these become canceled orders. */
async function storedOf(pool: Pool, locationId: string, gone: readonly Incoming[]): Promise<Incoming[]> {
  if (gone.length === 0) return []
  const ids = gone.map(({ id }) => id).toSorted()
  const stored = await resourceOf('order').find(pool, locationId, ids)
  return gone.filter(({ id }) => stored.has(id))
}

function toNotice({ key, kind, reason, rejection }: Unstored, before: Notice | undefined, now: Date): Notice {
  const isSame = before?.kind === kind && before.reason === reason
  const tries = isSame ? before.tries + 1 : 0
  return {
    key,
    kind,
    reason,
    at: isSame ? before.at : now,
    rejectedId: isSame ? before.rejectedId : (rejection?.keptAs ?? null),
    tries,
    dueAt: kind === 'refused' ? retryAt(tries, now) : null,
  }
}

/** Splits records into pieces for one transaction each, in their order; at least one piece. */
function piecesOf(records: readonly Incoming[], bytesOf: (record: Incoming) => number): Incoming[][] {
  const pieces: Incoming[][] = [[]]
  let bytes = 0
  for (const record of records) {
    const size = bytesOf(record)
    const last = pieces.at(-1) as Incoming[]
    if (last.length > 0 && (last.length >= batchSize || bytes + size > batchBytes)) {
      pieces.push([record])
      bytes = size
    } else {
      last.push(record)
      bytes += size
    }
  }
  return pieces
}

/** `missing`: requested keys without a document; `isAsked`: the documents were requested by their keys, known or not. */
type StoreOptions = { missing?: readonly string[]; isAsked?: boolean }

type Keys = Pick<Converted, 'keyOf'>

const anyTimes = { createdAt: '', updatedAt: '' }

const lengthOf = (record: Incoming) => record.document(anyTimes).length

/** One run of one source, whose lease it has. */
export class Run {
  readonly #source: SourceRow
  readonly #lease: Lease
  readonly #deps: RunDeps
  readonly #opened: Opened
  #cursorMs: number
  /** Whether the run reads as far back as once a day (`overlapMs.daily`), and reads remembered documents again. */
  readonly isDaily: boolean
  /** Number of new records and new versions. */
  accepted = 0
  documents = 0
  /** Whether this run has stored the cursor after its data, so that the next run continues there. */
  hasMoved = false

  constructor(source: SourceRow, lease: Lease, deps: RunDeps, opened: Opened) {
    this.#source = source
    this.#lease = lease
    this.#deps = deps
    this.#opened = opened
    const { rereadAt } = source
    this.isDaily = rereadAt === null || deps.clock().getTime() - rereadAt.getTime() >= dayMs
    this.#cursorMs = source.cursor === null ? -Infinity : Date.parse(source.cursor)
  }

  /** Whether remembered documents may be skipped. */
  get #mayKnow(): boolean {
    return this.#opened.pull.standsAlone && !this.isDaily
  }

  /**
   * Reads refused documents that are due, and then the changes since the cursor. Throws `PullFailed` and `LeaseLost`.
   */
  async readAll(): Promise<void> {
    const { clock, pool } = this.#deps
    const { pull, ask, profile } = this.#opened
    const due = await listDueKeys(pool, this.#lease, clock(), retriesAtOnce)
    if (due.length > 0) await this.readKeys(due)
    const { readsFrom, account, id } = this.#source
    const { seen } = this.#deps
    const beganMs = clock().getTime()
    const { usual, hourly, daily } = pull.overlapMs
    const isHourly = hourly !== undefined && seen.isHourDue(id, beganMs)
    const overlapMs = this.isDaily ? daily : isHourly ? hourly : usual
    const fromMs = Math.max(readsFrom.getTime(), this.#cursorMs - overlapMs)
    const until = new Date(clock().getTime() - settlesMs)
    if (fromMs >= until.getTime()) return
    const { timeZone, dayStartsAt } = profile
    const isStored = (key: string, stamp: string) => this.#mayKnow && seen.isStored(id, key, stamp)
    const window = { from: new Date(fromMs), until, timeZone, dayStartsAt, isStored }
    for await (const page of pull.pages(window, account, ask)) {
      await this.store(page)
    }
    if (this.isDaily || isHourly) seen.readHour(id, beganMs)
  }

  /**
   * Reads documents by their keys. Deleted documents are reported and not requested again, unless a check (`isCheck`)
   * only looked for them.
   */
  async readKeys(keys: readonly string[], { isCheck = false } = {}): Promise<void> {
    const { pull, ask } = this.#opened
    const page = await pull.fetch(keys, { account: this.#source.account, now: this.#deps.clock() }, ask)
    const found = new Set(page.documents.map(({ key }) => key))
    const missing = keys.filter((key) => !found.has(key))
    await this.store(page, { missing: isCheck ? [] : missing, isAsked: true })
  }

  /** Stores a page, and moves the cursor in the transaction of its last records. */
  async store(read: PulledPage, { missing = [], isAsked = false }: StoreOptions = {}): Promise<void> {
    const { pool, clock, seen } = this.#deps
    const { locationId, id } = this.#source
    const page = this.#mayKnow && !isAsked ? { ...read, documents: seen.fresh(id, read.documents) } : read
    const now = clock()
    const converted = convert(page, { ...this.#opened.conversion, now })
    this.documents += read.documents.length
    const records = [...converted.records, ...(await storedOf(pool, locationId, converted.gone))]
    const gone = missing.map((key): Unstored => ({ key, kind: 'left', reason: 'no longer exists' }))
    const unstored = new Map([...converted.unstored, ...gone].map((one) => [one.key, one]))
    const before = await findNotices(pool, this.#lease, [...unstored.keys()])
    const notices = [...unstored.values()].map((one) => toNotice(one, before.get(one.key), now))
    const pieces = piecesOf(records, lengthOf)
    const isMoved = page.cursor !== null && Date.parse(page.cursor) > this.#cursorMs
    if (!isMoved && records.length === 0 && unstored.size === 0 && page.documents.length === 0) {
      this.#opened.spending.stored()
      return
    }
    for (const [i, piece] of pieces.entries()) {
      const isLast = i === pieces.length - 1
      const rejected = isLast
        ? [...unstored.values()].flatMap(({ rejection, key }) => {
            const notice = notices.find((one) => one.key === key)
            return rejection && notice?.rejectedId === rejection.keptAs ? [rejection] : []
          })
        : []
      await this.#write(piece, rejected, {
        cursor: isLast && isMoved ? page.cursor : null,
        notices: isLast ? notices : [],
        stored: isLast ? converted.keys.filter((key) => !unstored.has(key)) : [],
        keyOf: converted.keyOf,
      })
    }
    seen.remember(
      id,
      page.documents.filter(({ key }) => !unstored.has(key)),
    )
    this.#opened.spending.stored()
    if (!isMoved) return
    this.#cursorMs = Date.parse(page.cursor as string)
    this.hasMoved = true
  }

  async #write(
    records: Incoming[],
    rejected: Rejection[],
    { cursor, notices, stored, keyOf }: { cursor: string | null; notices: Notice[]; stored: string[] } & Keys,
  ): Promise<void> {
    const { writer, clock, leaseMs } = this.#deps
    const bytes = records.reduce((sum, record) => sum + lengthOf(record), 0)
    const now = clock()
    const until = new Date(now.getTime() + leaseMs)
    const alongside = async (tx: Transaction, outcomes: readonly RecordOutcome[]) => {
      const accepted = outcomes.filter(({ status }) => status === 'accepted').length
      await moveCursor(tx, this.#lease, { cursor, accepted, until })
      const refused = outcomes.flatMap((outcome, i) => {
        if (outcome.status !== 'rejected') return []
        const key = keyOf.get(records[i] as Incoming) ?? ''
        return toNotice({ key, kind: 'refused', reason: outcome.fault.detail }, undefined, now)
      })
      const all = new Map([...notices, ...refused].map((notice) => [notice.key, notice]))
      await keepNotices(tx, this.#lease, {
        notices: [...all.values()],
        stored: stored.filter((key) => !all.has(key)),
      })
    }
    const outcomes = await writer.write(this.#source.locationId, { records, rejected, bytes, keyId: null, alongside })
    this.accepted += outcomes.filter(({ status }) => status === 'accepted').length
  }
}
