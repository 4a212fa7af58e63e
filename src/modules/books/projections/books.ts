import { AccountFinder, effectiveAccounts } from '../domain/accounts.ts'
import type { Draft } from '../domain/entry.ts'
import { judge, type Circumstances, type Judgement } from '../domain/judgement.ts'
import { numberText } from '../domain/numbers.ts'
import { daySums } from '../domain/sources.ts'
import type { BookSums } from '../domain/sums.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import type { BookingEntry, BookState } from '../schemas/books.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listBookAccounts, type BookAccountsRow } from '../store/book-accounts.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { listIssued, listIssuedOf, type IssuedRow } from '../store/batches.ts'
import type { LiveDays } from '../../figures/projections/days.ts'
import { readBookSources } from './book-sources.ts'

/**
 * The current state of a source. An issued source has its issued entries; any other has the entries that the current
 * accounts would give.
 */
export type BookedSource = {
  sums: BookSums
  state: BookState
  judgement: Judgement
  entries: BookingEntry[]
  /** The entries issued for the source; empty if none were issued. */
  issued: IssuedRow[]
}

export type Books = {
  sources: BookedSource[]
  accounts: BookAccountsRow
  finder: AccountFinder
}

type BooksQuery = {
  range: DayRange
  now: Date
  location: LocationRow
  accounts: BookAccountsRow
  /** Ids of reports that are booked from their own figures alone. */
  accept?: ReadonlySet<string>
  /** Ids of issued sources to issue again with the current accounts. */
  reissue?: ReadonlySet<string>
  /** The days of the range to look at; all if absent. */
  days?: ReadonlySet<string>
}

const sameHashes = (drafts: readonly Draft[], issued: readonly IssuedRow[]): boolean =>
  drafts.length === issued.length &&
  drafts.every(({ side, hash }) => issued.some((row) => row.side === side && row.hash === hash))

function stateOf(now: Judgement, was: Judgement | undefined, issued: readonly IssuedRow[]): BookState {
  if (was === undefined) return now.standing
  if (sameHashes(was.drafts, issued)) return 'issued'
  return now.standing === 'ready' || now.standing === 'empty' ? 'changed' : 'blocked'
}

function toEntry(
  draft: Draft,
  { source }: BookSums,
  of: Pick<BookingEntry, 'state' | 'accountsVersion' | 'number' | 'batch' | 'warnings'>,
): BookingEntry {
  const { id, journal, date, pieceRef, pieceDate, currency, lines, totals, hash } = draft
  const { type, reportNumber, deviceName, sequence } = source
  return {
    id,
    source: { type, reportId: type === 'report' ? source.id : null, reportNumber, deviceName, sequence },
    state: of.state,
    journal,
    date,
    pieceRef,
    pieceDate,
    currency,
    lines,
    totals,
    accountsVersion: of.accountsVersion,
    hash,
    number: of.number,
    batch: of.batch,
    reverses: null,
    warnings: of.warnings,
  }
}

/** Judges sources by the current accounts, and issued sources by the accounts with which they were issued. */
class Judge {
  readonly #finders = new Map<number, AccountFinder>()
  readonly #today: AccountFinder
  readonly #version: number

  constructor(versions: ReadonlyMap<number, BookAccountsRow>, today: AccountFinder, version: number) {
    for (const [number, { own }] of versions) this.#finders.set(number, new AccountFinder(effectiveAccounts(own)))
    this.#today = today
    this.#version = version
  }

  book(
    sums: BookSums,
    { isReissued, ...circumstances }: Circumstances & { isReissued: boolean },
    issued: readonly IssuedRow[],
  ): BookedSource {
    const [first] = issued
    const now = judge(sums, this.#today, circumstances)
    const isAccepted = first?.isAccepted ?? false
    const then = first && this.#finders.get(first.accountsVersion)
    const was = then && judge(sums, then, { ...circumstances, isAccepted })
    const stands = stateOf(now, was, issued)
    const state = stands === 'issued' && isReissued && now.standing === 'ready' ? 'changed' : stands
    const judgement = state === 'issued' ? (was as Judgement) : now
    const entries = judgement.drafts.map((draft) => {
      const row = state === 'issued' ? issued.find(({ side }) => side === draft.side) : undefined
      return toEntry(draft, sums, {
        state,
        accountsVersion: row?.accountsVersion ?? this.#version,
        number: row ? numberText(row.series, row.ordinal) : null,
        batch: row?.batch ?? null,
        warnings: judgement.warnings,
      })
    })
    return { sums, state, judgement, entries, issued: [...issued] }
  }
}

const keyOf = ({ sums: { day, source }, entries }: BookedSource) =>
  [entries[0]?.date ?? day, source.deviceName ?? '', source.reportNumber ?? 0, source.id] as const

/** Orders the sources of books by date, till, number and id. */
function compareSources(a: BookedSource, b: BookedSource): number {
  const [x, y] = [keyOf(a), keyOf(b)]
  for (let i = 0; i < x.length; i++) {
    const [left, right] = [x[i] as string | number, y[i] as string | number]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}

/** Finds days that have issued entries but no longer any orders without a Z: their entries are reversed. */
function vanishedDays(issued: readonly IssuedRow[], known: ReadonlySet<string>): string[] {
  const days = issued.filter(({ source, day }) => source === day && !known.has(source)).map(({ day }) => day)
  return [...new Set(days)]
}

/** Reads the book states of the sources of some business days, in the caller's snapshot, in the order of books. */
export async function readBooks(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { range, now, location, accounts, accept = new Set(), reissue = new Set(), days }: BooksQuery,
): Promise<Books> {
  const finder = new AccountFinder(effectiveAccounts(accounts.own))
  const isLookedAt = (day: string) => days === undefined || days.has(day)
  const read = await readBookSources(sql, locationId, live, { range, now, location, isLookedAt })
  const ids = read.sources.map(({ source }) => source.id)
  const [ofDays, ofSources] = await Promise.all([
    listIssued(sql, locationId, range),
    listIssuedOf(sql, locationId, ids),
  ])
  const known = new Set(ids)
  const vanished = vanishedDays(ofDays, known).filter(isLookedAt)
  const gone = vanished.map((day) => daySums({ day, orders: [], sequence: 0, isComplete: true }, read.rules))
  const issued = Map.groupBy(
    [...ofSources, ...ofDays.filter(({ source }) => vanished.includes(source))],
    ({ source }) => source,
  )
  const versions = new Set([...issued.values()].flat().map(({ accountsVersion }) => accountsVersion))
  const judges = new Judge(await listBookAccounts(sql, locationId, [...versions]), finder, accounts.version)
  const { startsOn } = finder.accounts
  const sources = [...read.sources, ...gone]
    .filter(({ day, source }) => startsOn === null || day >= startsOn || issued.has(source.id))
    .map((sums) => {
      const { id } = sums.source
      const circumstances = { ...read.circumstancesOf(sums), currency: location.currency }
      return judges.book(
        sums,
        { ...circumstances, isAccepted: accept.has(id), isReissued: reissue.has(id) },
        issued.get(id) ?? [],
      )
    })
  return { sources: sources.toSorted(compareSources), accounts, finder }
}
