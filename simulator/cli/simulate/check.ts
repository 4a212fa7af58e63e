import type { Tillgate } from '#client'
import { some } from '../../../src/core/cli/terminal/output.ts'
import type { Site } from './sites.ts'
import type { TillClient } from './till-client.ts'

export type Checked = {
  locations: number
  /** Number of reconciled reports. */
  reports: number
  /** The first mismatches, one sentence each. */
  mismatches: string[]
  /** Number of all mismatches. */
  mismatchCount: number
}

export type Check = {
  sites: readonly Site[]
  client: TillClient
  concurrency: number
  signal: AbortSignal
  onProgress: (sites: number) => void
}

const mismatchesKept = 20

type Counted = { pages(): AsyncIterable<{ meta: { totalCount: number } }> }

async function totalOf(list: Counted): Promise<number> {
  for await (const { meta } of list.pages()) return meta.totalCount
  return 0
}

/** Returns the last number of the location's journal. */
export async function headOf(tillgate: Tillgate, signal: AbortSignal): Promise<number> {
  return (await tillgate.journalHead({ signal })).sequence
}

type Span = { after: number; head: number; signal: AbortSignal }

/** Counts the entries about business days that Tillgate wrote by itself, after a number and up to the head. */
async function dayEvents(tillgate: Tillgate, { after, head, signal }: Span): Promise<number> {
  let received = 0
  for (let from = after; from < head;) {
    const query = { after: from, types: 'day.completed,day.revised', limit: 1000, signal }
    const { data, meta } = await tillgate.eventsPage(query)
    received += data.filter(({ sequence }) => sequence <= head).length
    if (meta.next <= from) break
    from = meta.next
  }
  return received
}

/** Maximum number of entries to read for days that were sealed without an event. */
const entriesRead = 1_000

/**
 * Counts journal entries about days that have no event, because past days are sealed without one. Reads back from the
 * head until `wanted` are found.
 */
async function daysSealed(tillgate: Tillgate, { after, head, signal }: Span, wanted: number): Promise<number> {
  let sealed = 0
  for (let seq = head; seq > Math.max(after, head - entriesRead) && sealed < wanted; seq--) {
    const { kind, types } = await tillgate.journalEntry(seq, { signal })
    if (kind === 'day' && types.length === 0) sealed += 1
  }
  return sealed
}

type Comparison = { tillgate: Tillgate; signal: AbortSignal; complain: (what: string) => void }

/** Compares the server's figures of a location with the expected ones. */
async function compareCounts(site: Site, { tillgate, signal, complain }: Comparison): Promise<void> {
  const { expected, isNew, headBefore, accepted, uncertain } = site
  const [orders, closed, reports, head] = await Promise.all([
    totalOf(tillgate.orders({ size: 1, state: 'all', signal })),
    totalOf(tillgate.orders({ size: 1, signal })),
    totalOf(tillgate.reports({ size: 1, signal })),
    headOf(tillgate, signal),
  ])
  const compare = (what: string, found: number, wanted: number) => {
    // A location from before this run may have more, never less.
    if (isNew ? found !== wanted : found < wanted) complain(`${some(found, what)} instead of ${wanted}`)
  }
  compare('order', orders, expected.orders)
  compare('closed order', closed, expected.closed)
  compare('report', reports, expected.reports)
  const span = { after: headBefore, head, signal }
  const withDays = head - headBefore - (await dayEvents(tillgate, span))
  const grown = withDays - (await daysSealed(tillgate, span, withDays - accepted - uncertain))
  // A repeated push may have been stored the first time, without an answer that counted it.
  if (grown < accepted || grown > accepted + uncertain) {
    complain(
      `the journal has grown by ${some(grown, 'entry', 'entries')} and ${some(accepted, 'record')} were accepted`,
    )
  }
}

/** Reconciles every report of a location except those that began before the run; resolves to their number. */
async function reconcileReports({ expected }: Site, { tillgate, signal, complain }: Comparison): Promise<number> {
  let reconciled = 0
  for await (const { id } of tillgate.reports({ signal })) {
    if (expected.partial.has(id)) continue
    const answer = await tillgate.reconciliation(id, { signal })
    reconciled += 1
    if (answer.balanced) continue
    const { missing, extra, open } = answer.orders
    complain(
      `report ${answer.reportNumber} is not balanced: ${some(answer.differences.length, 'difference')}, ` +
        `${some(missing.length, 'order')} missing, ${extra.length} extra, ${open.length} open`,
    )
  }
  return reconciled
}

/** Compares what the server shows of each location, over HTTP, with what was sent. */
export async function checkSites({ sites, client, concurrency, signal, onProgress }: Check): Promise<Checked> {
  const checked: Checked = { locations: 0, reports: 0, mismatches: [], mismatchCount: 0 }
  const queue = sites.values()
  const checker = async () => {
    for (const site of queue) {
      const complain = (what: string) => {
        checked.mismatchCount += 1
        if (checked.mismatches.length < mismatchesKept) checked.mismatches.push(`location ${site.locationId}: ${what}`)
      }
      const reports = await client.ask(site.key, async (tillgate) => {
        await compareCounts(site, { tillgate, signal, complain })
        return reconcileReports(site, { tillgate, signal, complain })
      })
      checked.reports += reports
      checked.locations += 1
      onProgress(checked.locations)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, checker))
  return checked
}
