import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { dayMs } from '../../src/domain/days/time-units.ts'
import { sessionTimes } from '../../src/schemas/console.ts'
import { createConsoleLink } from '../../src/store/accounts/console-sessions.ts'
import { addKey, addLocation } from '../support/app.ts'
import { goTo, noChromium, openConsole, settled, visit, visitAs } from '../support/console.ts'
import { violationsOf } from '../support/console-looks.ts'
import { locationOf, order, orderOf } from '../support/records.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 4 })

const main = (page: Page) => page.locator('#main')

const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('an owner in the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser } = parts

  /** A restaurant that sold for so much a minute ago, and so much a week and an hour ago. */
  async function restaurant(city: string, now: number, weekAgo: number): Promise<string> {
    const location = await addLocation(site.pool, undefined, { timeZone: 'Etc/UTC', dayStartsAt: '00:00' } as never)
    const { key } = await addKey(site.pool, location)
    const sold = (n: number, total: number, agoMs: number) => {
      const at = new Date(Date.now() - agoMs).toISOString()
      return order(orderOf(location, n, { createdAt: at, openedAt: at, closedAt: at, updatedAt: at, total, guests: 2 }))
    }
    const records = [sold(1, now, 0), ...(weekAgo > 0 ? [sold(2, weekAgo, 7 * dayMs)] : [])]
    await site.push([{ type: 'location', data: locationOf(location, { name: 'Auberge', city }) }, ...records], key)
    return location
  }

  test('sees several restaurants by one link: their sum, who sold most, and each on its own screen', async () => {
    // The minute in which something was sold a week ago must be over for both.
    const ids = [
      await restaurant('Brest', 100, 0),
      await restaurant('Nantes', 250.5, 0),
      await restaurant('Vannes', 30, 0),
    ]
    const grant = {
      kind: 'link',
      role: 'owner',
      name: 'Mme Petit',
      scopes: ['read'],
      locationIds: ids,
      recipientId: null,
      keyId: null,
      madeBy: 'cli',
      returnUrl: null,
    } as const
    const made = await createConsoleLink(site.pool, { ...grant, ...sessionTimes.owner } as never, new Date())
    const { context, page, findings } = await visit(browser, site)
    await page.goto(`${site.url}/console/#code=${made.code}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.getByRole('link', { name: 'All restaurants' }).click()
    await page.getByRole('heading', { name: 'All restaurants' }).waitFor()
    await settled(page)
    const rows = main(page).getByRole('table', { name: 'By sales' }).locator('[data-row]')
    await main(page).getByText('€380.50').waitFor()
    assert.deepEqual((await rows.allInnerTexts()).map(flat), [
      'Auberge Nantes 1 €250.50 – 0',
      'Auberge Brest 1 €100.00 – 0',
      'Auberge Vannes 1 €30.00 – 0',
    ])
    assert.deepEqual(await violationsOf(page), [])
    assert.equal(
      await page.getByRole('button', { name: 'Copy as curl' }).count(),
      0,
      'somebody without a key has no use for it',
    )
    await rows.first().getByRole('link').click()
    await page.waitForURL((url) => url.searchParams.get('location') === ids[1])
    await page.getByRole('banner').getByText('Nantes').waitFor()
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('is told which command makes another link, and not that of an operator', async () => {
    const { context, page } = await visit(browser, site)
    await page.goto(`${site.url}/console/`)
    await page.getByText('No key and no link?').click()
    assert.match(await page.locator('pre').innerText(), /^tillgate console link --role owner --location/)
    await context.close()
  })

  test('prints the whole evening on A4, with the restaurant and the time', async () => {
    const location = await restaurant('Rennes', 80, 40)
    const { key } = await addKey(site.pool, location)
    const { context, page } = await visitAs(browser, { ...site, key })
    await goTo(page, site, '/sales?by=day&range=28d')
    await main(page).locator('canvas').first().waitFor()
    // A sheet is narrower than the window for which the chart was drawn.
    await page.emulateMedia({ media: 'print' })
    await page.evaluate(
      "for (const one of document.querySelectorAll('.uplot, .u-wrap, canvas')) one.style.width = '3000px'",
    )
    const out = await page.evaluate<string[]>(
      `[...document.querySelectorAll('#main canvas, #main table')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.localName)`,
    )
    assert.deepEqual(out, [])
    const printed = main(page).getByText('Auberge, Rennes')
    assert.match(flat(await printed.first().locator('..').innerText()), /· printed \d/)
    await context.close()
  })
})
