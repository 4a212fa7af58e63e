import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { installationId } from '../../src/domain/accounts/keys.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, visitAs, visitAsOperator } from '../support/console.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

type Row = Record<string, string>

/** The file for programs of a table, read by a library of its own. */
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

  /** All rows of a list of the installation, by its key. */
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

  test('of the installation have every row of the list and every field of the answer', async () => {
    // More than a page of locations and keys.
    for (let n = 0; n < 60; n++) {
      const id = await addLocation(site.pool)
      await addKey(site.pool, id, { scopes: ['read', 'webhooks'] })
    }
    const { context, page } = await visitAsOperator(browser, site)
    await goTo(page, site, '/ops/locations')
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
    await goTo(page, site, '/ops/keys?tab=audit')
    const acts = await allOf('/v1/admin/acts/')
    const told = await fileOf(page, 'Audit log')
    assert.deepEqual(
      told.map(({ act, subject }) => [act, subject]),
      acts.map(({ act, subject }) => [act, subject ?? '']),
    )
    await goTo(page, site, '/ops/system')
    const { database } = (await asAdmin('/v1/admin/system')) as unknown as { database: { tables: { name: string }[] } }
    assert.deepEqual(
      new Set((await fileOf(page, 'Tables')).map(({ name }) => name)),
      new Set(database.tables.map(({ name }) => name)),
    )
    await context.close()
  })

  test('of the catalog have a line for each price, in units of the currency', async () => {
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
