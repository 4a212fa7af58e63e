import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import type { Page } from 'playwright-core'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, visitAs } from '../support/console.ts'
import { order, report, smallOrderOf } from '../support/records.ts'
import { soundOrder, zReportOf } from '../support/z-reports.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 1 })

type Row = Record<string, string>

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

describe('files of lists that grow during the download', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  test('contain each row once', async () => {
    const location = await addLocation(site.pool)
    const { key } = await addKey(site.pool, location, { scopes: ['read', 'ingest', 'webhooks'] })
    const now = Date.now()
    const at = (n: number) => new Date(now - 3_600_000 + n * 1_000).toISOString()
    const sold = (n: number) => {
      const times = { createdAt: at(n), updatedAt: at(n), openedAt: at(n), closedAt: at(n), reportId: null }
      return soundOrder(smallOrderOf(location, n, { ...times, orderNumber: `N${n}` }))
    }
    const z = (n: number) => zReportOf(location, n, [sold(n)], { finalizedAt: at(n), reportNumber: n })
    const numbers = Array.from({ length: 250 }, (_, n) => n + 1)
    await site.push([...numbers.map((n) => order(sold(n))), ...numbers.map((n) => report(z(n)))], key)
    const { context, page } = await visitAs(browser, { ...site, key })
    /** The next order: five more arrive before each page except the first. */
    let next = 251
    let pages = 0
    const isPage = (url: URL) =>
      /\/v1\/(orders|reports\/checks)\/$/.test(url.pathname) && url.searchParams.get('size') === '100'
    await page.route(isPage, async (route) => {
      if (pages++ > 0) {
        const more = Array.from({ length: 5 }, () => next++)
        await site.push([...more.map((n) => order(sold(n))), ...more.map((n) => report(z(n)))], key)
      }
      await route.continue()
    })
    for (const [path, name] of [
      ['/orders', 'Orders-'],
      ['/z', 'Z reports-'],
    ] as const) {
      pages = 0
      const there = next - 1
      await goTo(page, site, path)
      const rows = (await rowsOf(page, name)).map((row) => String(row['Number']).replace('N', ''))
      assert.ok(pages >= 3, `${name} has ${pages} pages`)
      assert.equal(new Set(rows).size, rows.length, `${name}: a row is there twice`)
      const missing = Array.from({ length: there }, (_, n) => String(n + 1)).filter((n) => !rows.includes(n))
      assert.deepEqual(missing, [], name)
    }
    await context.close()
  })
})
