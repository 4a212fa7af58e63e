import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/core/domain/days/time-units.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visitAs } from '../support/console.ts'
import { violationsOf } from '../support/console-looks.ts'
import { itemOf, order, orderOf } from '../support/records.ts'
import { soundOrder } from '../support/z-reports.ts'

const parts = await openConsole({ days: 1, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')
const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const dayOf = (ago: number) => new Date(Date.now() - 5 * 3_600_000 - ago * dayMs).toISOString().slice(0, 10)

describe('tables of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** Creates a restaurant in UTC with orders of these amounts, each opened and closed at its `closedAt`. */
  async function restaurant(sold: readonly (readonly [total: number, closedAt: string])[]) {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC' })
    const { key } = await addKey(site.pool, location)
    const orders = sold.map(([total, at], n) => {
      const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
      const item = itemOf(1, { total, unitPrice: total, quantity: 1, discountsApplied: [] })
      const made = orderOf(location, n, times)
      return order(soundOrder({ ...made, orderNumber: `T${n}`, items: [item], menus: [] }))
    })
    await site.push(orders, key)
    return { ...site, key, location }
  }

  const rowsOf = async (page: Page, name: string) => {
    await settled(page)
    return (await main(page).getByRole('table', { name, exact: true }).locator('[data-row]').allInnerTexts()).map(flat)
  }

  test('orders on several pages are added up and sorted as a whole, and keep the selected columns', async () => {
    // 120 orders of 1.00, 2.00 … 120.00: half of 120 × 121 is 7,260.00; fifty are on a page.
    const at = await restaurant(
      Array.from(
        { length: 120 },
        (_, n) => [n + 1, `${dayOf(1)}T12:${String(n % 60).padStart(2, '0')}:00.000Z`] as const,
      ),
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, '/orders?range=7d')
    const table = main(page).getByRole('table', { name: 'Orders', exact: true })
    assert.equal((await rowsOf(page, 'Orders')).length, 50)
    assert.equal(await table.locator('tfoot').count(), 0, 'a page has no sum')
    await main(page).getByRole('button', { name: 'Add up all rows' }).click()
    await table.locator('tfoot').waitFor()
    assert.match(flat(await table.locator('tfoot').innerText()), /^Total of 120 .*€7,260\.00$/)
    assert.equal((await rowsOf(page, 'Orders')).length, 120)
    // Sorted by total: the largest over all pages first, then the smallest.
    await table.getByRole('button', { name: 'Total', exact: true }).click()
    assert.match((await rowsOf(page, 'Orders'))[0] ?? '', /€120\.00$/)
    await table.getByRole('button', { name: 'Total', exact: true }).click()
    assert.match((await rowsOf(page, 'Orders'))[0] ?? '', /€1\.00$/)
    // A filter sends a new request: 100.00 to 120.00 are 21 orders with an average of 110.00.
    await goTo(page, at, '/orders?range=7d&min=100')
    await main(page).getByRole('button', { name: 'Add up all rows' }).click()
    await table.locator('tfoot').waitFor()
    assert.match(flat(await table.locator('tfoot').innerText()), /^Total of 21 .*€2,310\.00$/)
    const heads = async () => (await table.getByRole('columnheader').allInnerTexts()).map(flat)
    assert.ok((await heads()).some((head) => head.startsWith('Covers')))
    await main(page).getByText('Columns', { exact: true }).click()
    await main(page).getByRole('checkbox', { name: 'Covers' }).uncheck()
    assert.ok(!(await heads()).some((head) => head.startsWith('Covers')))
    assert.deepEqual(await violationsOf(page), [])
    await page.reload()
    await settled(page)
    assert.ok(!(await heads()).some((head) => head.startsWith('Covers')), 'it is kept')
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('sales and orders are filtered by weekday and by hour', async () => {
    // The same weekday a week apart, and the day after the first, at 11:59, 12:00, 14:59 and 15:00.
    const at = await restaurant([
      [1, `${dayOf(8)}T11:59:00.000Z`],
      [2, `${dayOf(8)}T12:00:00.000Z`],
      [4, `${dayOf(8)}T14:59:00.000Z`],
      [8, `${dayOf(8)}T15:00:00.000Z`],
      [16, `${dayOf(1)}T12:30:00.000Z`],
      [32, `${dayOf(7)}T12:30:00.000Z`],
    ])
    const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' }).format(
      new Date(`${dayOf(8)}T12:00:00Z`),
    )
    const { context, page, findings } = await visitAs(browser, at)
    await goTo(page, at, `/sales?since=${dayOf(10)}&until=${dayOf(0)}&by=day`)
    const total = async () => {
      await settled(page)
      return flat(await main(page).getByRole('table', { name: 'Day', exact: true }).locator('tfoot').innerText())
    }
    assert.match(await total(), / €63\.00$/)
    await main(page).getByLabel('Weekday').selectOption(weekday)
    await page.waitForURL((url) => url.searchParams.has('weekday'))
    // 1 + 2 + 4 + 8 + 16, then from 12:00 to 15:00 2 + 4 + 16.
    assert.match(await total(), / €31\.00$/)
    await main(page).getByLabel('Closed from').selectOption('12:00')
    await main(page).getByLabel('Closed before').selectOption('15:00')
    await page.waitForURL((url) => url.searchParams.has('before'))
    assert.match(await total(), / €22\.00$/)
    await main(page).getByText('cover whole days').waitFor()
    await goTo(page, at, `/orders?since=${dayOf(10)}&until=${dayOf(0)}`)
    await main(page).getByLabel('Weekday').selectOption(weekday)
    await main(page).getByLabel('Hour of closing').selectOption('12:00')
    await page.waitForURL((url) => url.searchParams.has('hour'))
    const totals = (await rowsOf(page, 'Orders')).map((row) => row.split(' ').at(-1))
    assert.deepEqual(new Set(totals), new Set(['€16.00', '€2.00']))
    assert.deepEqual(findings, [])
    await context.close()
  })
})
