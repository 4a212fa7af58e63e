import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { installationId } from '../../src/core/domain/accounts/keys.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, visitAs, visitAsOperator } from '../support/console.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

type Row = Record<string, string>

/** Downloads the CSV file of a table for programs, and reads it with a library. */
async function fileOf(page: Page, caption: string): Promise<Row[]> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `CSV for programs: ${caption}`, exact: true }).click(),
  ])
  return parse(await readFile(await download.path(), 'utf8'), { columns: true })
}

describe('files of tables', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts
  const known = addKey(site.pool, installationId, { scopes: ['admin'] })

  const asAdmin = async (path: string) => {
    const { key } = await known
    const answer = await fetch(`${site.url}${path}`, { headers: { 'x-api-key': key } })
    assert.equal(answer.status, 200, path)
    return (await answer.json()) as { data: Record<string, any>[]; meta: { next: string | null } }
  }

  /** Reads all rows of a list of the installation, with its key. */
  async function allOf(path: string): Promise<Record<string, any>[]> {
    const rows: Record<string, any>[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { data, meta } = await asAdmin(
        cursor === '' ? path : `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`,
      )
      rows.push(...data)
      cursor = meta.next
    }
    return rows
  }

  test('of the installation contain every row of the list and every field of the answer', async () => {
    // More than a page of locations and keys.
    for (let n = 0; n < 60; n++) {
      const id = await addLocation(site.pool)
      await addKey(site.pool, id, { scopes: ['read', 'webhooks'] })
    }
    const { context, page } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops')
    const locations = await allOf('/v1/admin/locations/')
    assert.ok(locations.length > 60)
    const places = await fileOf(page, 'Locations')
    assert.deepEqual(new Set(places.map(({ id }) => id)), new Set(locations.map(({ id }) => id)))
    for (const location of locations) {
      const row = places.find(({ id }) => id === location['id'])
      assert.deepEqual(
        [row?.['name'], row?.['webhooks.enabled']],
        [location['name'], String(location['webhooks'].enabled)],
      )
      const sales: number | undefined = location['today']?.salesInclTax
      assert.equal(row?.['today.salesInclTax'], sales === undefined ? '' : String(sales / 100))
    }
    await goTo(page, site, '/ops/keys')
    const keys = await allOf('/v1/admin/keys/')
    const filed = await fileOf(page, 'Keys')
    assert.deepEqual(
      new Map(filed.map(({ id, name, scopes }) => [id, [name, scopes]])),
      new Map(keys.map(({ id, name, scopes }) => [id, [name, scopes.join(' ')]])),
    )
    await goTo(page, site, '/ops/keys?tab=sessions')
    const signedIn = await fileOf(page, 'Sessions')
    assert.deepEqual(
      signedIn.map(({ id, address, userAgent }) => [id, address, userAgent]),
      (await allOf('/v1/console/sessions/')).map(({ id, userAgent }) => [id, '127.0.0.1', userAgent]),
    )
    // A change that an operator makes to a location is in two logs, but appears once in this list.
    const asOperator = { 'x-api-key': (await known).key, 'content-type': 'application/json' }
    const place = { name: 'Bistro', city: 'Brest', timeZone: 'Europe/Paris' }
    const post = { method: 'POST', headers: asOperator, body: JSON.stringify(place) }
    const made = (await (await fetch(`${site.url}/v1/admin/locations/`, post)).json()) as { id: string }
    await goTo(page, site, '/ops/keys?tab=audit')
    const acts = await allOf('/v1/admin/acts/')
    assert.equal(acts.filter(({ subject }) => subject === made.id).length, 2)
    const entries = await fileOf(page, 'Audit log')
    assert.equal(entries.filter(({ subject }) => subject === made.id).length, 1)
    assert.equal(await page.locator('#main [data-row]').filter({ hasText: 'Bistro, Brest' }).count(), 1)
    assert.deepEqual(
      entries.map(({ act, subject }) => [act, subject]),
      acts
        .filter(({ subject, locationId }) => subject !== made.id || locationId !== undefined)
        .map(({ act, subject }) => [act, subject ?? '']),
    )
    await goTo(page, site, '/ops/system')
    const { database } = (await asAdmin('/v1/admin/system')) as unknown as { database: { tables: { name: string }[] } }
    assert.deepEqual(
      new Set((await fileOf(page, 'Tables')).map(({ name }) => name)),
      new Set(database.tables.map(({ name }) => name)),
    )
    await context.close()
  })

  /** Downloads the machine-readable file of the table whose name begins like this. Resolves to its rows as text. */
  async function rowsOf(page: Page, name: string): Promise<Row[]> {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page
        .getByRole('button', { name: new RegExp(`^CSV for programs: ${name}`) })
        .first()
        .click(),
    ])
    return parse(await readFile(await download.path(), 'utf8'), { columns: true })
  }

  /** Converts an amount of a file to hundredths, as in the API; it must be a number. */
  function minor(text: string | undefined): number {
    assert.match(text ?? 'missing', /^-?\d+(\.\d+)?$/)
    return Math.round(Number(text) * 100)
  }

  /** Returns rows as sorted texts, so that those of a file and of a response can be compared. */
  const sorted = (rows: readonly unknown[][]) => rows.map((row) => row.join(' | ')).toSorted()

  test('of a restaurant contain a row for each one of the API, by name, with the same amounts to the cent', async () => {
    await site.sellOn()
    // A business day of the restaurant begins at 5 in Paris.
    const began = Date.now() - 5 * 3_600_000
    const day = (ago: number) =>
      new Date(began - ago * 86_400_000).toLocaleDateString('en-CA', { timeZone: 'Europe/Paris' })
    const days = `since=${day(5)}&until=${day(0)}`
    const month = day(1).slice(0, 7)
    const ofMonth = `since=${month}-01&until=${day(0).startsWith(month) ? day(0) : day(1)}`
    const { context, page, findings } = await visitAs(browser, site)
    for (const [by, caption, column, figure] of [
      ['day', 'Day', 'Sales incl. tax', 'salesInclTax'],
      ['product', 'Product', 'Sales incl. tax', 'salesInclTax'],
      ['category', 'Category', 'Sales incl. tax', 'salesInclTax'],
      ['operator', 'Operator', 'Sales incl. tax', 'salesInclTax'],
      ['payment', 'Payment', 'Paid', 'salesInclTax'],
      ['discount', 'Discount', 'Discounts', 'discounts'],
    ] as const) {
      const { data } = await site.get(`/v1/sales/?by=${by}&${days}`)
      await goTo(page, site, `/sales?by=${by}&${days}`)
      if (data.length === 0) continue
      const filed = await rowsOf(page, `${caption}-`)
      assert.deepEqual(
        // A day without sales is a row of 0.
        sorted(filed.map((row) => [row[caption], minor(row[column] || '0')])).filter((row) => !row.endsWith('| 0')),
        sorted(data.map((row: any) => [row.period ?? row.name ?? row.key, row[figure]])).filter(
          (row) => !row.endsWith('| 0'),
        ),
        by,
      )
    }
    await goTo(page, site, `/orders?${days}&clock=closed`)
    const { data: stored } = await site.get(`/v1/orders/?size=100&closedSince=${day(5)}&closedUntil=${day(0)}`)
    assert.ok(stored.length > 5)
    assert.deepEqual(
      sorted((await rowsOf(page, 'Orders-')).map((row) => [row['Number'], minor(row['Total'])])),
      sorted(stored.map(({ orderNumber, total }: any) => [orderNumber, Math.round(total * 100)])),
    )
    await goTo(page, site, `/z?${days}`)
    const { data: checks } = await site.get(`/v1/reports/checks/?size=100&${days}`)
    assert.deepEqual(
      sorted(
        (await rowsOf(page, 'Z reports-')).map((row) => [
          row['Number'],
          row['Business day'],
          minor(row['Sales incl. tax']),
        ]),
      ),
      sorted(checks.map((one: any) => [one.reportNumber, one.businessDay, one.totalSales])),
    )
    await goTo(page, site, `/deductions?${days}`)
    const taken = await site.get(`/v1/deductions/?${days}`)
    if (taken.data.length > 0) {
      assert.deepEqual(
        sorted((await rowsOf(page, 'Voids and discounts-')).map((row) => [row['Number'], minor(row['Amount'])])),
        sorted(taken.data.map((one: any) => [one.orderNumber, one.amount])),
      )
      assert.deepEqual(
        (await rowsOf(page, 'By operator')).map((row) => minor(row['Losses'])),
        taken.operators.map((one: any) => one.loss.amount),
      )
      assert.deepEqual(
        (await rowsOf(page, 'By reason')).map((row) => minor(row['Amount'])),
        taken.reasons.map((one: any) => one.amount),
      )
    }
    await goTo(page, site, `/month?month=${month}`)
    const taxes = (await site.get(`/v1/sales/?by=tax&${ofMonth}`)).data
    assert.deepEqual(
      sorted(
        (await rowsOf(page, 'VAT by rate')).map((row) => [
          Math.round(Number(row['Tax rate']) * 100),
          minor(row['Base excl. tax']),
          minor(row['Tax']),
        ]),
      ),
      sorted(taxes.map((row: any) => [row.key, row.salesExclTax, row.tax])),
    )
    const means = (await site.get(`/v1/sales/?by=payment&${ofMonth}`)).data
    assert.deepEqual(
      sorted(
        (await rowsOf(page, 'Payment methods')).map((row) => [row['Payment'], minor(row['Paid']), minor(row['Tips'])]),
      ),
      sorted(means.map((row: any) => [row.name, row.salesInclTax, row.tips ?? 0])),
    )
    const lines = (await site.get(`/v1/e-reporting/?${ofMonth}`)).transactions
    assert.deepEqual(
      sorted(
        (await rowsOf(page, 'E-reporting')).map((row) => [
          row['Business day'],
          row['Category'],
          minor(row['Tax rate']),
          minor(row['Tax']),
        ]),
      ),
      sorted(
        lines.flatMap(({ date, category, rates }: any) =>
          rates.map(({ rate, tax }: any) => [date, category, rate, tax]),
        ),
      ),
    )
    const sources = (await site.get(`/v1/books/days/?${ofMonth}`)).data.flatMap((one: any) =>
      one.sources.map((source: any) => [one.date, source.pieceRef, source.salesInclTax]),
    )
    assert.deepEqual(
      sorted(
        (await rowsOf(page, 'Z reports and days')).map((row) => [row['Day'], row['Voucher'], minor(row['Sales'])]),
      ),
      sorted(sources),
    )
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('of the catalog contain a line for each price, in units of the currency', async () => {
    const { context, page } = await visitAs(browser, site)
    await goTo(page, site, '/catalog/products')
    const products = (await site.get('/v1/catalog/')) as {
      id: string
      name: string
      priceList: { priceTypeName: string; unitPrice: number; taxRate: number }[]
    }[]
    const rows = await fileOf(page, 'Products')
    assert.deepEqual(
      rows.map(({ id, priceTypeName, unitPrice, taxRate }) => [id, priceTypeName, Number(unitPrice), Number(taxRate)]),
      products.flatMap(({ id, priceList }) =>
        priceList.map(({ priceTypeName, unitPrice, taxRate }) => [id, priceTypeName, unitPrice / 100, taxRate / 100]),
      ),
    )
    const sum = rows.reduce((all, { unitPrice }) => all + Math.round(Number(unitPrice) * 100), 0)
    assert.equal(
      sum,
      products.flatMap(({ priceList }) => priceList).reduce((all, { unitPrice }) => all + unitPrice, 0),
    )
    await goTo(page, site, '/catalog/taxes')
    const taxes = (await site.get('/v1/catalog/taxes/')) as { id: string; percentage: number }[]
    assert.deepEqual(
      (await fileOf(page, 'Taxes')).map(({ id, percentage }) => [id, Number(percentage)]),
      taxes.map(({ id, percentage }) => [id, percentage / 100]),
    )
    await context.close()
  })
})
