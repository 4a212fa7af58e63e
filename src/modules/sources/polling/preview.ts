import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { toText } from '../../../core/domain/documents/document-text.ts'
import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import { PullFailed, type PulledDocument } from '../adapters/pull.ts'
import type { SourceRow } from '../store/sources.ts'
import type { Budgets } from './budget.ts'
import { convert, type Unstored } from './records.ts'
import { totalsOf } from './nightly.ts'
import { openSource, type RunDeps } from './run.ts'

/** A check reads at most this many documents. */
const mostDocuments = 2_000

/** What a source would store, and its own figures: nothing is stored. Amounts are minor units. */
export type Preview = {
  day: string
  currency: string
  decimals: number
  documents: number
  orders: number
  /** Sales of the counted orders of the day. */
  sales: number
  /** Payments including tips, or sales (`Pull.states`): as Tillgate would store them, and as the source states them. */
  paidHere: number
  paidThere: number
  /** Whether there are more documents than a check reads. */
  isCut: boolean
  left: Unstored[]
  refused: Unstored[]
  unmapped: [string, number][]
}

export type PreviewDeps = Omit<RunDeps, 'writer'> & { budgets: Budgets }

const neverWrites: RunDeps['writer'] = {
  write: async () => {
    throw new Error('a check stores nothing')
  },
}

/**
 * Reads the changes since the start of the last ended business day, and the source's figures for that day. Throws
 * `PullFailed`.
 */
export async function previewSource(source: SourceRow, deps: PreviewDeps): Promise<Preview> {
  const opened = await openSource(source, { ...deps, writer: neverWrites }, null)
  const { pull, profile, conversion, ask } = opened
  const { startOf, dayOf } = businessTime(profile)
  const now = deps.clock()
  const day = addDays(dayOf(now.getTime()), -1)
  const window = {
    from: new Date(startOf(day)),
    until: now,
    timeZone: profile.timeZone,
    dayStartsAt: profile.dayStartsAt,
    isStored: () => false,
  }
  const documents = new Map<string, PulledDocument>()
  const context: PulledDocument[] = []
  let isCut = false
  for await (const page of pull.pages(window, source.account, ask)) {
    for (const one of page.documents) documents.set(one.key, one)
    context.push(...(page.context ?? []))
    isCut = documents.size > mostDocuments
    if (isCut) break
  }
  const page = { documents: [...documents.values()], context, cursor: null }
  const { records, unstored } = convert(page, { ...conversion, newsFrom: null })
  const orders = records
    .filter(({ type }) => type === 'order')
    .map((record) => JSON.parse(toText(record.document({}))) as Order)
  const [totals] = await totalsOf(source, opened, { first: day, last: day }, async () => orders)
  const { decimals } = conversion.rules.money
  const counted = orders.filter(
    (order) => standingOf(order) === 'counted' && dayOf(Date.parse(order.closedAt ?? order.openedAt)) === day,
  )
  const mapped = pull.map(
    page.documents.map(({ document }) => document),
    profile,
  )
  return {
    day,
    currency: profile.currency,
    decimals,
    documents: documents.size,
    orders: counted.length,
    sales: sumToMinor(
      counted.map(({ total }) => total),
      decimals,
    ),
    paidHere: totals?.here ?? 0,
    paidThere: totals?.there ?? 0,
    isCut,
    left: unstored.filter(({ kind }) => kind === 'left'),
    refused: unstored.filter(({ kind }) => kind === 'refused'),
    unmapped: [...mapped.unmapped].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)),
  }
}

/** Returns the system's message if it caused an error; undefined for every other error. */
export const findSourceFailure = (error: unknown): string | undefined =>
  error instanceof PullFailed ? error.message : undefined
