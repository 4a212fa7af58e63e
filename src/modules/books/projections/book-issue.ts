import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { effectiveAccounts } from '../domain/accounts.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { AppError } from '../../../core/contract/errors/errors.ts'
import type { BookBatch, BookBatchDue, BookBatchInput, BookUnmapped } from '../schemas/books.ts'
import { transact, type Pool, type Transaction } from '../../../core/store/db/database.ts'
import { findLastBatch } from '../store/batches.ts'
import { listTouchedBookDays } from '../store/sums.ts'
import { getBookAccounts } from '../store/book-accounts.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { takeHead } from '../../../core/store/journal/resumption.ts'
import { dueDays, namedDays, stretchesOf } from './book-due.ts'
import { appendBatch, dueOf, planBatch, type Planned } from './book-batches.ts'
import { refusedOf, tillsOf, unmappedOf } from './book-lists.ts'
import { readBooks, type BookedSource, type Books } from './books.ts'
import { bookDaysOf, daysProjection, readPendingDays } from '../../figures/projections/days.ts'
import { readExactly } from '../../figures/projections/exact.ts'
import { findIncomplete } from '../../figures/projections/require-complete.ts'

/**
 * Maximum orders of days without a Z that are read at once. Further days are read only if the days before them have
 * nothing to issue.
 */
const defaultOrdersAtOnce = 20_000

/**
 * Number of attempts to plan a batch without a lock. If tills changed the plan each time, it is then computed while
 * tills wait.
 */
const triesWithoutLock = 3

type Plan = {
  planned: Planned
  books: Books
  location: LocationRow
  sequence: number
  /** Business days that the plan depends on. */
  days: Set<string>
}

function checkInput(input: BookBatchInput, sources: readonly BookedSource[]): void {
  const named = [...(input.accept ?? []).map(({ reportId }) => reportId.toLowerCase()), ...(input.reissue ?? [])]
  const known = new Set(sources.map(({ sums }) => sums.source.id))
  const unknown = named.find((id) => !known.has(id.toLowerCase()))
  if (unknown !== undefined)
    throw new AppError(
      'entry_source_not_found',
      `no entry of ${unknown} can be issued up to ${input.until}: use the id of a Z report or the date of a business day up to then`,
    )
}

/** Throws an error if something prevents the batch. `days` are the incomplete days. */
function checkSources(input: BookBatchInput, days: readonly string[], books: Books): void {
  const { sources } = books
  const refused = refusedOf(
    sources.filter(({ state }) => state === 'waiting' || state === 'refused'),
    tillsOf(books),
  )
  if (refused.length + days.length > 0 && input.skip !== true) {
    const what =
      refused[0] === undefined
        ? `business days up to ${input.until} that are not complete: ${days.length}, the first is ${days[0]}. Wait for them, or leave them out with skip`
        : `Z reports and days up to ${input.until} that cannot be booked: ${refused.length}, the first is ${refused[0].pieceRef} of ${refused[0].date}. Correct or accept them, or leave them out with skip`
    throw new AppError('books_incomplete', what, { members: { days, refused } })
  }
  const names: BookUnmapped[] = unmappedOf(sources.filter(({ state }) => state === 'ready' || state === 'changed'))
  if (names.length > 0 && input.unmapped !== 'suspense')
    throw new AppError(
      'accounts_unmapped',
      `names without an account: ${names.length}. Assign an account to each with PUT /v1/books/accounts, or tillgate books accounts --set`,
      {
        members: { names },
      },
    )
}

function rangeOf(days: ReadonlySet<string>, until: string): DayRange {
  const sorted = [...days].toSorted()
  return { since: sorted[0] ?? until, until: sorted.at(-1) ?? until }
}

type Planning = { input: BookBatchInput; incomplete: readonly string[]; now: Date; ordersAtOnce: number }

async function plan(
  tx: Transaction,
  locationId: string,
  { input, incomplete, now, ordersAtOnce }: Planning,
): Promise<Plan | undefined> {
  const [live, location, last, accounts] = [
    await readPendingDays(tx, locationId),
    await findLocation(tx, locationId),
    await findLastBatch(tx, locationId),
    await getBookAccounts(tx, locationId),
  ]
  if (!live || !location) return undefined
  checkAfter(input, last?.number ?? 0)
  const accept = new Set((input.accept ?? []).map(({ reportId }) => reportId.toLowerCase()))
  const reissue = new Set((input.reissue ?? []).map((id) => id.toLowerCase()))
  const options = { now, location, accounts, accept, reissue }
  const { startsOn } = effectiveAccounts(accounts.own)
  const named = await namedDays(tx, locationId, live, input)
  const stretches = stretchesOf(await dueDays(tx, locationId, live, input.until), startsOn, ordersAtOnce)
  const sources: BookedSource[] = []
  for (const [i, stretch] of stretches.entries()) {
    const isLast = i === stretches.length - 1
    const days = new Set(i === 0 ? [...stretch, ...named] : stretch)
    const books = await readBooks(tx, locationId, live, { ...options, range: rangeOf(days, input.until), days })
    if (i === 0) checkInput(input, books.sources)
    checkSources(input, incomplete, books)
    sources.push(...books.sources)
    const planned = await planBatch(tx, locationId, books.sources, { finder: books.finder, version: accounts.version })
    if (planned.entries.length === 0 && !isLast) continue
    planned.hasMore ||= !isLast
    const touching = sources.flatMap(({ sums }) => [sums.day, ...sums.attached.map(({ day }) => day)])
    return { planned, books: { ...books, sources }, location, sequence: live.reached, days: new Set(touching) }
  }
  return undefined
}

function checkAfter({ after }: BookBatchInput, last: number): void {
  if (after === last) return
  throw new AppError(
    'batch_exists',
    `the last batch is ${last}, not ${after}: ${after < last ? `read the batches above ${after}; to issue another one, ` : ''}set after to ${last}`,
    { members: { number: last } },
  )
}

/** Returns whether the planned sources are unchanged. The caller holds the head's lock. */
async function stillHolds(tx: Transaction, locationId: string, { sequence, days, books }: Plan): Promise<boolean> {
  if ((await getBookAccounts(tx, locationId)).version !== books.accounts.version) return false
  const live = await readPendingDays(tx, locationId)
  if (!live) return false
  const place = { locationId, generation: live.generation.generation }
  const [since, until] = [[...days].toSorted()[0] ?? '', [...days].toSorted().at(-1) ?? '']
  const touched = await listTouchedBookDays(tx, place, { since, until, after: sequence })
  return ![...touched, ...bookDaysOf(live.pending)].some((day) => days.has(day))
}

/**
 * Lists the business days since the last batch that are not complete. A batch can end later than the day on which it is
 * issued; days that were not over then are still to be looked at.
 */
async function incompleteDays(pool: Pool, locationId: string, input: BookBatchInput, now: Date): Promise<string[]> {
  if (input.skip === true) return []
  const [last, accounts, location] = await Promise.all([
    findLastBatch(pool, locationId),
    getBookAccounts(pool, locationId),
    findLocation(pool, locationId),
  ])
  checkAfter(input, last?.number ?? 0)
  const { startsOn } = effectiveAccounts(accounts.own)
  const next =
    last && location
      ? [addDays(last.until, 1), businessTime(location).dayOf(last.createdAt.getTime())].toSorted()[0]
      : undefined
  const since = [next ?? '0001-01-01', startsOn ?? '0001-01-01'].toSorted().at(-1) as string
  if (since > input.until) return []
  const found = await findIncomplete(pool, locationId, { since, until: input.until }, now)
  // Without any data there is no first day, and the books wait for nothing.
  return found === undefined || found.isEmpty ? [] : found.days
}

type Issuing = { input: BookBatchInput; now: Date; seen: number; ordersAtOnce?: number }

export type IssuedBatch = { batch: BookBatch; document: string; seq: number }

/** Counts what `issueBatch` would issue for the same input, and throws the same errors. */
export async function previewBatch(
  pool: Pool,
  locationId: string,
  { input, now, ordersAtOnce = defaultOrdersAtOnce }: Omit<Issuing, 'seen'>,
): Promise<BookBatchDue> {
  const planning = { input, now, ordersAtOnce, incomplete: await incompleteDays(pool, locationId, input, now) }
  const made = await readExactly(pool, locationId, daysProjection, (tx) => plan(tx, locationId, planning))
  return dueOf(made.planned)
}

/**
 * Issues the next batch of a location: all sources up to a day that are ready, or that changed after they were issued.
 * The batch is planned without a lock. With the head of the journal locked, the function only checks that the sources
 * of the plan are unchanged; after three failed checks it plans again under the lock. Returns undefined if nothing is
 * due. Throws `batch_exists`, `batch_changed`, `books_incomplete`, `accounts_unmapped`, `entry_source_not_found`,
 * `FiguresBuilding`.
 */
export async function issueBatch(
  pool: Pool,
  locationId: string,
  { input, now, seen, ordersAtOnce = defaultOrdersAtOnce }: Issuing,
): Promise<IssuedBatch | undefined> {
  const planning = { input, now, ordersAtOnce, incomplete: await incompleteDays(pool, locationId, input, now) }
  for (let tries = 0; ; tries++) {
    const free = await readExactly(pool, locationId, daysProjection, (tx) => plan(tx, locationId, planning))
    const issued = await transact(pool, async (tx) => {
      const head = await takeHead(tx, locationId, { now, seen })
      if (!head) return undefined
      const last = await findLastBatch(tx, locationId)
      checkAfter(input, last?.number ?? 0)
      const isAsPlanned = head.seq === free.sequence || (await stillHolds(tx, locationId, free))
      if (!isAsPlanned && tries < triesWithoutLock) return 'changed' as const
      const made = isAsPlanned ? free : await plan(tx, locationId, planning)
      if (!made) return 'changed' as const
      const { planned, location, books, sequence } = made
      if (input.plan !== undefined && input.plan !== dueOf(planned).plan) throw new AppError('batch_changed')
      if (planned.entries.length === 0) return undefined
      const skipped = books.sources
        .filter(({ state }) => state === 'waiting' || state === 'refused' || state === 'blocked')
        .map(({ sums }) => sums.source.id)
      const accountsVersion = books.accounts.version
      return appendBatch(tx, locationId, head, { input, planned, accountsVersion, sequence, skipped, location, now })
    })
    if (issued !== 'changed') return issued
  }
}
