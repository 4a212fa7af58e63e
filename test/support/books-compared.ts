import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { daysProjection } from '../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../src/modules/figures/projections/projection.ts'
import type { BookingEntry, BookingEntryList } from '../../src/modules/books/schemas/books.ts'
import type { Order } from '../../src/core/contract/orders/schema.ts'
import type { Report } from '../../src/core/contract/reports/schema.ts'
import type { Site, TestApp } from './app.ts'
import { oracleEntries, type OracleSettings } from './books-oracle.ts'
import { nameOfFile, readFec } from './fec-rules.ts'

export type RawRecord = { type: string; data: any }

/** Every Z must be bookable with each of these settings. */
export const fourSettings: OracleSettings[] = [
  { layout: 'direct', revenueBy: 'rate', discounts: 'net', drawer: true },
  { layout: 'clearing', revenueBy: 'rate', discounts: 'net', drawer: true },
  { layout: 'direct', revenueBy: 'category', discounts: 'gross', drawer: true },
  { layout: 'clearing', revenueBy: 'serviceType', discounts: 'net', drawer: false },
]

const years = (first: string, last: string): { since: string; until: string }[] => {
  const found: { since: string; until: string }[] = []
  for (let year = Number(first.slice(0, 4)); year <= Number(last.slice(0, 4)); year++)
    found.push({ since: `${year}-01-01`, until: `${year}-12-31` })
  return found
}

/** Replaces the accounts of a location. */
async function setAccounts(app: TestApp, { key }: Site, own: object): Promise<void> {
  const { headers } = await app.get('/v1/books/accounts', { key })
  const answer = await app.request('PUT', '/v1/books/accounts', {
    key,
    headers: { 'content-type': 'application/json', 'if-match': String(headers.etag) },
    body: JSON.stringify(own),
  })
  assert.equal(answer.status, 200, answer.text)
}

/** Reads all pages of a range. */
async function readEntries(
  app: TestApp,
  { key }: Site,
  range: { since: string; until: string },
): Promise<{ data: BookingEntry[]; refused: BookingEntryList['refused'] }> {
  const data: BookingEntry[] = []
  for (let index = 0; ; index++) {
    const path = `/v1/books/entries/?since=${range.since}&until=${range.until}&index=${index}&size=100`
    const answer = await app.get(path, { key })
    assert.equal(answer.status, 200, answer.text)
    const page = answer.json as BookingEntryList
    data.push(...page.data)
    if (index + 1 >= page.meta.totalPage) return { data, refused: page.refused }
  }
}

/** Checks a file with hledger and ledger: both refuse unbalanced entries and undeclared names. */
export function checkLedgers(text: Buffer): void {
  const folder = mkdtempSync(join(tmpdir(), 'books-'))
  const file = join(folder, 'entries.journal')
  writeFileSync(file, text)
  try {
    // Without this locale, hledger reads the file as ASCII.
    const env = { ...process.env, LC_ALL: 'C.UTF-8' }
    const hledger = spawnSync('hledger', ['-f', file, 'check', '--strict'], { encoding: 'utf8', env })
    assert.equal(hledger.status, 0, hledger.stderr)
    const ledger = spawnSync('ledger', ['-f', file, '--pedantic', 'balance'], { encoding: 'utf8', env })
    assert.equal(ledger.status, 0, ledger.stderr)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const hasLedgers = (): boolean =>
  ['hledger', 'ledger'].every((name) => spawnSync(name, ['--version']).status === 0)

const isCounted = ({ closedAt, isCanceled, isTraining }: Order) => closedAt !== null && !isCanceled && !isTraining

/**
 * Checks the journal of a range in FEC format against the rules of the tax office, in both encodings. Resolves to the
 * sum of its debits.
 */
async function checkFec(app: TestApp, { key }: Site, range: { since: string; until: string }): Promise<bigint> {
  const path = `/v1/books/entries/?since=${range.since}&until=${range.until}&format=fec`
  let debit = 0n
  for (const encoding of ['iso-8859-15', 'utf-8'] as const) {
    const { status, bytes, headers, text } = await app.get(`${path}&encoding=${encoding}`, { key })
    assert.equal(status, 200, text)
    assert.equal(headers['content-type'], `text/plain; charset=${encoding}`)
    const name = nameOfFile(headers['content-disposition'] as string | undefined)
    const read = readFec({ bytes, name, until: range.until, encoding, isPreview: true })
    assert.deepEqual(read.faults, [])
    debit = read.debit
  }
  return debit
}

/**
 * Pushes records to a location, and compares its entries with those of the oracle for each of the settings; hledger and
 * ledger check the files if installed. Resolves to the number of booked Z reports.
 */
export async function bookedAlike(
  app: TestApp,
  site: Site,
  records: readonly RawRecord[],
  settings: readonly OracleSettings[],
): Promise<number> {
  const of = (type: string) => records.filter((record) => record.type === type).map(({ data }) => data as unknown)
  const moved = records.map(({ type, data }) => {
    if (Array.isArray(data)) return { type, data }
    return { type, data: { ...data, ...(type === 'location' ? { id: site.id } : { locationId: site.id }) } }
  })
  for (let at = 0; at < moved.length; at += 2_000) await app.store(moved.slice(at, at + 2_000), site.key)
  while ((await stepProjection(app.pool, daysProjection, site.id)) === 'behind');
  const orders = new Map((of('order') as Order[]).map((order) => [order.id, order]))
  const reports = of('report') as Report[]
  const payments = (of('catalog.payments').flat() as { id: string; name: string }[]).map(
    ({ id, name }) => [id, name] as const,
  )
  const names = new Map(payments)
  const dates = reports.map(({ finalizedAt }) => finalizedAt).toSorted()
  let booked = 0
  for (const setting of settings) {
    await setAccounts(app, site, setting)
    const found = new Map<string, BookingEntry>()
    let [inFiles, expectedDebit] = [0n, 0n]
    for (const range of years(dates[0] as string, dates.at(-1) as string)) {
      const { data, refused } = await readEntries(app, site, range)
      assert.deepEqual(refused, [])
      for (const entry of data) found.set(entry.id, entry)
      inFiles += await checkFec(app, site, range)
      if (!hasLedgers() || data.length === 0) continue
      const file = await app.get(`/v1/books/entries/?since=${range.since}&until=${range.until}&format=hledger`, {
        key: site.key,
      })
      checkLedgers(file.bytes)
    }
    booked = 0
    for (const report of reports) {
      const counted = report.orders.flatMap((id) => orders.get(id) ?? []).filter(isCounted)
      // The tests of report checks cover the day of the Z; here only its figures are compared.
      const date = [...found.values()].find(({ id }) => id.startsWith(report.id))?.date ?? ''
      const expected = oracleEntries({ report, orders: counted, date, names }, setting)
      for (const entry of expected) {
        const made = found.get(entry.id)
        const lines = made?.lines.map(({ account, auxiliary, debit, credit }) => [
          account,
          auxiliary ?? '',
          debit,
          credit,
        ])
        for (const [, , debit] of entry.lines) expectedDebit += BigInt(debit)
        assert.deepEqual(lines, entry.lines, `${setting.layout} ${setting.revenueBy} Z ${report.reportNumber}`)
        assert.equal(made?.hash, entry.hash)
        assert.equal(made?.journal.code, entry.journal)
        found.delete(entry.id)
      }
      booked += 1
    }
    assert.deepEqual([...found.keys()], [], 'entries that the oracle does not have')
    assert.equal(inFiles, expectedDebit, 'the debits of the files in FEC format')
  }
  return booked
}
