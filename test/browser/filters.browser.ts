import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { goTo, goWithin, noChromium, openConsole, settled, visitAs, visitAsOperator } from '../support/console.ts'
import { everyScreen, knownOf, operatorScreens, withIds, type Known } from '../support/console-screens.ts'

const parts = await openConsole({ days: 2, ordersPerDay: 8 })

const main = (page: Page) => page.locator('#main')
/** Resolves to the first cell of each row, without rows that count requests, since those counts increase each time. */
const rowsOf = async (page: Page) =>
  (await main(page).locator('[data-row]').allInnerTexts())
    .map((text) => text.split(/[\t\n]/, 1)[0])
    .filter((text) => !/^[A-Z]+ \//.test(text ?? ''))

/** The path of a screen, the label of a filter, a value for the filter, and the resulting address. */
type Filter = readonly [path: string, label: string, value: string, written: string]

const filters: readonly Filter[] = [
  ['/sales', 'By', 'product', 'by=product'],
  ['/sales?by=product', 'Compare with', 'previous', 'compare=previous'],
  ['/sales', 'Period', '28d', 'range=28d'],
  ['/sales?since=2026-01-01&until=2026-12-31', 'From', '2026-02-01', 'since=2026-02-01'],
  ['/sales?since=2026-01-01&until=2026-12-31', 'To', '2026-12-01', 'until=2026-12-01'],
  ['/sales', 'Weekday', '6', 'weekday=6'],
  ['/sales', 'Closed from', '12', 'from=12'],
  ['/sales', 'Closed before', '15', 'before=15'],
  ['/orders', 'State', 'open', 'state=open'],
  ['/orders', 'Training', 'false', 'training=false'],
  ['/orders', 'Date of', 'closed', 'clock=closed'],
  ['/orders?range=28d', 'Weekday', '6', 'weekday=6'],
  ['/orders?range=28d', 'Hour of closing', '12', 'hour=12'],
  ['/orders?range=28d', 'Payments', 'PAYMENT', 'payment='],
  ['/orders?range=28d', 'Total from (€)', '20', 'min=20'],
  ['/orders?range=28d', 'Total up to (€)', '20', 'max=20'],
  ['/orders?state=closed', 'Period', '28d', 'range=28d'],
  ['/orders?range=28d', 'Number', '1042', 'number=1042'],
  ['/deductions', 'Period', 'yesterday', 'range=yesterday'],
  ['/deductions', 'Kind', 'loss', 'kind=loss'],
  ['/z', 'Verdict', 'balanced', 'verdict=balanced'],
  ['/z', 'Period', '7d', 'range=7d'],
  ['/z/REPORT', 'Show', 'differences', 'show=differences'],
  ['/z/REPORT', 'Cash payments', 'Espèces', 'cash='],
  ['/catalog/products', 'Find', 'cafe', 'find=cafe'],
  ['/catalog/products', 'Show', 'changes', 'view=changes'],
  ['/closings', 'Closings of', 'month', 'period=month'],
  ['/integrity', 'Period', '7d', 'range=7d'],
  ['/webhooks/WEBHOOK', 'Outcome', 'success', 'outcome=success'],
  ['/webhooks/WEBHOOK', 'Event', 'report.created', 'event=report.created'],
  ['/webhooks/WEBHOOK', 'From', '2026-02-01', 'since=2026-02-01'],
  ['/webhooks/WEBHOOK', 'To', '2026-02-01', 'until=2026-02-01'],
  ['/events', 'Event types, separated by commas', 'order.paid', 'types=order.paid'],
  ['/events', 'After journal number', '3', 'after=3'],
  ['/key', 'Period', '24h', 'span=24h'],
]

const operated: readonly Filter[] = [
  ['/ops', 'Name, city or id', 'canal', 'find=canal'],
  ['/ops/rejected', 'Code', 'wrong_type', 'code=wrong_type'],
  ['/ops/rejected', 'Location', 'yes', 'only=yes'],
  ['/ops/rejected', 'Since', '2030-01-01', 'since=2030-01-01'],
  ['/ops/keys', 'State', 'all', 'state=all'],
  ['/ops/keys', 'Location', 'yes', 'only=yes'],
  ['/ops/keys?tab=audit', 'Location', 'yes', 'only=yes'],
  ['/ops/system', 'Show', 'all', 'settings=all'],
]

const withoutSearch = (path: string) => path.replace(/\?.*/, '')

describe('the filters of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  /** Resolves to the names of all controls on a screen. */
  const offered = (page: Page) =>
    main(page).getByRole('search').locator('label').filter({ visible: true }).allInnerTexts()

  for (const [who, come, screens, of] of [
    ['somebody with a key', visitAs, everyScreen, filters],
    ['who runs the installation', visitAsOperator, operatorScreens, operated],
  ] as const) {
    test(`of ${who} are all in the address, and survive reload, back and forward`, async () => {
      const ids: Known & { PAYMENT: string } = { ...(await known), PAYMENT: '' }
      const [{ name }] = await site.get('/v1/catalog/payments/')
      ids.PAYMENT = name
      const { context, page, findings } = await come(browser, site)
      const place = (path: string) => `${withIds(path, ids)}${path.includes('?') ? '&' : '?'}location=${site.location}`
      await goTo(page, site, place('/today'))
      for (const [path, label, template, written] of of) {
        const value = template.replace('PAYMENT', ids.PAYMENT)
        await goWithin(page, place(path))
        const control = main(page).getByLabel(label, { exact: true })
        const seen = async () => [await control.inputValue(), await rowsOf(page)]
        const before = await seen()
        if ((await control.evaluate((element: any) => element.tagName)) === 'SELECT') await control.selectOption(value)
        else {
          // Typed text takes effect on Enter.
          await control.fill(value)
          await page.keyboard.press('Enter')
        }
        const isWritten = (url: URL) => url.search.includes(written)
        await page.waitForURL(isWritten)
        await settled(page)
        const filtered = await seen()
        assert.equal(filtered[0], value, `${path} ${label}`)
        await page.reload()
        await settled(page)
        assert.deepEqual(await seen(), filtered, `${path} ${label} after a reload`)
        await page.goBack()
        await page.waitForURL((url) => !isWritten(url))
        await settled(page)
        assert.deepEqual(await seen(), before, `${path} ${label} one back`)
        await page.goForward()
        await page.waitForURL(isWritten)
        await settled(page)
        assert.deepEqual(await seen(), filtered, `${path} ${label} forward`)
      }
      // The test covers every filter of every screen.
      for (const screen of new Set(screens.map(withoutSearch))) {
        await goWithin(page, place(screen))
        const tried = of.filter(
          ([path]) => withoutSearch(path) === screen.replace(/taxes|modifiers|payments/, 'products'),
        )
        assert.deepEqual(
          (await offered(page)).filter((label) => !tried.some(([, one]) => one === label)),
          [],
          screen,
        )
      }
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('with invalid values are ignored with a notice; an empty range leads to the nearest day with sales', async () => {
    const { context, page, findings } = await visitAs(browser, site)
    await page.goto(`${site.url}/console/sales?by=nothing`)
    await main(page).getByText('Ignored parts of the address').waitFor()
    await goTo(page, site, '/sales?since=2020-01-01&until=2020-01-02')
    await main(page)
      .getByRole('button', { name: /^Show \w+day, / })
      .click()
    await main(page).locator('[data-row]').first().waitFor()
    assert.match(page.url(), /since=(?!2020)\d{4}-\d\d-\d\d/)
    assert.deepEqual(findings, [])
    await context.close()
  })
})
