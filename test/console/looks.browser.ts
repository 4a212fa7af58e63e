import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  goTo,
  noChromium,
  openConsole,
  overflowOf,
  settled,
  signInByKey,
  tabTo,
  violationsOf,
  visit,
  visitAs,
} from '../support/console.ts'
import { everyScreen, knownOf, withIds } from '../support/console-screens.ts'

const parts = await openConsole({ ordersPerDay: 8 })

describe('each screen of the console', { skip: parts === undefined && noChromium }, () => {
  if (parts === undefined) return
  const { site, browser, receiver } = parts
  const known = knownOf(site, receiver.url('/ok'))

  for (const locale of ['en-GB', 'fr-FR']) {
    test(`is accessible, titled and within its policy in ${locale}, light and dark`, async () => {
      const { context, page, findings } = await visitAs(browser, site, { locale })
      for (const path of everyScreen) {
        await page.emulateMedia({ colorScheme: 'light' })
        await goTo(page, site, withIds(path, await known))
        assert.deepEqual(await violationsOf(page), [], `${path} in light`)
        assert.match(await page.title(), /^.+ · Tillgate$/, path)
        assert.equal(await page.locator('html').getAttribute('lang'), locale.slice(0, 2))
        await page.emulateMedia({ colorScheme: 'dark' })
        assert.deepEqual(await violationsOf(page, { colours: true }), [], `${path} in dark`)
      }
      assert.deepEqual(findings, [])
      await context.close()
    })
  }

  test('fits a window of 320 pixels without scrolling sideways, and a wide one', async () => {
    const { context, page, findings } = await visitAs(browser, site, { locale: 'fr-FR' })
    for (const path of everyScreen) {
      await goTo(page, site, withIds(path, await known))
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(await overflowOf(page), 0, `${path} at ${width}`)
      }
    }
    assert.deepEqual(findings, [])
    await context.close()
  })

  test('of nobody who is signed in is the one that signs in, in both themes and languages', async () => {
    for (const locale of ['en-GB', 'fr-FR']) {
      const { context, page, findings } = await visit(browser, site, { locale })
      await page.goto(`${site.url}/console/orders?range=28d`)
      await page.locator('input[name=key]').waitFor()
      assert.deepEqual(await violationsOf(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      assert.deepEqual(await violationsOf(page), [])
      assert.equal(await overflowOf(page), 0)
      // Afterwards one is where one wanted to go.
      await tabTo(page, locale === 'en-GB' ? 'API key' : 'Clé d’API')
      await page.keyboard.type(site.key)
      await page.keyboard.press('Enter')
      await settled(page)
      assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, '/console/orders?range=28d')
      assert.deepEqual(findings, [])
      await context.close()
    }
  })

  test('is in the list, as far as it can be gone to', async () => {
    const { context, page } = await visit(browser, site)
    await signInByKey(page, site)
    const paths = await page
      .getByRole('navigation', { name: 'Navigation' })
      .getByRole('link')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { pathname: string }).pathname.replace('/console', '')),
      )
    const screens = new Set(everyScreen.map((path) => path.replace(/\?.*/, '')))
    assert.deepEqual(
      paths.filter((path) => path !== '/docs/' && !screens.has(path)),
      [],
    )
    await context.close()
  })
})
