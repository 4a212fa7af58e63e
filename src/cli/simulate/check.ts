import type { PageMeta } from '../../schemas/pages.ts'
import type { Reconciliation } from '../../schemas/reconciliation.ts'
import type { Report } from '../../schemas/reports.ts'
import type { Site } from './sites.ts'
import type { TillClient } from './till-client.ts'

export type Checked = {
  locations: number
  /** Reports that were reconciled. */
  reports: number
  /** What does not match, one sentence each; of many the first. */
  mismatches: string[]
  /** All of them. */
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

const pageSize = 100

type Reader = (path: string) => Promise<unknown>

async function totalOf(read: Reader, path: string): Promise<number> {
  return ((await read(path)) as { meta: PageMeta }).meta.totalCount
}

/** Last number of the location's journal. */
export async function headOf(read: Reader): Promise<number> {
  return ((await read('/v1/events/?after=0&limit=1')) as { meta: { head: number } }).meta.head
}

/** Entries after a number, up to the head, that Tillgate wrote of business days by itself. */
async function daysTold(read: Reader, { after, head }: { after: number; head: number }): Promise<number> {
  let told = 0
  for (let from = after; from < head;) {
    const path = `/v1/events/?after=${from}&types=day.completed,day.revised&limit=1000`
    const { data, meta } = (await read(path)) as { data: { sequence: number }[]; meta: { next: number } }
    told += data.filter(({ sequence }) => sequence <= head).length
    if (meta.next <= from) break
    from = meta.next
  }
  return told
}

/** What the server should say of a location, and what it says. */
async function compareCounts(site: Site, read: Reader, complain: (what: string) => void): Promise<void> {
  const { expected, isNew, headBefore, accepted, uncertain } = site
  const [orders, closed, reports, head] = await Promise.all([
    totalOf(read, '/v1/orders/?size=1&state=all'),
    totalOf(read, '/v1/orders/?size=1'),
    totalOf(read, '/v1/reports/?size=1'),
    headOf(read),
  ])
  const compare = (what: string, found: number, wanted: number) => {
    // What was there before this run may be more, never less.
    if (isNew ? found !== wanted : found < wanted) complain(`${found} ${what} instead of ${wanted}`)
  }
  compare('orders', orders, expected.orders)
  compare('closed orders', closed, expected.closed)
  compare('reports', reports, expected.reports)
  const grown = head - headBefore - (await daysTold(read, { after: headBefore, head }))
  // A push that was sent again may have been stored the first time, without an answer that counted it.
  if (grown < accepted || grown > accepted + uncertain) {
    complain(`the journal has grown by ${grown} entries and ${accepted} records were accepted`)
  }
}

/** Reconciles every report of a location but those that began before the run; resolves to how many. */
async function reconcileReports({ expected }: Site, read: Reader, complain: (what: string) => void): Promise<number> {
  let reconciled = 0
  for (let index = 0; ; index += 1) {
    const page = (await read(`/v1/reports/?size=${pageSize}&index=${index}`)) as { data: Report[]; meta: PageMeta }
    for (const { id } of page.data) {
      if (expected.partial.has(id)) continue
      const answer = (await read(`/v1/reports/${id}/reconciliation`)) as Reconciliation
      reconciled += 1
      if (answer.balanced) continue
      const { missing, extra, open } = answer.orders
      complain(
        `report ${answer.reportNumber} is not balanced: ${answer.differences.length} differences, ` +
          `${missing.length} orders missing, ${extra.length} extra, ${open.length} open`,
      )
    }
    if (index + 1 >= page.meta.totalPage) return reconciled
  }
}

/** Compares what the server shows of each location, over HTTP, with what was sent. */
export async function checkSites({ sites, client, concurrency, signal, onProgress }: Check): Promise<Checked> {
  const checked: Checked = { locations: 0, reports: 0, mismatches: [], mismatchCount: 0 }
  const queue = sites.values()
  const checker = async () => {
    for (const site of queue) {
      const read: Reader = (path) => client.get(site.key, path, signal)
      const complain = (what: string) => {
        checked.mismatchCount += 1
        if (checked.mismatches.length < mismatchesKept) checked.mismatches.push(`location ${site.locationId}: ${what}`)
      }
      await compareCounts(site, read, complain)
      const reports = await reconcileReports(site, read, complain)
      checked.reports += reports
      checked.locations += 1
      onProgress(checked.locations)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, checker))
  return checked
}
